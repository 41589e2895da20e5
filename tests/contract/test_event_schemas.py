"""Records that were written once must be readable for ever.

Each file under `records` holds one record exactly as some version wrote it. Files are added, when
a type or a field is new, and never changed: what breaks this test would leave logs unreadable that
users have. A changed form needs a new schema number and a step in `shared.events.upcasting`.
"""

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from shared.actions.objects import Action
from shared.actions.outcomes import Outcome
from shared.events.codec import decode, encode
from shared.events.decisions import Answered, Decided
from shared.events.envelope import SCHEMA, Body, Envelope
from shared.ports.event_log import Message
from tests.support.builders import NOON

RECORDS = sorted((Path(__file__).parent / "records").glob("*.json"))


def read(path: Path) -> Envelope:
    data = path.read_bytes().rstrip(b"\n")
    message = Message(sequence=1, at=NOON, subject=f"records.{path.stem}", data=data)
    return decode(message).envelope


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_recorded_record_can_still_be_read(path: Path) -> None:
    body = read(path).body

    assert path.stem.startswith(str(type(body).__struct_config__.tag))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_of_the_present_schema_is_written_as_it_was(path: Path) -> None:
    data = path.read_bytes().rstrip(b"\n")
    if msgspec.json.decode(data)["schema"] != SCHEMA:
        pytest.skip("a record of an older schema is not written any more")

    assert encode(read(path)) == data


def test_every_type_of_record_is_among_the_recorded() -> None:
    assert {type(read(path).body) for path in RECORDS} == set(get_args(Body))


def test_every_type_of_action_and_outcome_is_among_the_recorded() -> None:
    bodies = [read(path).body for path in RECORDS]
    actions = {type(one) for body in bodies if isinstance(body, Decided) for one in body.actions}
    outcomes = {type(one) for body in bodies if isinstance(body, Answered) for one in body.outcomes}

    assert actions == set(get_args(Action))
    assert outcomes == set(get_args(Outcome))


def test_every_field_of_every_type_of_record_is_among_the_recorded() -> None:
    bodies = [read(path).body for path in RECORDS]
    unset = {
        f"{type(body).__name__}.{field.name}": [
            other for other in bodies if isinstance(other, type(body))
        ]
        for body in bodies
        for field in msgspec.structs.fields(type(body))
    }
    missing = [
        name
        for name, examples in unset.items()
        if not any(getattr(one, name.split(".")[1]) for one in examples)
    ]

    assert missing == []
