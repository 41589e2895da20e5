"""A view's resource, read the way its user wrote it. Pure."""

from shared.aggregates.view import View
from shared.resources.predicates import OPERATOR
from shared.resources.raycluster import RayCluster
from shared.resources.rayjob import RayJob
from shared.resources.rayservice import RayService
from shared.resources.reading import read_raycluster, read_rayjob, read_rayservice


def readable_cluster(view: View) -> RayCluster | None:
    """Read the resource; None if its shape is wrong, which the reconciler tells people about."""
    own = view.own
    if own is None:
        return None
    metadata = {"name": own.meta.name, "namespace": own.meta.namespace, "uid": own.meta.uid}
    raw = {"metadata": metadata, "spec": own.spec}
    cluster = read_raycluster(raw)
    return cluster if isinstance(cluster, RayCluster) else None


def readable_job(view: View) -> RayJob | None:
    """Read the RayJob; None if its shape is wrong, which the reconciler tells people about."""
    own = view.own
    if own is None:
        return None
    metadata = {"name": own.meta.name, "namespace": own.meta.namespace, "uid": own.meta.uid}
    job = read_rayjob({"metadata": metadata, "spec": own.spec})
    return job if isinstance(job, RayJob) else None


def readable_service(view: View) -> RayService | None:
    """Read the RayService; None if its shape is wrong, which the reconciler tells people about."""
    own = view.own
    if own is None:
        return None
    metadata = {
        "name": own.meta.name,
        "namespace": own.meta.namespace,
        "uid": own.meta.uid,
        "annotations": own.meta.annotations,
    }
    service = read_rayservice({"metadata": metadata, "spec": own.spec})
    return service if isinstance(service, RayService) else None


def somebody_elses(view: View) -> bool:
    """Whether another operator cares for the resource."""
    spec = view.own.spec if view.own else {}
    return spec.get("managedBy") not in (None, OPERATOR)
