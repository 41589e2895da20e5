"""Compiled schemas against the CRDs and sample manifests that users of Ray bring along."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.schemas.structural import Schema, compile_schema

DATA = Path(__file__).resolve().parents[5] / "shared" / "data"
CRDS = DATA / "kuberay-crds"
SAMPLES = sorted((DATA / "kuberay-samples").rglob("*.yaml"))

needs_data = pytest.mark.skipif(not CRDS.is_dir(), reason="needs the CRDs in ../shared/data")


@cache
def schema_of(kind: str, version: str) -> Schema | None:
    path = CRDS / f"ray.io_{kind.lower()}s.yaml"
    if not path.is_file():
        return None
    crd = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
    for served in crd["spec"]["versions"]:
        if served["name"] == version:
            return compile_schema(served["schema"]["openAPIV3Schema"])
    return None


UNCHECKED = (
    "<nil>: Invalid value: null: some validation rules were not checked because the object was "
    "invalid; correct the existing errors to complete validation"
)
WHERE = "spec.workerGroupSpecs[0]"
BROKEN = {
    UNCHECKED,
    "spec.headGroupSpec: Required value",
    f"{WHERE}.template: Required value",
    (
        f'{WHERE}.groupName: Invalid value: "integer": '
        f'{WHERE}.groupName in body must be of type string: "integer"'
    ),
    (
        f'{WHERE}.replicas: Invalid value: "string": '
        f'{WHERE}.replicas in body must be of type integer: "string"'
    ),
    (
        '<nil>: Invalid value: "": Checked value must be of type integer '
        f"with format int32 in {WHERE}.maxReplicas"
    ),
    ('spec.upgradeStrategy.type: Unsupported value: "Never": supported values: "Recreate", "None"'),
}


def documents() -> list[Any]:
    found = []
    for path in SAMPLES:
        for obj in yaml.load_all(path.read_text(), Loader=yaml.CSafeLoader):
            if isinstance(obj, dict) and str(obj.get("apiVersion", "")).startswith("ray.io/"):
                name = f"{path.stem}:{obj['metadata'].get('name', '')}"
                found.append(pytest.param(obj, id=f"{obj['kind']}-{name}"))
    return found


@needs_data
@pytest.mark.parametrize("obj", documents())
def test_samples_pass_whole_and_without_problems(obj: dict[str, Any]) -> None:
    schema = schema_of(obj["kind"], obj["apiVersion"].removeprefix("ray.io/"))
    assert schema is not None

    taken = schema.default(schema.prune(obj))

    assert schema.unknown(obj) == ()
    assert schema.problems(taken) == ()
    assert schema.prune(taken) == taken
    assert schema.default(taken) == taken


@needs_data
def test_defaults_of_the_real_schema_are_filled_in() -> None:
    schema = schema_of("RayCluster", "v1")
    assert schema is not None
    container = {"name": "ray", "image": "ray", "ports": [{"containerPort": 1}]}
    head = {"rayStartParams": {}, "template": {"spec": {"containers": [container]}}}

    taken = schema.default({"spec": {"headGroupSpec": head}})

    assert taken["spec"]["headGroupSpec"]["template"]["spec"]["containers"] == [
        {"name": "ray", "image": "ray", "ports": [{"containerPort": 1, "protocol": "TCP"}]}
    ]


@needs_data
def test_broken_manifests_are_told_as_the_api_server_tells_them() -> None:
    schema = schema_of("RayCluster", "v1")
    assert schema is not None
    group = {"groupName": 5, "replicas": "3", "minReplicas": 0, "maxReplicas": 1 << 31}
    obj = {"spec": {"workerGroupSpecs": [group], "upgradeStrategy": {"type": "Never"}, "typo": 1}}

    assert {cause.sentence() for cause in schema.problems(obj)} == BROKEN
    assert schema.unknown(obj) == ("spec.typo",)


def test_finds_the_node_behind_a_path_through_lists_and_maps() -> None:
    schema = compile_schema(
        {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": {
                            "type": "object",
                            "properties": {"n": {"type": "integer"}},
                        },
                    },
                }
            },
        }
    )

    found = schema.at(("items", "any", "n"))

    assert found is not None
    assert found.type == "integer"
    assert schema.at(("items", "any", "missing")) is None
    assert schema.at(("nowhere", "below")) is None
