"""A view's resource, read the way its user wrote it. Pure."""

from shared.aggregates.view import View
from shared.resources.predicates import OPERATOR
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster


def readable_cluster(view: View) -> RayCluster | None:
    """Read the resource; None if its shape is wrong, which the reconciler tells people about."""
    own = view.own
    if own is None:
        return None
    metadata = {"name": own.meta.name, "namespace": own.meta.namespace, "uid": own.meta.uid}
    raw = {"metadata": metadata, "spec": own.spec}
    cluster = read_raycluster(raw)
    return cluster if isinstance(cluster, RayCluster) else None


def somebody_elses(view: View) -> bool:
    """Whether another operator cares for the resource."""
    spec = view.own.spec if view.own else {}
    return spec.get("managedBy") not in (None, OPERATOR)
