"""The custom resource definition: what an API server is told about RayClusters."""

from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from shared.kernel.manifests import Raw, entries_at, is_raw, mapping_at, values_at
from shared.resources.crd import raycluster_crd, stored
from shared.resources.schema import with_defaults
from tests.support.rayclusters import head, workers
from tools.generate_crds import definitions

THEIRS = Path(__file__).resolve().parents[5] / "shared/data/kuberay-crds/ray.io_rayclusters.yaml"
EMBEDDED = (
    *("template", "headService", "env[]", "envFrom[]", "volumeMounts[]", "resources"),
    *("securityContext", "Rules[]", "valueFrom", "tls[]"),
)


def schema(version: int, *path: str | int) -> Raw:
    root = entries_at(raycluster_crd(), "spec", "versions")[version]
    return mapping_at(root, "schema", "openAPIV3Schema", "properties", *path)


def flat(schema: Raw, path: str = "") -> dict[str, Raw]:
    """Every path of a schema with what is said about it, but for descriptions."""
    said = {k: v for k, v in schema.items() if k not in ("properties", "items", "description")}
    said.pop("additionalProperties", None)
    if "required" in said:
        said["required"] = sorted(str(key) for key in values_at(said, "required"))
    found: dict[str, Raw] = {path: said}
    for key, inner in mapping_at(schema, "properties").items():
        found |= flat(inner, f"{path}.{key}") if is_raw(inner) else {}
    if "items" in schema:
        found |= flat(mapping_at(schema, "items"), f"{path}[]")
    if is_raw(schema.get("additionalProperties")):
        found |= flat(mapping_at(schema, "additionalProperties"), f"{path}{{}}")
    return found


@cache
def their_versions() -> Any:
    text = THEIRS.read_text(encoding="utf-8")
    return yaml.load(text, yaml.CSafeLoader)["spec"]["versions"]


def own(paths: dict[str, Raw]) -> dict[str, Raw]:
    return {k: v for k, v in paths.items() if not any(part in k for part in EMBEDDED)}


def test_the_file_for_the_api_server_is_up_to_date() -> None:
    for path, text in definitions().items():
        assert path.read_text(encoding="utf-8") == text, "run python -m tools.generate_crds"


def test_names_and_scope_are_what_users_type() -> None:
    spec = mapping_at(raycluster_crd(), "spec")

    assert (spec["group"], spec["scope"], mapping_at(spec, "names")) == (
        "ray.io",
        "Namespaced",
        {
            "categories": ["all"],
            "kind": "RayCluster",
            "listKind": "RayClusterList",
            "plural": "rayclusters",
            "singular": "raycluster",
        },
    )


def test_serves_two_versions_and_stores_the_new_one() -> None:
    versions = entries_at(raycluster_crd(), "spec", "versions")

    facts = [(v["name"], v["served"], v["storage"], "deprecationWarning" in v) for v in versions]
    assert facts == [("v1", True, True, False), ("v1alpha1", True, False, True)]
    assert all(version["subresources"] == {"status": {}} for version in versions)


@pytest.mark.parametrize("version", [0, 1])
def test_schemas_are_structural(version: int) -> None:
    paths = flat(schema(version, "spec")) | flat(schema(version, "status"))

    shapeless = [p for p, said in paths.items() if "type" not in said and "anyOf" not in said]
    foreign = [p for p, said in paths.items() if said.keys() & {"title", "$ref", "const"}]
    assert (shapeless, foreign) == ([], [])


@pytest.mark.parametrize("version", [0, 1])
def test_every_field_is_explained(version: int) -> None:
    fields = mapping_at(schema(version, "spec"), "properties")

    assert [name for name in fields if not mapping_at(fields, name).get("description")] == []


def test_fills_in_what_the_api_server_fills_in() -> None:
    pod = {"spec": {"containers": [{"name": "ray", "ports": [{"containerPort": 1}]}]}}
    group = {"groupName": "a", "template": pod, "priority": None}

    kept = stored({"spec": {"headGroupSpec": {"template": {}}, "workerGroupSpecs": [group]}})

    port = {"containerPort": 1, "protocol": "TCP"}
    assert values_at(kept, "spec", "workerGroupSpecs") == (
        {
            "groupName": "a",
            "template": {"spec": {"containers": [{"name": "ray", "ports": [port]}]}},
            "replicas": 0,
            "minReplicas": 0,
            "maxReplicas": 2147483647,
            "numOfHosts": 1,
            "priority": 0,
        },
    )


def test_filling_in_twice_changes_nothing() -> None:
    once = with_defaults(schema(0, "spec"), {"networkPolicy": {}, "workerGroupSpecs": [{}]})

    assert with_defaults(schema(0, "spec"), once) == once


@pytest.mark.parametrize(
    ("group", "path"),
    [
        ({}, ""),
        ({"replicas": "3"}, "workerGroupSpecs.0.replicas"),
        ({"template": {"spec": {}}}, "workerGroupSpecs.0.template.spec"),
        ({"rayStartParams": {"num-cpus": 1}}, "workerGroupSpecs.0.rayStartParams.num-cpus"),
    ],
)
def test_the_schema_refuses_what_reading_refuses(group: dict[str, object], path: str) -> None:
    checker = jsonschema_rs.Draft4Validator(dict(schema(0, "spec")))
    kept = stored({"spec": {"headGroupSpec": head(), "workerGroupSpecs": [workers(**group)]}})

    errors = [".".join(map(str, e.instance_path)) for e in checker.iter_errors(kept["spec"])]

    assert errors == ([path] if path else [])


@pytest.mark.skipif(not THEIRS.is_file(), reason="../shared/data/kuberay-crds is not here")
def test_says_of_our_own_fields_what_kuberay_says() -> None:
    root = their_versions()[0]["schema"]["openAPIV3Schema"]["properties"]

    for part in ("spec", "status"):
        assert own(flat(schema(0, part))) == own(flat(root[part]))


@pytest.mark.skipif(not THEIRS.is_file(), reason="../shared/data/kuberay-crds is not here")
def test_shows_the_columns_that_kuberay_shows() -> None:
    columns = [version["additionalPrinterColumns"] for version in their_versions()]

    ours = entries_at(raycluster_crd(), "spec", "versions")
    assert [version["additionalPrinterColumns"] for version in ours] == columns
