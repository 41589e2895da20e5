"""Asks the rules of a schema about an object, and words what they refuse.

Invariants: a rule about a change is asked only where there was something before (unless it says
that it can do without); a place that did not change is never refused for a rule that it broke
before. Read next: rules.py, expressions.py.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.errors import Cause
from sandbox.schemas.correlation import Past
from sandbox.schemas.expressions import BadExpressionError, Failed, as_cel, program
from sandbox.schemas.rules import Rule, RuleNode, places
from sandbox.schemas.wording import ROOT, spelled

BLOCKING = frozenset(
    (
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    )
)
UNCHECKED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
MESSAGE_MAX = 5 * 1024


def not_asked() -> Cause:
    """Say that the rules were not asked, because the object is not even of the right form."""
    message = f"Invalid value: null: {UNCHECKED}"
    return Cause(reason="FieldValueInvalid", field=ROOT, message=message)


def broken(tree: RuleNode, value: Any, past: Past, path: str = "") -> Iterator[Cause]:
    """Yield what the rules refuse, here and below; `path` spells the place."""
    if value is None:
        return
    unchanged = past.known and past.value == value
    for rule in tree.rules:
        cause = _asked(tree, rule, value, past, path)
        if cause is not None and (rule.compares or not unchanged):
            yield cause
    for each in tree.all_of:
        yield from broken(each, value, past, path)
    yield from _broken_below(tree, value, past, path)


def _broken_below(tree: RuleNode, value: Any, past: Past, path: str) -> Iterator[Cause]:
    if isinstance(value, list) and tree.items is not None:
        for index, item in enumerate(value):
            yield from broken(tree.items, item, past.item(item), f"{path}[{index}]")
    if not isinstance(value, Mapping):
        return
    for name, below in value.items():
        if name in tree.properties:
            here = f"{path}.{name}" if path else name
            yield from broken(tree.properties[name], below, past.field(name), here)
        elif tree.values is not None:
            yield from broken(tree.values, below, past.field(name), f"{path}[{name}]")


def unreadable(tree: RuleNode | None, path: str) -> Iterator[tuple[str, Rule, str]]:
    """Yield the rules of a definition that are no expressions: where, which, and why."""
    for place, node in places(tree, path):
        for index, rule in enumerate(node.rules):
            where = f"{place}.x-kubernetes-validations[{index}]"
            try:
                answer = program(rule.rule, optional_old=rule.optional_old).type
            except BadExpressionError as error:
                yield f"{where}.rule", rule, f"compilation failed: {error}"
                continue
            if answer not in {"BOOL", "DYN"}:
                yield f"{where}.rule", rule, "cel expression must evaluate to a bool"


def _asked(tree: RuleNode, rule: Rule, value: Any, past: Past, path: str) -> Cause | None:
    if rule.compares and not past.known and not rule.optional_old:
        return None
    node = tree.node
    new = as_cel(node, value)
    old = as_cel(node, past.value) if past.known else None
    answer = program(rule.rule, optional_old=rule.optional_old).ask(new, old, known=past.known)
    if answer is True:
        return None
    if isinstance(answer, Failed):
        return _invalid(path or ROOT, spelled(node.type), _failure(answer, rule))
    where = f"{path}{rule.field_path}".removeprefix(".") or ROOT
    shown = "" if node.type in {"object", "array"} else spelled(value)
    return _refusal(rule, where, shown, _message(rule, new, old, known=past.known))


def _failure(answer: Failed, rule: Rule) -> str:
    if answer.because.startswith("no such overload"):
        return (
            "'no such overload': call arguments did not match a supported operator, function or "
            f"macro signature for rule: {rule.said}"
        )
    return f"{answer.because} evaluating rule: {rule.said}"


def _message(rule: Rule, new: Any, old: Any, *, known: bool) -> str:
    if rule.message_expression:
        made = program(rule.message_expression).ask(new, old, known=known)
        text = made.strip() if isinstance(made, str) else ""
        if text and "\n" not in text and len(text.encode()) <= MESSAGE_MAX:
            return text
    return rule.message.strip() or f"failed rule: {rule.said}"


def _refusal(rule: Rule, where: str, shown: str, message: str) -> Cause:
    match rule.reason:
        case "FieldValueForbidden":
            return Cause(reason=rule.reason, field=where, message=f"Forbidden: {message}")
        case "FieldValueRequired":
            return Cause(reason=rule.reason, field=where, message=f"Required value: {message}")
        case "FieldValueDuplicate":
            told = f"Duplicate value: {shown}" if shown else "Duplicate value"
            return Cause(reason=rule.reason, field=where, message=told)
        case _:
            return _invalid(where, shown, message)


def _invalid(where: str, shown: str, message: str) -> Cause:
    told = f"Invalid value: {shown}: {message}" if shown else f"Invalid value: {message}"
    return Cause(reason="FieldValueInvalid", field=where, message=told)
