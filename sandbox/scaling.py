"""The scale subresource of custom kinds: one number of an object, seen as a Scale.

Pure. Invariant: writing a Scale changes the replica field its kind declares and nothing else.
"""

from sandbox.errors import ApiError
from sandbox.kinds import Kind, ScalePaths
from sandbox.objects import Object, bury, dig, metadata
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
        "spec": {"replicas": int(dig(obj, paths.spec_replicas) or 0)},
        "status": status,
    }


def scaled(kind: Kind, version: str, obj: Object, scale: Object) -> Object:
    """Return the object with the replicas of a Scale, guarded by the Scale's resourceVersion."""
    paths = _paths(kind, version)
    replicas = dig(scale, "spec.replicas") or 0
    if not isinstance(replicas, int) or replicas < 0:
        cause = invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        refuse(kind, obj, [cause])
    changed = bury(obj, paths.spec_replicas, replicas)
    guard = metadata(scale).get("resourceVersion")
    return bury(changed, "metadata.resourceVersion", guard) if guard else changed


def _paths(kind: Kind, version: str) -> ScalePaths:
    paths = kind.version(version).scale
    if paths is None:
        raise ApiError.unknown_resource()
    return paths
