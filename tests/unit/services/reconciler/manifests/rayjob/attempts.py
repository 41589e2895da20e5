"""Attempts at RayJobs, for tests of what they ask Kubernetes for."""

from services.reconciler.manifests.rayjob.submitter import Attempt
from services.reconciler.manifests.rayjob.wished import cluster_as_wished
from services.reconciler.manifests.settings import ManifestSettings
from shared.resources.raycluster import RayCluster
from shared.resources.rayjob import RayJob
from shared.resources.reading import read_raycluster, read_rayjob
from tests.support.builders import Raw
from tests.support.rayjobs import UID, job_spec

ADDRESS = "rj-b5d7k-head-svc.ns.svc.cluster.local:8265"
SETTINGS = ManifestSettings(version="v1.7.0")


def job_of(mode: str = "K8sJobMode", /, **spec: object) -> RayJob:
    """A RayJob `rj` as its user wrote it; `labels` and `annotations` are its own."""
    more: Raw = {key: spec.pop(key) for key in ("labels", "annotations") if key in spec}
    metadata: Raw = {"name": "rj", "namespace": "ns", "uid": UID, **more}
    read = read_rayjob({"metadata": metadata, "spec": job_spec(mode, **spec)})
    assert isinstance(read, RayJob), read
    return read


def attempt_at(job: RayJob, *, address: str = ADDRESS, cluster: Raw | None = None) -> Attempt:
    """An attempt with the names of the specification's example."""
    found: RayCluster | None = cluster_as_wished(job, "rj-b5d7k")
    if cluster is not None:
        read = read_raycluster(cluster)
        assert isinstance(read, RayCluster)
        found = read
    assert found is not None
    return Attempt(job=job, cluster=found, job_id="rj-x2x4z", address=address)
