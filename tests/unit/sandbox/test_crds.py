"""From a definition to a kind that is served."""

import pytest

from sandbox.crds import kind_of
from sandbox.errors import ApiError
from sandbox.kinds import Column, Kind, ScalePaths
from sandbox.objects import Object, bury
from tests.unit.sandbox.widgets import cluster, widget_definition

NAME = "widgets.example.com"


def conditions(crd: Object) -> dict[str, str]:
    return {row["type"]: row["status"] for row in crd["status"]["conditions"]}


def test_a_definition_is_established_when_it_is_stored() -> None:
    crd = cluster().get("customresourcedefinitions", None, NAME)

    assert conditions(crd) == {"NamesAccepted": "True", "Established": "True"}
    assert crd["status"]["acceptedNames"] == {
        "plural": "widgets",
        "kind": "Widget",
        "shortNames": ["wd"],
        "singular": "widget",
        "listKind": "WidgetList",
    }
    assert crd["status"]["storedVersions"] == ["v1"]
    assert crd["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]


def test_reads_names_columns_and_subresources() -> None:
    kind: Kind = kind_of(widget_definition())
    version = kind.version("v1")

    assert (kind.resource, kind.singular, kind.list_kind, kind.namespaced) == (
        NAME,
        "widget",
        "WidgetList",
        True,
    )
    assert version.columns[0] == Column(name="Replicas", path=".spec.replicas", type="integer")
    assert version.scale == ScalePaths(
        spec_replicas=".spec.replicas",
        status_replicas=".status.replicas",
        selector=".status.selector",
    )
    assert version.status


def test_a_version_without_columns_shows_the_age() -> None:
    kind = kind_of(widget_definition(additionalPrinterColumns=[]))

    assert [column.name for column in kind.version("v1").columns] == ["Age"]


def test_a_version_that_is_not_served_is_not_found() -> None:
    kind = kind_of(widget_definition(served=False))

    with pytest.raises(ApiError, match="could not find the requested resource"):
        kind.version("v1")


def test_changing_a_definition_changes_what_is_accepted() -> None:
    ours = cluster()
    looser = widget_definition()["spec"]["versions"]
    spec = looser[0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["size"]["enum"].append("huge")

    ours.patch("customresourcedefinitions", None, NAME, {"spec": {"versions": looser}})

    assert ours.create("widgets", {"metadata": {"name": "w"}, "spec": {"size": "huge"}})


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("metadata.name", "gadgets.example.com", "must be spec.names.plural"),
        ("spec.versions", [], "exactly one version marked as storage"),
        ("spec.scope", "", "spec.scope: Required value"),
    ],
)
def test_refuses_a_broken_definition(path: str, value: object, said: str) -> None:
    broken = bury(widget_definition(), path, value)

    with pytest.raises(ApiError) as error:
        cluster().create("customresourcedefinitions", broken)
    assert error.value.code == 422
    assert said in str(error.value)


def test_refuses_a_schema_that_cannot_be_used() -> None:
    broken = widget_definition()
    spec = broken["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["size"]["pattern"] = "("

    with pytest.raises(ApiError) as error:
        cluster().create("customresourcedefinitions", broken)
    (cause,) = error.value.status["details"]["causes"]
    assert cause["field"] == "spec.validation.openAPIV3Schema"


def test_selectable_fields_can_be_selected() -> None:
    ours = cluster()
    selectable = widget_definition(selectableFields=[{"jsonPath": ".spec.size"}])
    versions = {"spec": {"versions": selectable["spec"]["versions"]}}
    ours.patch("customresourcedefinitions", None, NAME, versions)
    ours.create("widgets", {"metadata": {"name": "w"}, "spec": {"size": "big"}})

    assert len(ours.list("widgets", fields="spec.size=big").items) == 1
    assert ours.list("widgets", fields="spec.size=small").items == ()
