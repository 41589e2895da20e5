"""Pruning: what a structural schema does not know is dropped, and named."""

from typing import Any

import pytest

from sandbox.schemas.structural import Schema, compile_schema

TEXT = {"type": "string"}


def schema(**spec: Any) -> Schema:
    return compile_schema(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}
    )


def test_drops_unknown_fields_at_every_depth() -> None:
    groups = {"type": "array", "items": {"type": "object", "properties": {"name": TEXT}}}
    obj = {
        "spec": {"groups": [{"name": "a", "typo": 1}, {"name": "b"}], "extra": {}},
        "unknown": 1,
    }

    assert schema(groups=groups).prune(obj) == {"spec": {"groups": [{"name": "a"}, {"name": "b"}]}}


def test_names_what_it_drops() -> None:
    groups = {"type": "array", "items": {"type": "object", "properties": {"name": TEXT}}}
    obj = {"spec": {"groups": [{"name": "a"}, {"typo": 1}], "extra": {}}, "unknown": 1}

    assert schema(groups=groups).unknown(obj) == ("spec.groups[1].typo", "spec.extra", "unknown")


def test_never_drops_what_belongs_to_the_api_server() -> None:
    obj = {
        "apiVersion": "a/v1",
        "kind": "A",
        "metadata": {"name": "a", "labels": {"b": "c"}, "ownerReferences": [{"uid": "1"}]},
    }

    assert compile_schema({"type": "object"}).prune(obj) == obj


def test_keeps_unknown_fields_where_told_to_but_still_prunes_known_ones() -> None:
    open_object = {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"closed": {"type": "object", "properties": {"name": TEXT}}},
    }
    obj = {"spec": {"open": {"any": {"thing": 1}, "closed": {"name": "a", "typo": 1}}}}

    assert schema(open=open_object).prune(obj) == {
        "spec": {"open": {"any": {"thing": 1}, "closed": {"name": "a"}}}
    }


def test_maps_keep_all_keys_and_prune_their_values() -> None:
    values = {"type": "object", "properties": {"name": TEXT}}
    obj = {"spec": {"map": {"x": {"name": "a", "typo": 1}, "y": {}}}}

    assert schema(map={"type": "object", "additionalProperties": values}).prune(obj) == {
        "spec": {"map": {"x": {"name": "a"}, "y": {}}}
    }


def test_embedded_resources_keep_their_identity() -> None:
    embedded = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"spec": {"type": "object", "properties": {"a": TEXT}}},
    }
    inner = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": "b"}}}
    obj = {"spec": {"template": {**inner, "spec": {"a": "1", "b": "2"}, "other": 1}}}

    assert schema(template=embedded).prune(obj) == {
        "spec": {"template": {**inner, "spec": {"a": "1"}}}
    }


@pytest.mark.parametrize("value", [None, 5, "text", [1, [2]], {}])
def test_leaves_values_of_the_wrong_type_for_validation(value: object) -> None:
    assert schema(name=TEXT).prune({"spec": {"name": value}}) == {"spec": {"name": value}}


def test_pruning_twice_is_pruning_once() -> None:
    obj = {"spec": {"name": "a", "typo": {"deep": [1]}}}

    once = schema(name=TEXT).prune(obj)

    assert schema(name=TEXT).prune(once) == once
    assert schema(name=TEXT).unknown(once) == ()
    assert obj == {"spec": {"name": "a", "typo": {"deep": [1]}}}
