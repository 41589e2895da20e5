"""The parser and clock that KubeRay uses, asked some 1,500 questions: we answer the same.

`answers.jsonl.gz` holds what robfig/cron v3.0.1 said: a schedule, a moment, and the next moment or
the error. Where it is at fault, which is where clocks are changed, ours is told beside it and is
what the slow way finds.
"""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from shared.cron.parsing import parse_schedule
from shared.cron.schedule import ScheduleError
from shared.cron.ticks import tick_after
from tests.unit.shared.cron.reference import first_minute

ANSWERS = Path(__file__).with_name("answers.jsonl.gz")
SHORT_WORDS = {"@annually": "0 0 1 1 *", "@daily": "0 0 * * *"}
THEIR_FAULTS = {
    ("CRON_TZ=Africa/Cairo 40 *,13 10 9 *", 1283987959): 1284072000,
    ("CRON_TZ=Asia/Tehran 0 1 * mar 1-5", 1616308851): 1616358600,
    ("CRON_TZ=Asia/Tehran 0 2 15 mar 0", 1616357356): 1616880600,
    ("TZ=America/St_Johns */15 1 * * *", 828794629): 828848700,
    ("CRON_TZ=America/Asuncion 16,*,38/9 18-22/4 *,13 5-9/2 1-3,*", 1697921813): 1714600800,
    ("TZ=America/St_Johns */15 1 * * *", 1173576718): 1173584700,
    ("TZ=America/Asuncion 0 0 */2 mar 0", 746812261): 762494400,
    ("TZ=America/Asuncion 0 0 1 OCT 0", 733508722): 749617200,
    ("TZ=Africa/Casablanca 20,57,* 6-14,12-18/3,* */3 4 *", 1212257870): 1238544000,
    ("TZ=America/St_Johns 15 0 * * *", 765304151): 765427500,
    ("TZ=Asia/Beirut 30 1 28-31 * sun", 922544231): 922573800,
    ("TZ=America/Asuncion @annually", 1030848725): 1041390000,
    ("CRON_TZ=America/Havana * * *,* 4-5 *", 976567965): 986101200,
    ("CRON_TZ=Asia/Gaza 9/4 5 31,*/20,28/6 *,4 6-6/1,Thu,1/3", 1050576040): 1050718140,
    ("TZ=Africa/Cairo 0 0 1 11 0", 1403777944): 1414792800,
    ("CRON_TZ=America/Asuncion 30 19-22/4 *,*,8 6,1-5/4 *", 749358175): 757463400,
}
"""Schedule and moment: what robfig/cron does not find, and we do."""


def answers() -> list[dict[str, object]]:
    return [json.loads(line) for line in gzip.decompress(ANSWERS.read_bytes()).splitlines()]


def our_answer(spec: str, after: int) -> dict[str, object]:
    try:
        schedule = parse_schedule(spec)
    except ScheduleError as problem:
        return {"error": str(problem)}
    found = tick_after(schedule, datetime.fromtimestamp(after, UTC))
    return {"next": int(found.timestamp()) if found else None}


def test_every_answer_is_theirs_unless_they_are_at_fault() -> None:
    differing = {}
    for answer in answers():
        spec, after = str(answer.pop("spec")), int(str(answer.pop("after")))
        ours = our_answer(spec, after)
        if ours != answer:
            differing[spec, after] = ours.get("next", ours)

    assert differing == THEIR_FAULTS


@pytest.mark.parametrize(("spec", "after"), THEIR_FAULTS)
def test_where_they_are_at_fault_the_slow_way_agrees_with_us(spec: str, after: int) -> None:
    zone, _, text = spec.partition("=")[2].partition(" ")
    text = SHORT_WORDS.get(text, text)
    ours = datetime.fromtimestamp(THEIR_FAULTS[spec, after], UTC)
    moment = max(datetime.fromtimestamp(after, UTC), ours - timedelta(days=3))

    assert first_minute(text, zone, moment, days=4) == ours
