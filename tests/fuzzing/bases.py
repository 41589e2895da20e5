"""The manifests that changes begin from: of each kind a plain one and some with more in them.

Invariant: each of them comes to rest and is well, unchanged; a trial that finds otherwise says so.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from tests.differential.features import FEATURES
from tests.e2e.jobs.manifests import raycronjob, rayjob
from tests.e2e.services.counter import rayservice
from tests.support.fleet import Json, manifest

NAME = "ray"
FOREVER = "python forever.py"
RULES = {
    "deletionRules": [
        {"policy": "DeleteWorkers", "condition": {"jobStatus": "SUCCEEDED", "ttlSeconds": 1}},
        {"policy": "DeleteCluster", "condition": {"jobStatus": "FAILED", "ttlSeconds": 1}},
    ]
}
PLURALS = {
    "RayCluster": "rayclusters",
    "RayJob": "rayjobs",
    "RayService": "rayservices",
    "RayCronJob": "raycronjobs",
}
KINDS = tuple(PLURALS)


def _cluster(*features: str) -> Json:
    body: Json = deepcopy(manifest(NAME, 1))
    body["spec"]["suspend"] = False  # a cluster that was suspended wakes by this word only
    for feature in features:
        FEATURES[feature](body["spec"])
    return body


def _job(**spec: Any) -> Json:
    return deepcopy(rayjob(NAME, **spec))


def _stepping() -> Json:
    """Return a RayService that moves its traffic step by step."""
    options = {"gatewayClassName": "mine", "intervalSeconds": 1, "stepSizePercent": 50}
    strategy = {"type": "NewClusterWithIncrementalUpgrade", "clusterUpgradeOptions": options}
    body: Json = deepcopy(rayservice(NAME, upgradeStrategy=strategy))
    config = body["spec"]["rayClusterConfig"]
    config["enableInTreeAutoscaling"] = True
    config["workerGroupSpecs"][0] |= {"replicas": 0, "minReplicas": 1}  # as whoever takes over
    return body


BASES: Mapping[str, Mapping[str, Json]] = {
    "RayCluster": {
        "plain": _cluster(),
        "rich": _cluster("autoscale2", "redis", "second", "headsvc", "quantities", "dressed"),
        "recreate": _cluster("recreate", "hosts", "params", "ingress"),
        "resting": {**_cluster(), "spec": {**_cluster()["spec"], "suspend": True}},
    },
    "RayJob": {
        "done": _job(),
        "forever": _job(
            entrypoint=FOREVER, submissionMode="HTTPMode", shutdownAfterJobFinishes=True
        ),
        "sidecar": _job(submissionMode="SidecarMode", shutdownAfterJobFinishes=True),
        "resting": _job(suspend=True, shutdownAfterJobFinishes=True),
        "ruled": _job(deletionStrategy=RULES),
    },
    "RayService": {
        "plain": deepcopy(rayservice(NAME)),
        "rich": deepcopy(
            rayservice(
                NAME,
                excludeHeadPodFromServeSvc=True,
                serveService={"metadata": {"name": "own-serve", "labels": {"team": "red"}}},
                upgradeStrategy={"type": "NewCluster"},
            )
        ),
        "resting": deepcopy(rayservice(NAME, suspend=True)),
        "stepping": _stepping(),
    },
    "RayCronJob": {
        "yearly": deepcopy(raycronjob(NAME, "0 0 1 1 *")),
        "often": deepcopy(raycronjob(NAME, "* * * * *")),
        "resting": deepcopy(raycronjob(NAME, "* * * * *", suspend=True)),
    },
}
