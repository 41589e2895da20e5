"""The registry: finding kinds by key, by plural, by URL."""

import pytest

from sandbox.builtin import BUILTIN_KINDS
from sandbox.crds import kind_of
from sandbox.errors import ApiError
from sandbox.kinds import Kind, Registry, Version
from tests.unit.sandbox.widgets import widget_definition


def registry() -> Registry:
    return Registry((*BUILTIN_KINDS, kind_of(widget_definition())))


def test_finds_a_kind_by_its_key_or_its_plural() -> None:
    known = registry()

    assert [known.find(key).kind for key in ("pods", "jobs.batch", "jobs", "widgets")] == [
        "Pod",
        "Job",
        "Job",
        "Widget",
    ]


def test_kinds_of_one_plural_are_told_apart_by_group() -> None:
    known = registry()
    other = Kind(kind="Widget", plural="widgets", group="other.io", versions=(Version(name="v1"),))
    known.add(other)

    assert known.find("widgets.other.io") == other
    assert known.find("widgets").group == "example.com"


def test_both_faces_of_events_share_one_storage() -> None:
    known = registry()

    core, new = known.find("events"), known.find("events.events.k8s.io")

    assert (core.resource, new.resource) == ("events", "events")
    assert (core.api_version(), new.api_version()) == ("v1", "events.k8s.io/v1")


def test_finds_what_a_url_names() -> None:
    assert registry().served("example.com", "v1", "widgets").kind == "Widget"


@pytest.mark.parametrize(
    ("group", "version", "plural"),
    [("example.com", "v2", "widgets"), ("", "v1", "widgets"), ("example.com", "v1", "gadgets")],
)
def test_refuses_what_is_not_served(group: str, version: str, plural: str) -> None:
    with pytest.raises(ApiError, match="could not find the requested resource"):
        registry().served(group, version, plural)


def test_a_dropped_kind_is_served_no_longer() -> None:
    known = registry()
    before = known.generation
    known.drop("widgets.example.com")

    assert known.generation == before + 1
    with pytest.raises(ApiError, match="could not find the requested resource"):
        known.find("widgets")
    assert "example.com" not in known.groups()
