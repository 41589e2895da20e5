"""What users write: RayClusters, and a pod that only looks as if it were one of theirs."""

from typing import Any

from tests.simulation.kinds import CLUSTER, CRON, JOB, SERVICE
from tests.simulation.nature import NAMESPACE
from tests.support.rayclusters import head, template, workers

STRANGER = "stranger"
MISTAKEN = {CLUSTER: "oops", JOB: "slip", SERVICE: "mess", CRON: "lapse"}
"""How what is made to be wrong is called; it may have any shape."""
SELDOM = {CLUSTER: "seldom", JOB: "oddity", SERVICE: "rarity", CRON: "leap"}
"""How what comes about on few occasions is called; nobody means it who means something else."""
REPLICAS_MAX = 4
PAIR = "pair"
"""The group whose replicas have two hosts each."""


def cluster(name: str, sizes: dict[str, int]) -> dict[str, Any]:
    """Return a RayCluster with groups of these sizes."""
    groups = [group(each, size) for each, size in sizes.items()]
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"headGroupSpec": {**head(), "rayStartParams": {}}, "workerGroupSpecs": groups},
    }


def group(name: str, replicas: int) -> dict[str, Any]:
    """Return a worker group."""
    hosts = {"numOfHosts": 2} if name == PAIR else {}
    bounds = {"replicas": replicas, "maxReplicas": REPLICAS_MAX}
    return {**workers(name, **bounds, **hosts), "rayStartParams": {}}


def sizes_of(name: str) -> range:
    """Return how many replicas of a group users may want."""
    return range(3 if name == PAIR else REPLICAS_MAX + 1)


def stranger() -> dict[str, Any]:
    """Return a pod that carries our labels and belongs to nobody."""
    labels = {
        "ray.io/cluster": "alpha",
        "ray.io/node-type": "worker",
        "ray.io/group": "small",
    }
    meta = {"name": STRANGER, "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, **template()}
