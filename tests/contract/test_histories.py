"""Yesterday's logs, read with today's code: every act decided again, every status assessed again.

Each file of `histories/` is a log that was recorded once (`tools/record_histories.py`) and is never
changed. A failure here says that a rule has changed: clusters that live now would be decided
differently, in the middle of what they are doing. If that is meant, raise `RULES` and record a
history of the new rule beside the old ones.
"""

import gzip
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from heliograph.cli.replay import deciding, report
from heliograph.views.replay import replay
from heliograph.views.timeline import timeline
from services.status.conditions.blocked import BLOCKED
from services.status.conditions.raycluster import assess_raycluster
from services.status.patch import difference
from services.status.reading import readable_cluster
from shared.aggregates.view import view
from shared.events.codec import decode, encode
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.records import StatusWritten
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import entries_at
from shared.ports.event_log import Message

FOLDER = Path(__file__).parent / "histories"
HISTORIES = sorted(path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("*.jsonl.gz"))
THOUGHT_OF_LATER = frozenset({BLOCKED})
KEY = ResourceKey(kind="raycluster", namespace="default", name="first")

TELLS = {
    "created-and-deleted": ("state: ready", "raycluster first is gone", "to close its books"),
    "head-killed": ("is ending", "the cluster has no head pod", "HeadPodReady is True"),
    "made-anew-under-the-same-name": ("raycluster first is gone", "first appeared"),
    "made-senseless-and-repaired": ("SpecInvalid is True", "SpecInvalid is no longer told"),
    "refused-by-quota": ("ReplicaFailure is True", "retry went off", "state: ready"),
    "scaled-up-and-down": ("replicas: 1 -> 3", "replicas: 4 -> 2", "delete pod"),
    "suspended-and-resumed": ("state: ready -> suspended", "state: suspended -> ready"),
    "worker-failed": ("is Failed (Evicted)", "which is final", "create pod of group small"),
}


class Line(msgspec.Struct, frozen=True):
    """One message, as recorded."""

    sequence: int
    at: datetime
    subject: str
    data: msgspec.Raw


@cache
def messages_of(name: str) -> tuple[Message, ...]:
    text = gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes())
    lines = (msgspec.json.decode(line, type=Line) for line in text.splitlines())
    return tuple(
        Message(sequence=line.sequence, at=line.at, subject=line.subject, data=bytes(line.data))
        for line in lines
    )


@cache
def records_of(name: str) -> tuple[Record, ...]:
    return tuple(decode(message) for message in messages_of(name))


def as_told_then(status: Mapping[str, object], then: Mapping[str, object]) -> dict[str, object]:
    """Leave out conditions that were not thought of when the history was recorded."""
    known = {entry["type"] for entry in entries_at(then, "conditions")}
    conditions = [
        entry
        for entry in entries_at(status, "conditions")
        if entry["type"] in known or entry["type"] not in THOUGHT_OF_LATER
    ]
    return {**status, "conditions": conditions}


def reassessed(records: Sequence[Record]) -> Iterator[str]:
    """Say where a written status is not what the log before it tells."""
    for record in records:
        body, place = record.envelope.body, place_of(record.subject)
        if not isinstance(body, StatusWritten) or place is None:
            continue
        known = [
            each
            for each in records
            if each.sequence <= body.based_on
            and (at := place_of(each.subject)) is not None
            and at.key == place.key
        ]
        seen = view(place.key, known)
        now = as_told_then(assess_raycluster(seen, readable_cluster(seen)), body.status)
        apart = difference(body.status, now)
        if apart:
            yield f"the status of record {record.sequence} would now differ in {apart}"


def redecided(records: Sequence[Record]) -> Iterator[str]:
    """Say where an act would not be decided as it was."""
    for verdict in replay(records, deciding(records)):
        if verdict.missing:
            yield f"the act of record {verdict.sequence} rests on something that is not there"
        for apart in verdict.differences:
            yield f"the act of record {verdict.sequence}: {apart}"


def test_every_history_is_told_of_here() -> None:
    assert list(TELLS) == HISTORIES


@pytest.mark.parametrize("name", HISTORIES)
def test_every_act_is_decided_again_byte_for_byte(name: str) -> None:
    records = records_of(name)

    assert sum(isinstance(each.envelope.body, Decided) for each in records) > 0
    assert list(redecided(records)) == []


@pytest.mark.parametrize("name", HISTORIES)
def test_every_status_is_assessed_again_the_same(name: str) -> None:
    records = records_of(name)

    assert sum(isinstance(each.envelope.body, StatusWritten) for each in records) > 0
    assert list(reassessed(records)) == []


@pytest.mark.parametrize("name", HISTORIES)
def test_every_record_is_written_as_it_was_read(name: str) -> None:
    records = zip(messages_of(name), records_of(name), strict=True)
    changed = [
        record.sequence for message, record in records if encode(record.envelope) != message.data
    ]

    assert changed == []


@pytest.mark.parametrize("name", HISTORIES)
def test_the_timeline_tells_what_the_name_says(name: str) -> None:
    told = "\n".join(
        "\n".join((moment.text, *moment.because))
        for moment in timeline(record for record in records_of(name) if _of_first(record))
    )

    assert [words for words in TELLS[name] if words not in told] == []


def _of_first(record: Record) -> bool:
    place = place_of(record.subject)
    return place is not None and place.key == KEY


def test_a_changed_rule_is_told_so_that_a_person_understands() -> None:
    records = list(records_of("worker-failed"))
    index = next(
        number
        for number, record in enumerate(records)
        if isinstance(body := record.envelope.body, Decided) and body.actions
    )
    act = records[index].envelope.body
    assert isinstance(act, Decided)
    former = replace(act, because=("the moon is full", *act.because[1:]))
    records[index] = replace(records[index], envelope=replace(records[index].envelope, body=former))

    told = report(tuple(replay(records, deciding(records))))

    assert told[-3:] == [
        f"first difference: raycluster/default/first, act {records[index].sequence}",
        "  because[0]: 'the moon is full' then, 'the cluster has no head service' now",
        "1 differ",
    ]
