"""Which events a subscription wants: by subject, by type, by expression.

Subjects are the bus' work: what they leave out never comes here. Types and expressions are looked
at with the event in hand. An expression that cannot be answered, because an event lacks what it
asks for, does not want the event.
"""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from services.courier.expressions import BadExpressionError, program
from shared.events.cloudevents import CloudEvent
from shared.events.lifecycle import PREFIX

ROOT = "pub"
EVERYTHING = (f"{ROOT}.>",)


class Filter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a subscription wants to hear of; each part that is given must agree."""

    subjects: tuple[str, ...] = EVERYTHING
    types: tuple[str, ...] = ()
    cel: str = ""


class BadFilterError(ValueError):
    """Part of a filter that makes no sense, and where it stands."""

    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path


Wants = Callable[[CloudEvent], bool | None]
"""None where nobody can tell: the expression does not fit the event."""


def checked_filter(written: Filter) -> Filter:
    """Return a filter that the bus can hold; raise BadFilterError."""
    for index, subject in enumerate(written.subjects):
        _check_subject(f"subjects[{index}]", subject)
        for other, earlier in enumerate(written.subjects[:index]):
            if overlap(subject, earlier):
                raise BadFilterError(f"subjects[{index}]", f"overlaps with subjects[{other}]")
    for index, one in enumerate(written.types):
        if not one.startswith(f"{PREFIX}."):
            raise BadFilterError(f"types[{index}]", f"must begin with {PREFIX}., and may hold *")
    if written.cel:
        try:
            program(written.cel)
        except BadExpressionError as error:
            raise BadFilterError("cel", str(error)) from None
    return written if written.subjects else replace(written, subjects=EVERYTHING)


def _check_subject(path: str, subject: str) -> None:
    root, *tokens = subject.split(".")
    if root != ROOT or not tokens or not all(tokens) or any(one.isspace() for one in subject):
        raise BadFilterError(
            path, f"must be like {ROOT}.NAMESPACE.KIND.NAME.EVENT, with * for any or > for the rest"
        )
    for place, word in enumerate(tokens):
        if word == ">" and place < len(tokens) - 1:
            raise BadFilterError(path, "has something after >")
        if word not in ("*", ">") and set(word) & {"*", ">"}:
            raise BadFilterError(path, f"* stands for a whole word, not for a part of {word}")


def overlap(one: str, other: str) -> bool:
    """Whether some subject is named by both."""
    left, right = one.split("."), other.split(".")
    for mine, theirs in zip(left, right, strict=False):
        if ">" in (mine, theirs):
            return True
        if mine != theirs and "*" not in (mine, theirs):
            return False
    return len(left) == len(right)


def wants_of(wished: Filter) -> Wants:
    """Return the test for what the bus lets through."""
    expression = program(wished.cel) if wished.cel else None

    def wants(event: CloudEvent) -> bool | None:
        if wished.types and not any(fnmatchcase(event.type, one) for one in wished.types):
            return False
        return True if expression is None else expression.holds({"event": _plain(event)})

    return wants


def _plain(event: CloudEvent) -> Mapping[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(event)
    return plain
