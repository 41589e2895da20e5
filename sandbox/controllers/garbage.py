"""The garbage collector: what belongs to something gone goes too.

An owner is gone when no object with its uid exists: one of the same name but another uid does not
count. Background: dependents of gone owners are deleted. Foreground: an owner waits, held by its
finalizer, until the dependents that block it are gone. Orphan: dependents are let go first.
Read next: world.py.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from sandbox.controllers.world import (
    Change,
    Propagation,
    PutObject,
    RemoveObject,
    Steps,
    World,
    joined,
)
from sandbox.objects import Object, metadata, name_of, namespace_of, with_metadata

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"
_GRACE_SECONDS = 30

Dependents: TypeAlias = Callable[[str], list[tuple[str, Object]]]


class Owners(msgspec.Struct, frozen=True, kw_only=True):
    """The owner references of one object, by how their owners do."""

    solid: tuple[Object, ...] = ()
    waiting: tuple[Object, ...] = ()
    gone: tuple[Object, ...] = ()


def step(world: World) -> Steps:
    """Sweep once over everything."""
    objects = list(world.all_objects())
    dependents: defaultdict[str, list[tuple[str, Object]]] = defaultdict(list)
    for plural, obj in objects:
        for reference in _references(obj):
            dependents[str(reference.get("uid"))].append((plural, obj))
    found = [sweep(plural, obj, world, lambda uid: dependents[uid]) for plural, obj in objects]
    return joined(found)


def sweep(plural: str, obj: Object, world: World, dependents: Dependents) -> Steps:
    """Do what one object asks for, as an owner that waits or as one whose owners are gone."""
    changes = (
        *_dying(plural, obj, dependents),
        *_orphaned(plural, obj, world, dependents),
    )
    return Steps(changes=changes)


def grace_of(plural: str, obj: Object) -> int:
    """Say how long an object may take to die when nobody says otherwise: pods have their own."""
    if plural != "pods":
        return 0
    asked = (obj.get("spec") or {}).get("terminationGracePeriodSeconds")
    return _GRACE_SECONDS if asked is None else int(asked)


def removal(plural: str, obj: Object, propagation: Propagation = "Background") -> RemoveObject:
    """Ask for an object's deletion as a careful client would."""
    return RemoveObject(
        plural=plural,
        namespace=namespace_of(obj) or None,
        name=name_of(obj),
        uid=str(metadata(obj).get("uid", "")),
        grace_seconds=grace_of(plural, obj),
        propagation=propagation,
    )


def _dying(plural: str, obj: Object, dependents: Dependents) -> list[Change]:
    """Move an owner on that waits for its dependents."""
    if not metadata(obj).get("deletionTimestamp"):
        return []
    uid = str(metadata(obj).get("uid"))
    if ORPHAN in _finalizers(obj):
        held = [
            PutObject(plural=kind, object=_without_owners(child, {uid}))
            for kind, child in dependents(uid)
        ]
        return [*held] if held else [_without_finalizer(plural, obj, ORPHAN)]
    if FOREGROUND in _finalizers(obj):
        blocking = [child for _, child in dependents(uid) if _blocks(child, uid)]
        return [] if blocking else [_without_finalizer(plural, obj, FOREGROUND)]
    return []


def _orphaned(plural: str, obj: Object, world: World, dependents: Dependents) -> list[Change]:
    """Remove an object whose owners are all gone or wait for it; tidy references of others."""
    if not _references(obj) or metadata(obj).get("deletionTimestamp"):
        return []
    owners = _owners(obj, world)
    lost = {str(reference["uid"]) for reference in (*owners.gone, *owners.waiting)}
    if owners.solid:
        return [PutObject(plural=plural, object=_without_owners(obj, lost))] if lost else []
    has_children = bool(dependents(str(metadata(obj).get("uid"))))
    foreground = bool(owners.waiting) and has_children
    return [removal(plural, obj, "Foreground" if foreground else _policy(obj))]


def _owners(obj: Object, world: World) -> Owners:
    solid, waiting, gone = [], [], []
    for reference in _references(obj):
        owner = world.find_uid(str(reference.get("uid")))
        if owner is None or namespace_of(owner) not in {"", namespace_of(obj)}:
            gone.append(reference)
        elif metadata(owner).get("deletionTimestamp") and FOREGROUND in _finalizers(owner):
            waiting.append(reference)
        else:
            solid.append(reference)
    return Owners(solid=tuple(solid), waiting=tuple(waiting), gone=tuple(gone))


def _policy(obj: Object) -> Propagation:
    if ORPHAN in _finalizers(obj):
        return "Orphan"
    return "Foreground" if FOREGROUND in _finalizers(obj) else "Background"


def _references(obj: Object) -> list[Object]:
    return list(metadata(obj).get("ownerReferences") or ())


def _finalizers(obj: Object) -> list[str]:
    return list(metadata(obj).get("finalizers") or ())


def _blocks(child: Object, uid: str) -> bool:
    return any(
        reference.get("uid") == uid and reference.get("blockOwnerDeletion")
        for reference in _references(child)
    )


def _without_owners(obj: Object, uids: set[str]) -> Object:
    kept = [reference for reference in _references(obj) if str(reference.get("uid")) not in uids]
    return with_metadata(obj, ownerReferences=kept or None)


def _without_finalizer(plural: str, obj: Object, finalizer: str) -> PutObject:
    kept = [name for name in _finalizers(obj) if name != finalizer]
    return PutObject(plural=plural, object=with_metadata(obj, finalizers=kept or None))
