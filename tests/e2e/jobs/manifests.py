"""RayJobs and RayCronJobs as users write them, small."""

from typing import Any

from tests.support.fleet import Json, manifest

ENTRYPOINT = "python train.py"


def cluster_spec(workers: int = 1) -> Json:
    """Return a RayCluster's spec with a head and so many workers."""
    spec: Json = manifest("any", workers)["spec"]
    return spec


def rayjob(name: str, **spec: Any) -> Json:
    """Return a RayJob with a cluster of its own, unless it selects one."""
    own = {} if "clusterSelector" in spec else {"rayClusterSpec": cluster_spec()}
    work = {} if spec.get("submissionMode") == "InteractiveMode" else {"entrypoint": ENTRYPOINT}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": name},
        "spec": {**work, **own, **spec},
    }


def raycronjob(name: str, schedule: str, **spec: Any) -> Json:
    """Return a RayCronJob."""
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCronJob",
        "metadata": {"name": name},
        "spec": {"schedule": schedule, "jobTemplate": rayjob("any")["spec"], **spec},
    }
