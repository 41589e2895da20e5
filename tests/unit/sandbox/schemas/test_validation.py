"""Validation: each kind of problem, in the words and with the reasons of the API server."""

from typing import Any

import pytest

from sandbox.errors import Cause
from sandbox.schemas.structural import Schema, compile_schema


def schema(field: dict[str, Any], **rest: Any) -> Schema:
    spec = {"type": "object", "properties": {"x": field}, **rest}
    return compile_schema({"type": "object", "properties": {"spec": spec}})


def problems(field: dict[str, Any], value: object) -> list[str]:
    return [cause.sentence() for cause in schema(field).problems({"spec": {"x": value}})]


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ({"type": "integer"}, "3", 'Invalid value: "string": {} must be of type integer: "string"'),
        ({"type": "string"}, 3, 'Invalid value: "integer": {} must be of type string: "integer"'),
        ({"type": "string"}, None, 'Invalid value: "null": {} must be of type string: "null"'),
        ({"type": "object"}, [], 'Invalid value: "array": {} must be of type object: "array"'),
        ({"type": "array"}, {}, 'Invalid value: "object": {} must be of type array: "object"'),
        ({"type": "boolean"}, "t", 'Invalid value: "string": {} must be of type boolean: "string"'),
        ({"minimum": 0}, -1, "Invalid value: -1: {} should be greater than or equal to 0"),
        ({"maximum": 4}, 5, "Invalid value: 5: {} should be less than or equal to 4"),
        (
            {"minimum": 0, "exclusiveMinimum": True},
            0,
            "Invalid value: 0: {} should be greater than 0",
        ),
        ({"multipleOf": 2}, 3, "Invalid value: 3: {} should be a multiple of 2"),
        ({"minLength": 2}, "a", 'Invalid value: "a": {} should be at least 2 chars long'),
        ({"pattern": "^a$"}, "b", "Invalid value: \"b\": {} should match '^a$'"),
        ({"minItems": 1}, [], "Invalid value: []: {} should have at least 1 items"),
    ],
)
def test_says_what_is_wrong_with_a_value(field: dict[str, Any], value: object, told: str) -> None:
    assert problems(field, value) == ["spec.x: " + told.replace("{}", "spec.x in body")]


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ({"enum": ["a", "b"]}, "c", 'Unsupported value: "c": supported values: "a", "b"'),
        ({"maxLength": 2}, "abc", "Too long: may not be more than 2 bytes"),
        ({"maxItems": 1}, [1, 2], "Too many: 2: must have at most 1 items"),
    ],
)
def test_says_which_choice_or_limit_is_broken(
    field: dict[str, Any], value: object, told: str
) -> None:
    assert problems(field, value) == [f"spec.x: {told}"]


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        (
            {"anyOf": [{"minimum": 5}, {"type": "string"}]},
            1,
            [
                '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
                "spec.x: Invalid value: 1: spec.x in body should be greater than or equal to 5",
            ],
        ),
        (
            {"oneOf": [{"minimum": 0}, {"maximum": 5}]},
            1,
            [
                (
                    '<nil>: Invalid value: "": "spec.x" must validate one and only one schema '
                    "(oneOf). Found 2 valid alternatives"
                )
            ],
        ),
        (
            {"not": {"minimum": 0}},
            1,
            ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
        ),
        (
            {"type": "integer"},
            1.5,
            [
                'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
                (
                    '<nil>: Invalid value: "": Checked value must be of type integer '
                    "(default format) in spec.x"
                ),
            ],
        ),
        (
            {"type": "string", "format": "date-time"},
            "soon",
            ['spec.x: Invalid value: "soon": spec.x in body must be of type date-time: "soon"'],
        ),
    ],
)
def test_says_of_alternatives_and_forms_what_the_real_one_says(
    field: dict[str, Any], value: object, told: list[str]
) -> None:
    assert problems(field, value) == told


def test_a_missing_field_is_named_where_it_is_missing() -> None:
    assert schema({}, required=["x", "y"]).problems({"spec": {"x": 1}}) == (
        Cause(field="spec.y", reason="FieldValueRequired", message="Required value"),
    )


def test_reasons_tell_programs_what_happened() -> None:
    found = [
        schema(field).problems({"spec": {"x": value}})[0].reason
        for field, value in (
            ({"type": "integer"}, "a"),
            ({"enum": ["a"]}, "b"),
            ({"minimum": 1}, 0),
            ({"maxLength": 1}, "ab"),
            ({"maxItems": 1}, [1, 2]),
            ({"x-kubernetes-list-type": "set", "type": "array"}, ["a", "a"]),
        )
    ]

    assert found == [
        "FieldValueTypeInvalid",
        "FieldValueNotSupported",
        "FieldValueInvalid",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueDuplicate",
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "integer", "nullable": True}, None),
        ({"enum": ["a"], "nullable": True}, None),
        ({"x-kubernetes-int-or-string": True}, 5),
        ({"x-kubernetes-int-or-string": True}, "50%"),
        ({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}]}, 5),
        ({"type": "integer", "format": "int32"}, (1 << 31) - 1),
        ({"type": "integer"}, 1.0),
        ({"type": "number"}, 1),
        ({"x-kubernetes-preserve-unknown-fields": True}, {"any": ["thing"]}),
    ],
)
def test_accepts_what_kubernetes_accepts(field: dict[str, Any], value: object) -> None:
    assert problems(field, value) == []


@pytest.mark.parametrize(("size", "bits"), [("int32", 31), ("int64", 63)])
def test_numbers_must_fit_their_format(size: str, bits: int) -> None:
    field = {"type": "integer", "format": size}
    told = f"Checked value must be of type integer with format {size} in spec.x"

    assert problems(field, 1 << bits) == [f'<nil>: Invalid value: "": {told}']
    assert problems(field, -(1 << bits)) == []


def test_int_or_string_takes_nothing_else() -> None:
    assert problems({"x-kubernetes-int-or-string": True}, {}) == [
        'spec.x: Invalid value: "object": spec.x in body must be of type integer,string: "object"'
    ]


def test_sets_hold_no_value_twice() -> None:
    field = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}

    assert problems(field, ["a", "b", "a", "a"]) == [
        'spec.x[2]: Duplicate value: "a"',
        'spec.x[3]: Duplicate value: "a"',
    ]


def test_maps_hold_no_key_twice() -> None:
    field = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name", "kind"],
        "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    }

    items = [{"name": "a", "v": 1}, {"name": "a", "kind": "k"}, {"name": "a", "v": 2}]

    assert problems(field, items) == ['spec.x[2]: Duplicate value: {"name":"a"}']


def test_paths_name_fields_items_and_keys() -> None:
    field = {
        "type": "array",
        "items": {"type": "object", "additionalProperties": {"type": "integer"}},
    }

    assert [cause.field for cause in schema(field).problems({"spec": {"x": [{}, {"k": "v"}]}})] == [
        "spec.x[1].k"
    ]
