"""Defaulting: missing fields are filled in, nulls that may not stand are dropped."""

from typing import Any

import pytest

from sandbox.schemas.structural import Schema, compile_schema


def schema(**spec: Any) -> Schema:
    return compile_schema(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}
    )


def test_fills_in_what_is_missing() -> None:
    filled = schema(a={"type": "integer", "default": 1}, b={"type": "string"})

    assert filled.default({"spec": {"b": "x"}}) == {"spec": {"a": 1, "b": "x"}}


def test_keeps_what_is_there() -> None:
    assert schema(a={"type": "integer", "default": 1}).default({"spec": {"a": 0}}) == {
        "spec": {"a": 0}
    }


def test_creates_no_parents_for_defaults() -> None:
    assert schema(a={"type": "integer", "default": 1}).default({"metadata": {}}) == {"metadata": {}}


def test_a_default_object_gets_its_own_defaults() -> None:
    inner = {
        "type": "object",
        "default": {},
        "properties": {"protocol": {"type": "string", "default": "TCP"}},
    }

    assert schema(port=inner).default({"spec": {}}) == {"spec": {"port": {"protocol": "TCP"}}}


def test_fills_in_items_and_map_values() -> None:
    item = {"type": "object", "properties": {"p": {"type": "string", "default": "TCP"}}}
    filled = schema(
        ports={"type": "array", "items": item},
        named={"type": "object", "additionalProperties": item},
    )

    assert filled.default({"spec": {"ports": [{}, {"p": "UDP"}], "named": {"x": {}}}}) == {
        "spec": {"ports": [{"p": "TCP"}, {"p": "UDP"}], "named": {"x": {"p": "TCP"}}}
    }


@pytest.mark.parametrize(
    ("field", "left"),
    [
        ({"type": "string", "default": "d"}, {"f": "d"}),
        ({"type": "string", "nullable": True, "default": "d"}, {"f": None}),
        ({"type": "string", "nullable": True}, {"f": None}),
        ({"type": "string"}, {}),
        ({"x-kubernetes-preserve-unknown-fields": True}, {"f": None}),
    ],
)
def test_null_stands_only_where_it_may(field: dict[str, Any], left: dict[str, Any]) -> None:
    assert schema(f=field).default({"spec": {"f": None}}) == {"spec": left}


def test_null_values_in_maps_follow_the_same_rule() -> None:
    filled = schema(
        plain={"type": "object", "additionalProperties": {"type": "string"}},
        filled={"type": "object", "additionalProperties": {"type": "string", "default": "d"}},
        items={"type": "array", "items": {"type": "string", "default": "d"}},
    )

    nulls = {"plain": {"a": None}, "filled": {"a": None}, "items": [None]}

    assert filled.default({"spec": nulls}) == {
        "spec": {"plain": {}, "filled": {"a": "d"}, "items": ["d"]}
    }


def test_nulls_without_a_default_can_be_kept_for_validation() -> None:
    filled = schema(a={"type": "string"}, b={"type": "string", "default": "d"})

    kept = filled.default({"spec": {"a": None, "b": None}}, keep_nulls=True)

    assert kept == {"spec": {"a": None, "b": "d"}}


def test_defaulting_twice_is_defaulting_once_and_shares_no_default() -> None:
    filled = schema(a={"type": "object", "default": {"b": []}})
    first = filled.default({"spec": {}})

    first["spec"]["a"]["b"].append(1)

    assert filled.default({"spec": {}}) == {"spec": {"a": {"b": []}}}
    assert filled.default(first) == first
