"""What clients are told about the served kinds."""

import pytest

from sandbox.api import discovery
from sandbox.builtin import BUILTIN_KINDS
from sandbox.crds import kind_of
from sandbox.errors import ApiError
from sandbox.kinds import Registry
from tests.unit.sandbox.widgets import widget_definition


def registry() -> Registry:
    return Registry((*BUILTIN_KINDS, kind_of(widget_definition())))


def test_lists_every_group_with_its_versions() -> None:
    groups = discovery.group_list(registry())["groups"]

    assert groups[-1] == {
        "name": "example.com",
        "versions": [{"groupVersion": "example.com/v1", "version": "v1"}],
        "preferredVersion": {"groupVersion": "example.com/v1", "version": "v1"},
    }
    assert "" not in [group["name"] for group in groups]


def test_lists_a_kind_with_its_subresources() -> None:
    listed = discovery.resource_list(registry(), "example.com", "v1")

    assert listed["groupVersion"] == "example.com/v1"
    assert [(row["name"], row["kind"]) for row in listed["resources"]] == [
        ("widgets", "Widget"),
        ("widgets/status", "Widget"),
        ("widgets/scale", "Scale"),
    ]
    assert listed["resources"][0]["shortNames"] == ["wd"]


def test_tells_the_same_in_the_aggregated_form() -> None:
    known = registry()
    told = discovery.aggregated(known, known.groups().items())

    (ours,) = [item for item in told["items"] if item["metadata"]["name"] == "example.com"]
    (resource,) = ours["versions"][0]["resources"]

    assert (resource["resource"], resource["scope"], resource["responseKind"]) == (
        "widgets",
        "Namespaced",
        {"group": "example.com", "version": "v1", "kind": "Widget"},
    )
    assert [row["subresource"] for row in resource["subresources"]] == ["status", "scale"]


@pytest.mark.parametrize(("group", "version"), [("nobody.example", "v1"), ("example.com", "v9")])
def test_refuses_what_is_not_served(group: str, version: str) -> None:
    with pytest.raises(ApiError, match="could not find the requested resource"):
        discovery.resource_list(registry(), group, version)
