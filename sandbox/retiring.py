"""The end of a custom kind: a dying definition waits until the last of its objects is gone.

Pure, a step like those in `sandbox.controllers`. The definition's own finalizer holds it; this step
deletes the objects, then takes the finalizer off.
"""

from sandbox.controllers.world import Change, PutObject, RemoveObject, World
from sandbox.crds import CLEANUP, RESOURCE
from sandbox.objects import Object, metadata, name_of, with_metadata


def retire(world: World) -> list[Change]:
    """Return what brings every dying definition closer to its end."""
    return [
        change
        for crd in world.objects(RESOURCE)
        if "deletionTimestamp" in metadata(crd) and CLEANUP in metadata(crd).get("finalizers", ())
        for change in _changes(world, crd)
    ]


def _changes(world: World, crd: Object) -> list[Change]:
    resource = name_of(crd)
    objects = list(world.objects(resource))
    if not objects:
        left = [name for name in metadata(crd)["finalizers"] if name != CLEANUP]
        put = with_metadata(crd, finalizers=left or None)
        return [PutObject(plural=RESOURCE, object=put)]
    return [
        RemoveObject(
            plural=resource,
            namespace=metadata(obj).get("namespace"),
            name=name_of(obj),
            uid=metadata(obj)["uid"],
        )
        for obj in objects
        if "deletionTimestamp" not in metadata(obj)
    ]
