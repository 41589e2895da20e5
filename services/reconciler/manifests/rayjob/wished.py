"""The cluster that a RayJob asks for, before anything is added to it."""

from shared.resources.raycluster import RayCluster
from shared.resources.rayjob import RayJob
from shared.resources.reading import read_raycluster


def cluster_as_wished(job: RayJob, name: str) -> RayCluster | None:
    """Return the cluster that a RayJob asks for, before anything is added; None without a spec."""
    spec = job.spec.ray_cluster_spec
    if spec is None:
        return None
    metadata = {"name": name, "namespace": job.namespace, "labels": dict(job.labels)}
    found = read_raycluster({"metadata": metadata, "spec": spec.as_written()})
    return found if isinstance(found, RayCluster) else None
