"""The scale subresource of custom kinds: one number of an object, seen as a Scale.

Pure. Invariant: writing a Scale changes the replica field its kind declares and nothing else.
"""

from sandbox.errors import ApiError
from sandbox.kinds import Kind, ScalePaths
from sandbox.objects import Object, bury, dig, metadata
from sandbox.patches.fieldsets import read
from sandbox.patches.ownership import item_of, latest_items, owners_of, with_items
from sandbox.validation import refuse
from sandbox.wording import invalid


def view(kind: Kind, version: str, obj: Object) -> Object:
    """Show an object as a Scale."""
    paths = _paths(kind, version)
    meta = metadata(obj)
    shared = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    status: Object = {"replicas": int(dig(obj, paths.status_replicas) or 0)}
    if paths.selector and dig(obj, paths.selector):
        status["selector"] = str(dig(obj, paths.selector))
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {field: meta[field] for field in shared if field in meta},
        "spec": {"replicas": count} if (count := dig(obj, paths.spec_replicas)) else {},
        "status": status,
    }


def scaled(kind: Kind, version: str, obj: Object, scale: Object) -> Object:
    """Return the object with the replicas of a Scale, guarded by the Scale's resourceVersion.

    Whether so many may be is for the object's own rules to say.
    """
    paths = _paths(kind, version)
    replicas = dig(scale, "spec.replicas") or 0
    if not isinstance(replicas, int):
        refuse(kind, obj, [invalid("spec.replicas", replicas, "must be a whole number")])
    changed = bury(obj, paths.spec_replicas, replicas)
    guard = metadata(scale).get("resourceVersion")
    return bury(changed, "metadata.resourceVersion", guard) if guard else changed


def resplit(kind: Kind, version: str, obj: Object) -> Object:
    """Return an object after a scaling that changed nothing.

    Whoever came to own the replicas by updating owns them in an entry of their own afterwards,
    which has no time.
    """
    mine = _field(kind, version)
    items = list[Object]()
    for entry, item in latest_items(obj).items():
        fields = read(item.get("fieldsV1", {}))
        if entry.operation == "Apply":
            items.append(item)
            continue
        items += [item_of(entry, fields - {mine}, item.get("time", ""))]
        items += [item_of(entry, fields & {mine}, "")]
    return with_items(obj, [item for item in items if item["fieldsV1"]])


def unowned(kind: Kind, version: str, obj: Object) -> Object:
    """Return an object after a scaling to none: a Scale does not say so, hence nobody owns it."""
    if dig(obj, _paths(kind, version).spec_replicas):
        return obj
    mine = _field(kind, version)
    told = [
        item_of(entry, read(item.get("fieldsV1", {})) - {mine}, item.get("time", ""))
        for entry, item in latest_items(obj).items()
    ]
    return with_items(obj, [item for item in told if item["fieldsV1"]])


def owned(kind: Kind, version: str, obj: Object) -> bool:
    """Whether somebody owns the replicas; only then does who scales come to own them."""
    return _field(kind, version) in owners_of(obj).all_fields()


def _field(kind: Kind, version: str) -> tuple[str, ...]:
    steps = _paths(kind, version).spec_replicas.strip(".").split(".")
    return tuple(f"f:{step}" for step in steps)


def _paths(kind: Kind, version: str) -> ScalePaths:
    paths = kind.version(version).scale
    if paths is None:
        raise ApiError.unknown_resource()
    return paths
