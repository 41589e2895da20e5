"""A view's resource in the form in which users write it."""

from collections.abc import Mapping

from shared.aggregates.view import View
from shared.kernel.instants import print_instant


def raw_resource(view: View, kind: str) -> Mapping[str, object]:
    """Return the resource as users of this kind write it; empty if there is none."""
    own = view.own
    if own is None:
        return {}
    meta = own.meta
    metadata = {
        "name": meta.name,
        "namespace": meta.namespace,
        "uid": meta.uid,
        "generation": meta.generation,
        "labels": meta.labels,
        "annotations": meta.annotations,
        "finalizers": list(meta.finalizers),
        "creationTimestamp": print_instant(meta.created_at) if meta.created_at else None,
        "deletionTimestamp": print_instant(meta.deleted_at) if meta.deleted_at else None,
    }
    return {
        "apiVersion": own.api_version,
        "kind": kind,
        "metadata": metadata,
        "spec": own.spec,
    }
