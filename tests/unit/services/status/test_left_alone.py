"""What cannot be read is left alone, and said to be after a while, until it can be read again."""

import logging

import pytest
from msgspec.structs import replace

from services.status.conditions.raycluster import OF_ALL
from services.status.left_alone import SILENT_FOR, Silence, told_of
from services.status.metrics.counters import UNREADABLE
from shared.aggregates.ledger import Unreadable
from shared.events import subjects
from shared.kernel.features import STATUS_CONDITIONS, Features
from shared.kernel.manifests import entries_at
from tests.support.builders import KEY, Raw, head, resource, with_status
from tests.support.history import History
from tests.unit.services.status.serving import Place, Writer, served, settle
from tests.unit.services.watcher.watched import DEMO

POISON = b'{"schema":2,"password":"s3cret"}'
POD = subjects.observed(KEY, "pod", "w1")
NO_CONDITIONS = Features(enabled=OF_ALL.enabled - {STATUS_CONDITIONS})


def unreadable(*of: str) -> tuple[Unreadable, ...]:
    return tuple(Unreadable(sequence=n, subject=each, problem="?") for n, each in enumerate(of, 7))


def blocked(status: object) -> list[Raw]:
    return [dict(one) for one in entries_at(status, "conditions") if one["type"] == "Blocked"]


def known(status: Raw) -> History:
    history = History()
    history.sees(with_status(resource(), status), head())
    return history


def test_the_status_stays_as_it_was_and_names_the_first_record() -> None:
    status: Raw = {"state": "ready", "conditions": [{"type": "HeadPodReady", "status": "True"}]}
    other = subjects.observed(KEY, "pod", "w2")
    told = told_of(known(status).view(), unreadable(POD, other), OF_ALL)
    [condition] = blocked(told)

    assert told["state"] == "ready"
    assert entries_at(told, "conditions")[0] == {"type": "HeadPodReady", "status": "True"}
    assert (condition["status"], condition["reason"]) == ("True", "Unreadable")
    assert condition["message"] == (
        f"raycluster demo: this version cannot read record 7 ({POD}), nor 1 more; "
        "it is left to newer replicas, and its pods are left as they are"
    )


@pytest.mark.parametrize("subject", [subjects.own(KEY), subjects.status(KEY)])
def test_nothing_is_said_where_nobody_knows_what_it_would_replace(subject: str) -> None:
    assert told_of(known({"state": "ready"}).view(), unreadable(subject), OF_ALL) == {
        "state": "ready"
    }


def test_nothing_is_said_where_statuses_have_no_place_for_it() -> None:
    view = known({"state": "ready"}).view()
    cron = replace(view, key=replace(KEY, kind="raycronjob"))

    assert told_of(view, unreadable(POD), NO_CONDITIONS) == {"state": "ready"}
    assert told_of(cron, unreadable(POD), OF_ALL) == {"state": "ready"}


@pytest.mark.parametrize(
    ("phase", "told"),
    [("Waiting", True), ("Running", False), ("Retrying", False), ("Complete", False)],
)
def test_a_job_that_is_not_over_says_it_in_its_message(phase: str, *, told: bool) -> None:
    view = known({"jobDeploymentStatus": phase, "message": "well"}).view()
    job = replace(view, key=replace(KEY, kind="rayjob"))
    message = str(told_of(job, unreadable(POD), OF_ALL)["message"])

    assert message.startswith("this version cannot read record 7") is told


def test_silence_lasts_for_a_while_from_the_first_look_on_and_is_broken_once() -> None:
    silence = Silence()

    told = [silence.seconds(KEY, 7, now) for now in (10.0, 110.0, 10.0 + SILENT_FOR)]
    assert told == [300, 200, 0]
    assert [silence.break_once(KEY), silence.break_once(KEY)] == [True, False]


def test_another_record_and_another_time_begin_a_silence_of_their_own() -> None:
    silence = Silence()
    silence.seconds(KEY, 7, 10.0)

    assert silence.seconds(KEY, 9, 400.0) == SILENT_FOR
    silence.end(KEY)
    assert silence.seconds(KEY, 9, 900.0) == SILENT_FOR


async def test_what_newer_code_wrote_is_told_after_a_while_and_until_it_can_be_read(
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = Place()
    writer = Writer(place.cluster)
    with caplog.at_level(logging.WARNING, "services.status"):
        async with served(place, writer):
            await settle()
            place.add_head()
            await settle()
            last = place.server.log.last(subjects.observed(DEMO, "pod", "demo-head"))
            assert last is not None
            place.server.log.store(last.subject, last.headers, POISON)
            await settle(SILENT_FOR - 10)
            early, count = blocked(place.status()), UNREADABLE.collect()
            await settle(60)
            late = blocked(place.status())
            place.make_head_ready()
            await settle()

    assert early == []
    assert [sample.value for sample in next(iter(count)).samples] == [1]
    assert [one["reason"] for one in late] == ["Unreadable"]
    assert "s3cret" not in str(late)
    assert (blocked(place.status()), place.state()) == ([], "ready")
    assert [one.message for one in caplog.records if one.message == "left alone"] == ["left alone"]
