"""CEL rules of a schema: what they refuse, in which words, and when they are not asked."""

from typing import Any

import pytest

from sandbox.schemas.structural import Schema, compile_schema

TEXT = {"type": "string"}
UNCHECKED = (
    "<nil>: Invalid value: null: some validation rules were not checked because the object "
    "was invalid; correct the existing errors to complete validation"
)


def schema(*rules: dict[str, Any], **properties: Any) -> Schema:
    spec = {"type": "object", "properties": properties, "x-kubernetes-validations": list(rules)}
    return compile_schema({"type": "object", "properties": {"spec": spec}})


def said(schema: Schema, new: Any, old: Any = None) -> list[str]:
    before = None if old is None else {"spec": old}
    return [cause.sentence() for cause in schema.problems({"spec": new}, before)]


def test_a_broken_rule_is_named_by_its_message() -> None:
    rule = {"rule": "self.low <= self.high", "message": "low above high"}
    limits = schema(rule, low={"type": "integer"}, high={"type": "integer"})

    assert said(limits, {"low": 1, "high": 2}) == []
    assert said(limits, {"low": 3, "high": 2}) == ["spec: Invalid value: low above high"]


def test_a_rule_without_message_is_shown_itself() -> None:
    assert said(schema({"rule": "has(self.a)"}, a=TEXT), {}) == [
        "spec: Invalid value: failed rule: has(self.a)"
    ]


def test_a_scalar_is_shown_with_its_value() -> None:
    rule = {"rule": "self != 'bad'", "message": "bad is bad"}
    one = schema(name={**TEXT, "x-kubernetes-validations": [rule]})

    assert said(one, {"name": "bad"}) == ['spec.name: Invalid value: "bad": bad is bad']


def test_a_message_may_be_computed() -> None:
    rule = {
        "rule": "self.n < 3",
        "message": "too many",
        "messageExpression": "'at most 2, not ' + string(self.n)",
    }

    assert said(schema(rule, n={"type": "integer"}), {"n": 5}) == [
        "spec: Invalid value: at most 2, not 5"
    ]


def test_a_computed_message_that_fails_gives_way_to_the_plain_one() -> None:
    rule = {"rule": "false", "message": "never", "messageExpression": "self.absent"}

    assert said(schema(rule, n={"type": "integer"}), {"n": 5}) == ["spec: Invalid value: never"]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("FieldValueForbidden", "spec.a: Forbidden: no"),
        ("FieldValueRequired", "spec.a: Required value: no"),
        ("FieldValueDuplicate", "spec.a: Duplicate value"),
        ("FieldValueInvalid", "spec.a: Invalid value: no"),
    ],
)
def test_reason_and_field_path_are_the_rules_own(reason: str, expected: str) -> None:
    rule = {"rule": "false", "message": "no", "reason": reason, "fieldPath": ".a"}
    found = schema(rule, a=TEXT).problems({"spec": {}})

    assert [cause.sentence() for cause in found] == [expected]
    assert found[0].reason == reason


def test_a_transition_rule_is_asked_only_about_changes() -> None:
    rule = {"rule": "self == oldSelf", "message": "immutable"}
    fixed = schema(name={**TEXT, "x-kubernetes-validations": [rule]})

    assert said(fixed, {"name": "a"}) == []
    assert said(fixed, {"name": "a"}, {}) == []
    assert said(fixed, {"name": "a"}, {"name": "a"}) == []
    assert said(fixed, {"name": "b"}, {"name": "a"}) == ['spec.name: Invalid value: "b": immutable']


def test_an_optional_old_self_is_asked_on_creation_too() -> None:
    rule = {"rule": "oldSelf.hasValue() || self.n == 1", "optionalOldSelf": True, "message": "1st"}
    first = schema(rule, n={"type": "integer"})

    assert said(first, {"n": 1}) == []
    assert said(first, {"n": 2}) == ["spec: Invalid value: 1st"]
    assert said(first, {"n": 2}, {"n": 1}) == []


def test_items_of_a_keyed_list_are_compared_with_their_namesakes() -> None:
    rule = {"rule": "self.size >= oldSelf.size", "message": "shrinks"}
    item = {
        "type": "object",
        "properties": {"name": TEXT, "size": {"type": "integer"}},
        "x-kubernetes-validations": [rule],
    }
    keyed = schema(
        groups={
            "type": "array",
            "items": item,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        }
    )
    old = {"groups": [{"name": "a", "size": 1}, {"name": "b", "size": 5}]}
    new = {"groups": [{"name": "b", "size": 4}, {"name": "c", "size": 0}, {"name": "a", "size": 1}]}

    assert said(keyed, new, old) == ["spec.groups[0]: Invalid value: shrinks"]


def test_values_of_a_map_are_named_by_key() -> None:
    rule = {"rule": "self > 0", "message": "positive"}
    values = {"type": "integer", "x-kubernetes-validations": [rule]}
    limits = schema(limits={"type": "object", "additionalProperties": values})

    assert said(limits, {"limits": {"a": 1, "b": 0}}) == [
        "spec.limits[b]: Invalid value: 0: positive"
    ]


def test_what_was_wrong_before_and_did_not_change_is_let_be() -> None:
    rule = {"rule": "self.size() < 3", "message": "long"}
    short = schema(name={**TEXT, "x-kubernetes-validations": [rule]}, n={"type": "integer"})

    assert said(short, {"name": "long", "n": 2}, {"name": "long", "n": 1}) == []
    assert said(short, {"name": "longer", "n": 2}, {"name": "long", "n": 1}) == [
        'spec.name: Invalid value: "longer": long'
    ]


def test_a_schema_violation_that_did_not_change_is_let_be() -> None:
    small = schema(n={"type": "integer", "maximum": 3}, m={"type": "integer"})

    assert said(small, {"n": 9, "m": 2}, {"n": 9, "m": 1}) == []
    assert len(said(small, {"n": 8, "m": 2}, {"n": 9, "m": 1})) == 1


def test_rules_wait_until_the_object_has_the_right_form() -> None:
    rule = {"rule": "self.n > 3", "message": "never asked"}

    assert said(schema(rule, n={"type": "integer"}), {"n": "x"}) == [
        'spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"',
        UNCHECKED,
    ]


def test_a_rule_that_cannot_be_evaluated_refuses() -> None:
    rule = {"rule": "self.absent > 3"}

    assert said(schema(rule, absent={"type": "integer"}), {}) == [
        'spec: Invalid value: "object": no such key: absent evaluating rule: self.absent > 3'
    ]


def test_names_that_are_no_words_of_the_language_are_escaped() -> None:
    rule = {"rule": "self.my__dash__name == 'a' && self.__namespace__ == 'b'"}
    odd = schema(rule, **{"my-name": TEXT, "namespace": TEXT})

    assert said(odd, {"my-name": "a", "namespace": "b"}) == []


@pytest.mark.parametrize(
    "rule",
    [
        "self.l.sum() == 6 && self.l.isSorted() && self.l.max() == 3 && self.l.min() == 1",
        "self.l.indexOf(2) == 1 && self.l.lastIndexOf(9) == -1",
        "sets.contains(self.l, [1, 3]) && sets.intersects(self.l, [3, 9])",
        "sets.equivalent(self.l, [3, 2, 1])",
        "'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+').size() == 2",
        "self.?none.orValue(7) == 7 && self.l.all(x, x > 0) && self.x == 1.0",
    ],
)
def test_the_additions_of_kubernetes_are_there(rule: str) -> None:
    numbers = {"type": "array", "items": {"type": "integer"}}

    assert (
        said(schema({"rule": rule}, l=numbers, x={"type": "number"}), {"l": [1, 2, 3], "x": 1})
        == []
    )


def test_a_schema_without_rules_keeps_none() -> None:
    assert compile_schema({"type": "object", "properties": {"a": TEXT}}).rules is None
