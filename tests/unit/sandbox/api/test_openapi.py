"""The OpenAPI documents that kubectl reads."""

from sandbox.api import openapi
from sandbox.builtin import BUILTIN_KINDS
from sandbox.crds import kind_of
from sandbox.kinds import Registry
from tests.unit.sandbox.widgets import widget_definition

SCHEMA = "com.example.v1.Widget"


def registry() -> Registry:
    return Registry((*BUILTIN_KINDS, kind_of(widget_definition())))


def test_the_index_names_a_document_per_version_and_changes_with_the_kinds() -> None:
    known = registry()
    before = openapi.index(known)["paths"]
    known.drop("widgets.example.com")

    assert "apis/example.com/v1" in before
    assert "apis/example.com/v1" not in openapi.index(known)["paths"]
    assert before["api/v1"] != openapi.index(known)["paths"]["api/v1"]


def test_a_custom_kind_shows_the_schema_of_its_definition() -> None:
    schema = openapi.document(registry(), "example.com", "v1")["components"]["schemas"][SCHEMA]

    assert schema["properties"]["spec"]["properties"]["replicas"]["description"] == "how many"
    assert schema["x-kubernetes-group-version-kind"] == [
        {"group": "example.com", "version": "v1", "kind": "Widget"}
    ]


def test_patches_offer_validation_by_the_server() -> None:
    paths = openapi.document(registry(), "example.com", "v1")["paths"]
    patch = paths["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]["patch"]

    assert "fieldValidation" in [each["name"] for each in patch["parameters"]]
    assert "application/strategic-merge-patch+json" not in patch["requestBody"]["content"]


def test_every_kind_is_defined_in_the_old_form_too() -> None:
    definitions = openapi.swagger(registry())["definitions"]

    assert {SCHEMA, "io.k8s.api.core.v1.Pod"} <= definitions.keys()
