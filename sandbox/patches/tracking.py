"""Who wrote what, for writers that do not apply: create, update and every other patch.

A writer owns what its write added or changed, also the objects and lists it brought into being;
what others held of that is theirs no longer, and what is gone has no owner. Built-in kinds are born
with some of their fields already there (zero values), hence nobody owns those as such.
Read next: serverside.py for writers that apply.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from sandbox.events import BLANKS, as_new
from sandbox.objects import Object, metadata, with_metadata
from sandbox.patches.comparing import compare
from sandbox.patches.fieldsets import UNOWNED
from sandbox.patches.ownership import FieldOwner, owners_of, with_owners
from sandbox.patches.shapes import Shapes

ZERO: Mapping[str, Object] = {
    "pods": {"spec": {"containers": None}, "status": {}},
    "services": {"spec": {}, "status": {"loadBalancer": {}}},
    "namespaces": {"spec": {}, "status": {}},
    "nodes": {"spec": {}, "status": {"daemonEndpoints": {"kubeletEndpoint": {}}, "nodeInfo": {}}},
    "persistentvolumeclaims": {"spec": {"resources": {}}, "status": {}},
    "events": {"involvedObject": {}, **BLANKS},
    "jobs.batch": {"spec": {"template": {"metadata": {}, "spec": {"containers": None}}}},
    "endpointslices.discovery.k8s.io": {"endpoints": None, "ports": None},
    "leases.coordination.k8s.io": {"spec": {}},
    "ingresses.networking.k8s.io": {"spec": {}, "status": {"loadBalancer": {}}},
    "networkpolicies.networking.k8s.io": {"spec": {"podSelector": {}}},
    "roles.rbac.authorization.k8s.io": {"rules": None},
    "clusterroles.rbac.authorization.k8s.io": {"rules": None},
    "rolebindings.rbac.authorization.k8s.io": {"roleRef": {}},
    "clusterrolebindings.rbac.authorization.k8s.io": {"roleRef": {}},
    "customresourcedefinitions.apiextensions.k8s.io": {
        "spec": {"names": {}, "versions": None},
        "status": {"acceptedNames": {}, "conditions": None, "storedVersions": None},
    },
}
EARLIER = "before-first-apply"
_NEW_EVENT: Object = as_new({**BLANKS})


def zero(resource: str, api_version: str) -> Object:
    """Return what an object of a kind has before anyone wrote anything."""
    return _NEW_EVENT if api_version.startswith("events.k8s.io/") else ZERO.get(resource, {})


def tracked(before: Object, after: Object, owner: FieldOwner | None, shapes: Shapes) -> Object:
    """Give what a write changed to its writer; `before` is the zero value where it created.

    Nobody (no `owner`) owns nothing, but what nobody removed is gone for its owners all the same.
    """
    change = compare(before, after, shapes)
    changed = change.touched - UNOWNED
    lost = change.removed | changed if owner else change.removed
    left = owners_of(before).without(frozenset(lost))
    if owner is None:
        return with_owners(after, left, before=before, at="")
    mine = owner.entry("Update", str(after.get("apiVersion", "")))
    held = left.holding(mine, left.fields(mine) | changed)
    return with_owners(after, held, before=before, at=owner.at, writer=mine if changed else None)


def claimed(nothing: Object, obj: Object, applier: FieldOwner, shapes: Shapes) -> Object:
    """Give an object that nobody owns to those who wrote it before anyone applied.

    Otherwise the first to apply would own it alone, and could take away what others wrote.
    """
    if metadata(obj).get("managedFields"):
        return obj
    return tracked(nothing, obj, replace(applier, manager=EARLIER), shapes)


def forgotten(obj: Object) -> bool:
    """Tell whether a writer asks to forget all owners, by a list of one empty entry or of none."""
    return metadata(obj).get("managedFields") in ([], [{}])


def kept(old: Object, new: Object) -> Object:
    """Return the new object with the owners of the old one."""
    return with_metadata(new, managedFields=metadata(old).get("managedFields"))
