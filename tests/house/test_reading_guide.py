"""The guide to the log names every type of record, its fields, and every action and outcome."""

import re
from typing import get_args

import msgspec

from shared.actions.objects import Action
from shared.actions.outcomes import Outcome
from shared.events.envelope import Body
from tests.house.sources import HOME

GUIDE = (HOME / "docs" / "guides" / "reading-the-log.md").read_text(encoding="utf-8")
ROWS = {
    found[1]: set(re.findall(r"`(\w+)`", found[2]))
    for found in re.finditer(r"^\| `(\w+)` \| (.*) \|$", GUIDE, re.MULTILINE)
}


def tag(kind: type) -> str:
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined] # every one is a struct


def test_every_record_is_told_with_all_its_fields() -> None:
    untold = {
        tag(kind): sorted({each.name for each in msgspec.structs.fields(kind)} - ROWS[tag(kind)])
        for kind in get_args(Body)
    }

    assert {name: fields for name, fields in untold.items() if fields} == {}


def test_every_action_and_outcome_is_told() -> None:
    names = [tag(kind) for kind in (*get_args(Action), *get_args(Outcome))]

    assert [name for name in names if f"`{name}`" not in GUIDE] == []
