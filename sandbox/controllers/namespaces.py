"""Deletion of namespaces: empty it, then let it go.

A namespace that is being deleted is Terminating until nothing is left in it; then the finalizer in
its spec is dropped and it is removed. Objects held by their own finalizers hold the namespace.
Read next: garbage.py.
"""

from collections import defaultdict
from collections.abc import Sequence

from sandbox.controllers.garbage import removal
from sandbox.controllers.world import (
    Change,
    PutObject,
    PutStatus,
    RemoveObject,
    Steps,
    World,
    joined,
)
from sandbox.objects import Object, dig, metadata, name_of, namespace_of


def step(world: World) -> Steps:
    """Move every dying namespace one step on."""
    dying = [space for space in world.objects("namespaces") if _dying(space)]
    if not dying:
        return Steps()
    contents: defaultdict[str, list[tuple[str, Object]]] = defaultdict(list)
    for plural, obj in world.all_objects():
        contents[namespace_of(obj)].append((plural, obj))
    return joined(empty(space, contents.get(name_of(space), [])) for space in dying)


def empty(space: Object, contents: Sequence[tuple[str, Object]]) -> Steps:
    """Move one namespace on, if it is dying."""
    return Steps(changes=tuple(_empty(space, contents))) if _dying(space) else Steps()


def _dying(obj: Object) -> bool:
    return bool(metadata(obj).get("deletionTimestamp"))


def _empty(space: Object, contents: Sequence[tuple[str, Object]]) -> list[Change]:
    changes: list[Change] = []
    if dig(space, "status.phase") != "Terminating":
        status = {**(space.get("status") or {}), "phase": "Terminating"}
        changes.append(PutStatus(plural="namespaces", object={**space, "status": status}))
    changes += [removal(plural, obj) for plural, obj in contents if not _dying(obj)]
    return changes or ([] if contents else _let_go(space))


def _let_go(space: Object) -> list[Change]:
    if dig(space, "spec.finalizers"):
        spec = {**space["spec"], "finalizers": []}
        return [PutObject(plural="namespaces", object={**space, "spec": spec})]
    if metadata(space).get("finalizers"):
        return []
    uid = str(metadata(space).get("uid", ""))
    return [RemoveObject(plural="namespaces", namespace=None, name=name_of(space), uid=uid)]
