"""Label and field selectors: read the text, then ask whether an object is selected.

A selector is a predicate over objects; the empty text selects everything. Whatever the API server
cannot read is a BadRequest in its words. Which fields can be selected is told by the kind.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sandbox.errors import ApiError
from sandbox.objects import Object, dig, metadata

Selector: TypeAlias = Callable[[Object], bool]
LabelTest: TypeAlias = Callable[[dict[str, Any]], bool]

KEY = r"[A-Za-z0-9][A-Za-z0-9._/-]*"
SET_FORM = re.compile(rf"^({KEY})\s+(in|notin)\s*\(([^()]*)\)$")
PAIR_FORM = re.compile(rf"^({KEY})\s*(==|=|!=|>|<)\s*([A-Za-z0-9._-]*)$")
PRESENCE_FORM = re.compile(rf"^(!?)\s*({KEY})$")
FIELD_FORM = re.compile(r"^([^=!]+?)(==|=|!=)(.*)$", re.DOTALL)
REQUIREMENT = re.compile(r"(?:[^,(]|\([^)]*\))+")


def everything(_: Object) -> bool:
    """Select every object."""
    return True


def label_selector(text: str) -> Selector:
    """Read a label selector such as `app=ray,tier in (head, worker),!retired`."""
    tests = [_label_test(part.strip()) for part in REQUIREMENT.findall(text) if part.strip()]
    if not tests:
        return everything

    def selected(obj: Object) -> bool:
        labels = metadata(obj).get("labels") or {}
        return all(test(labels) for test in tests)

    return selected


def _label_test(text: str) -> LabelTest:
    if found := SET_FORM.match(text):
        key, operator, listed = found.groups()
        values = {value.strip() for value in listed.split(",")}
        if operator == "in":
            return lambda labels: labels.get(key) in values
        return lambda labels: labels.get(key) not in values
    if found := PAIR_FORM.match(text):
        return _pair_test(*found.groups())
    if found := PRESENCE_FORM.match(text):
        negated, key = found.groups()
        return lambda labels: (key in labels) is not bool(negated)
    raise ApiError.bad_request(f"unable to parse requirement: found '{text}'")


def _pair_test(key: str, operator: str, value: str) -> LabelTest:
    if operator == "!=":
        return lambda labels: labels.get(key) != value
    if operator in {"=", "=="}:
        return lambda labels: labels.get(key) == value
    if not value.lstrip("-").isdigit():
        raise ApiError.bad_request(f"for 'Gt', 'Lt' operators, the value must be an integer: {key}")
    bound = int(value)

    def compared(labels: dict[str, Any]) -> bool:
        held = str(labels.get(key, ""))
        if not held.lstrip("-").isdigit():
            return False
        return int(held) > bound if operator == ">" else int(held) < bound

    return compared


def field_selector(text: str, selectable: Mapping[str, str], *, custom: bool = False) -> Selector:
    """Read a field selector such as `metadata.name=a,status.phase!=Running`.

    `selectable` says for every field that may be asked for where it is kept in the object. Custom
    kinds word their refusal in their own way.
    """
    tests = [
        _field_test(part, selectable, custom=custom) for part in text.split(",") if part.strip()
    ]
    if not tests:
        return everything
    return lambda obj: all(test(obj) for test in tests)


def _unknown_field(field: str, selectable: Mapping[str, str], *, custom: bool) -> str:
    if custom or set(selectable) != {"metadata.name", "metadata.namespace"}:
        return f"field label not supported: {field}"
    known = ", ".join(f'"{name}"' for name in selectable)
    return f'"{field}" is not a known field selector: only {known}'


def _field_test(text: str, selectable: Mapping[str, str], *, custom: bool) -> Selector:
    found = FIELD_FORM.match(text.strip())
    if found is None:
        raise ApiError.bad_request(f"invalid selector: '{text}'; can't understand '{text}'")
    field, operator, value = found.groups()
    if field not in selectable:
        raise ApiError.bad_request(_unknown_field(field, selectable, custom=custom))
    wanted = operator != "!="
    path = selectable[field]
    return lambda obj: (_text(dig(obj, path)) == value) is wanted


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
