"""The door to all patches chooses by content type."""

import pytest

from sandbox.errors import ApiError
from sandbox.patches.apply import APPLY, JSON, MERGE, STRATEGIC, apply_patch
from sandbox.patches.ownership import FieldOwner
from sandbox.schemas.structural import compile_schema

CURRENT = {"spec": {"containers": [{"name": "a"}], "x": 1}}
OWNER = FieldOwner(manager="me", at="2026-01-01T00:00:00Z")
SCHEMA = compile_schema({"type": "object"})


@pytest.mark.parametrize(
    ("content_type", "patch", "spec"),
    [
        (MERGE, {"spec": {"x": None}}, {"containers": [{"name": "a"}]}),
        (JSON, [{"op": "remove", "path": "/spec/x"}], {"containers": [{"name": "a"}]}),
        (
            f"{STRATEGIC}; charset=utf-8",
            {"spec": {"containers": [{"name": "b"}]}},
            {"containers": [{"name": "b"}, {"name": "a"}], "x": 1},
        ),
        (APPLY, {"spec": {"y": 2}}, {"containers": [{"name": "a"}], "x": 1, "y": 2}),
    ],
)
def test_each_content_type_has_its_way(content_type: str, patch: object, spec: object) -> None:
    assert apply_patch(content_type, CURRENT, patch, owner=OWNER)["spec"] == spec


def test_custom_resources_take_no_strategic_merge_patch() -> None:
    with pytest.raises(ApiError) as refused:
        apply_patch(STRATEGIC, CURRENT, {}, schema=SCHEMA)

    assert (refused.value.code, str(refused.value)) == (
        415,
        (
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml"
        ),
    )


def test_unknown_content_types_are_refused() -> None:
    with pytest.raises(ApiError) as refused:
        apply_patch("text/plain", CURRENT, {})

    assert refused.value.code == 415


def test_applying_needs_a_manager() -> None:
    with pytest.raises(ApiError, match="fieldManager: Required value: is required for apply patch"):
        apply_patch(APPLY, CURRENT, {})
