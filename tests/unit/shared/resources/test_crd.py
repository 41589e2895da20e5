"""The custom resource definitions: what an API server is told about our kinds."""

import json
from functools import cache

import pytest

from shared.kernel.manifests import (
    Raw,
    entries_at,
    is_raw,
    mapping_at,
    text_at,
    words_at,
)
from shared.resources.crd import definitions
from shared.resources.reading import KINDS
from tools.generate_crds import FOLDER, files

SERVED = [
    *((kind, version) for kind in KINDS for version in ("v1", "v1alpha1")),
]
SERVED.remove(("RayCronJob", "v1alpha1"))
EMBEDDED = {
    *("template", "submitterPodTemplate", "headService", "serveService", "env", "envFrom"),
    *("volumeMounts", "resources", "securityContext", "ingressRules", "egressRules"),
    *("valueFrom", "tls"),
}
LARGEST = 1_000_000
"""A definition is one value in etcd, whose requests may have 1.5 MiB."""


@cache
def definition(kind: str) -> Raw:
    return next(each for each in definitions() if text_at(each, "spec", "names", "kind") == kind)


def version_of(kind: str, version: str) -> Raw:
    versions = entries_at(definition(kind), "spec", "versions")
    return next(each for each in versions if each["name"] == version)


def schema(kind: str, version: str, *path: str | int) -> Raw:
    root = version_of(kind, version)
    return mapping_at(root, "schema", "openAPIV3Schema", "properties", *path)


def flat(schema: Raw, path: str = "", *, whole: bool = True) -> dict[str, Raw]:
    """Every path of a schema with what is said about it; without what is Kubernetes' own."""
    found: dict[str, Raw] = {path: {k: v for k, v in schema.items() if k != "properties"}}
    for key, inner in mapping_at(schema, "properties").items():
        if is_raw(inner):
            found |= {f"{path}.{key}": inner}
            found |= (
                flat(inner, f"{path}.{key}", whole=whole) if whole or key not in EMBEDDED else {}
            )
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if is_raw(schema.get(key)):
            found |= flat(mapping_at(schema, key), path + mark, whole=whole)
    return found


def test_the_files_for_the_api_server_are_up_to_date() -> None:
    for path, text in files().items():
        assert path.read_text(encoding="utf-8") == text, "run python -m tools.generate_crds"
    assert {*FOLDER.glob("*.yaml")} == {*files()}


@pytest.mark.parametrize("kind", KINDS)
def test_names_and_scope_are_what_users_type(kind: str) -> None:
    spec = mapping_at(definition(kind), "spec")

    assert text_at(definition(kind), "metadata", "name") == f"{kind.lower()}s.ray.io"
    assert (spec["group"], spec["scope"], mapping_at(spec, "names")) == (
        "ray.io",
        "Namespaced",
        {
            "categories": ["all"],
            "kind": kind,
            "listKind": f"{kind}List",
            "plural": f"{kind.lower()}s",
            "singular": kind.lower(),
        },
    )


def test_serves_both_versions_where_there_were_two_and_stores_the_new_one() -> None:
    told = [
        (kind, each["name"], each["served"], each["storage"], "deprecationWarning" in each)
        for kind in KINDS
        for each in entries_at(definition(kind), "spec", "versions")
    ]

    new = [(kind, "v1", True, True, False) for kind in KINDS]
    old = [(kind, "v1alpha1", True, False, True) for kind in KINDS if kind != "RayCronJob"]
    assert sorted(told) == sorted([*new, *old])


@pytest.mark.parametrize(("kind", "version"), SERVED)
def test_schemas_are_structural(kind: str, version: str) -> None:
    paths = flat(schema(kind, version, "spec")) | flat(schema(kind, version, "status"))

    shapeless = [p for p, said in paths.items() if "type" not in said and "anyOf" not in said]
    foreign = {"title", "$ref", "$defs", "$type", "const", "x-stands-for"}
    strange = [path for path, said in paths.items() if said.keys() & foreign]
    opened = [p for p, said in paths.items() if "x-kubernetes-preserve-unknown-fields" in said]
    assert (shapeless, strange, opened) == ([], [], [])


@pytest.mark.parametrize(("kind", "version"), SERVED)
def test_what_is_required_or_a_key_is_known(kind: str, version: str) -> None:
    for path, said in flat(schema(kind, version, "spec")).items():
        known = {*mapping_at(said, "properties")}
        keys = {*words_at(said, "x-kubernetes-list-map-keys")}
        if known:
            assert {*words_at(said, "required")} <= known, path
        of_item = mapping_at(said, "items")
        needed = {*words_at(of_item, "required")}
        defaulted = {
            name
            for name, each in mapping_at(of_item, "properties").items()
            if is_raw(each) and "default" in each
        }
        assert keys <= needed | defaulted, path


@pytest.mark.parametrize(("kind", "version"), SERVED)
def test_every_field_of_ours_is_explained(kind: str, version: str) -> None:
    fields = flat(schema(kind, version, "spec"), whole=False)
    fields |= flat(schema(kind, version, "status"), whole=False)

    named = {path: said for path, said in fields.items() if path and path[-1] not in "]}"}
    unexplained = [path for path, said in named.items() if not said.get("description")]
    assert [path for path in unexplained if "healthLastUpdateTime" not in path] == []


@pytest.mark.parametrize("kind", KINDS)
def test_is_small_enough_to_be_stored(kind: str) -> None:
    assert len(json.dumps(definition(kind))) < LARGEST


def test_describes_containers_in_full() -> None:
    pod = schema("RayCluster", "v1", "spec", "properties", "headGroupSpec", "properties")
    containers = mapping_at(
        pod, "template", "properties", "spec", "properties", "containers", "items"
    )

    ports = mapping_at(containers, "properties", "ports")
    assert ports["x-kubernetes-list-map-keys"] == ["containerPort", "protocol"]
    assert len(mapping_at(containers, "properties")) > 20
