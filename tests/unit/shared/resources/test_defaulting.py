"""Defaults are filled in as an API server does, so that schemas judge what it would."""

import jsonschema_rs
import pytest

from shared.kernel.manifests import values_at
from shared.resources.crd import spec_schema
from shared.resources.defaulting import stored, with_defaults
from tests.support.rayclusters import head, workers


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


def test_fills_in_each_kind_by_its_own_schema() -> None:
    job = {"deletionStrategy": {"deletionRules": [{"policy": "DeleteSelf", "condition": {}}]}}
    filled_job = {
        "backoffLimit": 0,
        "submissionMode": "K8sJobMode",
        "ttlSecondsAfterFinished": 0,
        "deletionStrategy": {
            "deletionRules": [{"policy": "DeleteSelf", "condition": {"ttlSeconds": 0}}]
        },
    }
    options: dict[str, object] = {"upgradeStrategy": {"clusterUpgradeOptions": {}}}

    assert stored({"kind": "RayJob", "spec": job})["spec"] == filled_job
    assert stored({"kind": "RayCronJob", "spec": {"jobTemplate": job}})["spec"] == {
        "jobTemplate": filled_job
    }
    assert stored({"kind": "RayService", "spec": options})["spec"] == {
        "upgradeStrategy": {"clusterUpgradeOptions": {"maxSurgePercent": 100}}
    }
    assert stored({"kind": "Pod", "spec": {}}) == {"kind": "Pod", "spec": {}}


def test_filling_in_twice_changes_nothing() -> None:
    once = with_defaults(spec_schema("RayCluster"), {"networkPolicy": {}, "workerGroupSpecs": [{}]})

    assert with_defaults(spec_schema("RayCluster"), once) == once


def test_fills_in_the_values_of_maps() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}

    assert with_defaults({"type": "object", "additionalProperties": inner}, {"x": {}}) == {
        "x": {"a": 1}
    }


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
    checker = jsonschema_rs.Draft4Validator(dict(spec_schema("RayCluster")))
    kept = stored({"spec": {"headGroupSpec": head(), "workerGroupSpecs": [workers(**group)]}})

    errors = [".".join(map(str, e.instance_path)) for e in checker.iter_errors(kept["spec"])]

    assert errors == ([path] if path else [])
