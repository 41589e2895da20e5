"""Who wrote what, for writers that do not apply: create, update and every other patch.

A writer owns what its write added or changed, also the objects and lists it brought into being;
what others held of that is theirs no longer, and what is gone has no owner. Built-in kinds are born
with some of their fields already there (zero values), hence nobody owns those as such.
Read next: serverside.py for writers that apply.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sandbox.events import BLANKS, as_new
from sandbox.objects import Object, metadata, with_metadata
from sandbox.patches.fieldsets import UNOWNED, Field, key_element, value_element
from sandbox.patches.ownership import FieldOwner, Ownership, owners_of, with_owners
from sandbox.patches.shapes import Names, Shapes

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


class _Inner(Struct, frozen=True):
    """Stands for an object or a list that is owned piece by piece, whatever is in it."""


INNER = _Inner()
Places: TypeAlias = dict[Field, Any]


def zero(resource: str, api_version: str) -> Object:
    """Return what an object of a kind has before anyone wrote anything."""
    return _NEW_EVENT if api_version.startswith("events.k8s.io/") else ZERO.get(resource, {})


def tracked(before: Object, after: Object, owner: FieldOwner | None, shapes: Shapes) -> Object:
    """Give what a write changed to its writer; `before` is the zero value where it created.

    Nobody (no `owner`) owns nothing, but what nobody removed is gone for its owners all the same.
    """
    old, new = places(before, shapes), places(after, shapes)
    changed = frozenset(
        field for field in new if field not in old or _differ(old[field], new[field])
    )
    left = owners_of(before).without(changed) if owner else owners_of(before)
    gone = old.keys() - new.keys()
    kept = Ownership({entry: fields - gone for entry, fields in left.held.items()})
    if owner is None:
        return with_owners(after, kept, before=before, at="")
    mine = owner.entry("Update", str(after.get("apiVersion", "")))
    held = kept.holding(mine, kept.fields(mine) | changed)
    return with_owners(after, held, before=before, at=owner.at)


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


def places(obj: Mapping[str, Any], shapes: Shapes) -> Places:
    """List every place of an object that can have an owner, with the values of its leaves."""
    return {
        field: value
        for field, value in _walk(obj, (), (), shapes)
        if field and field[:2] not in UNOWNED and field[:1] not in UNOWNED
        if field != ("f:metadata",)
    }


def _differ(old: Any, new: Any) -> bool:
    if INNER in (old, new) and (old in (None, INNER) and new in (None, INNER)):
        return False
    return bool(old != new) or type(old) is not type(new)


def _walk(value: Any, field: Field, path: Names, shapes: Shapes) -> Iterator[tuple[Field, Any]]:
    if isinstance(value, Mapping) and not shapes.whole(path):
        yield field, INNER
        for name, below in value.items():
            yield from _walk(below, (*field, f"f:{name}"), (*path, name), shapes)
    elif isinstance(value, list) and (shape := shapes.of_list(path)).merges != "atomic":
        yield field, INNER
        for item in value:
            if shape.merges == "set" or not isinstance(item, Mapping):
                yield (*field, value_element(item)), item
                continue
            here = (*field, key_element(item, shape.keys))
            if shape.items_whole:
                yield here, item
                continue
            yield here, INNER
            for name, below in item.items():
                yield from _walk(below, (*here, f"f:{name}"), (*path, name), shapes)
    else:
        yield field, value
