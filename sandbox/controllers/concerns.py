"""Which controller looks at what, and whom a change concerns. Pure.

A `Task` is one controller's look at one object. `concerned` names the tasks that a change can make
different: what it leaves out is never looked at again, so it names rather too many than too few.
Read next: driver.py, which remembers tasks; everything.py, which looks at everything instead.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from sandbox.controllers.endpoints import SERVICE_NAME
from sandbox.controllers.index import PODS, Index, Place, place_of
from sandbox.objects import Object, metadata, namespace_of

Controller: TypeAlias = Literal[
    "garbage", "namespaces", "nodes", "jobs", "submitters", "kubelet", "endpoints"
]
ORDER: tuple[Controller, ...] = (
    "garbage",
    "namespaces",
    "nodes",
    "jobs",
    "submitters",
    "kubelet",
    "endpoints",
)
JOBS = "jobs.batch"
SLICES = "endpointslices.discovery.k8s.io"
OWN: dict[str, tuple[Controller, ...]] = {
    "namespaces": ("namespaces",),
    "nodes": ("nodes",),
    JOBS: ("jobs",),
    PODS: ("submitters", "kubelet"),
    "services": ("endpoints",),
}


class Task(Struct, frozen=True):
    """One controller's look at one object."""

    controller: Controller
    place: Place


def own_tasks(place: Place) -> Iterator[Task]:
    """Yield every look at one object itself."""
    yield Task("garbage", place)
    for controller in OWN.get(place[0], ()):
        yield Task(controller, place)


def concerned(
    place: Place, before: Object | None, after: Object | None, index: Index
) -> Iterator[Task]:
    """Yield the tasks that a change of one object touches; the index shows what came of it."""
    yield from own_tasks(place)
    yield from _family(before, after, index)
    namespace = place[1]
    if _dying(index.get(("namespaces", "", namespace))):
        yield Task("namespaces", ("namespaces", "", namespace))
    match place[0]:
        case "pods":
            yield from _around_pod(before, after, index)
        case "nodes":
            yield from (Task("kubelet", place_of(PODS, pod)) for pod in index.objects(PODS))
        case plural if plural == SLICES:
            labels = metadata(after or before or {}).get("labels") or {}
            service = str(labels.get(SERVICE_NAME))
            yield Task("endpoints", ("services", namespace, service))
        case _:
            return


def _family(before: Object | None, after: Object | None, index: Index) -> Iterator[Task]:
    """Yield owners that may wait for the object, and dependents that may have lost it."""
    if before is not None and after is not None and _bonds(before) == _bonds(after):
        return
    for obj in (before, after):
        if obj is None:
            continue
        for reference in metadata(obj).get("ownerReferences") or ():
            owner = index.find_uid(str(reference.get("uid")))
            if owner is not None:
                yield from _garbage_of(str(reference.get("uid")), owner, index)
        for plural, child in index.dependents(str(metadata(obj).get("uid", ""))):
            yield Task("garbage", place_of(plural, child))


def _garbage_of(uid: str, owner: Object, index: Index) -> Iterator[Task]:
    place = index.place(uid)
    if place is not None:
        yield Task("garbage", place)
        if place[0] == "services":
            yield Task("endpoints", place_of("services", owner))


def _bonds(obj: Object) -> tuple[object, ...]:
    meta = metadata(obj)
    named = ("uid", "ownerReferences", "finalizers", "deletionTimestamp")
    return tuple(meta.get(name) for name in named)


def _around_pod(before: Object | None, after: Object | None, index: Index) -> Iterator[Task]:
    seen: set[Place] = set()
    for pod in (before, after):
        if pod is None:
            continue
        for reference in metadata(pod).get("ownerReferences") or ():
            owner = index.place(str(reference.get("uid")))
            if owner is not None and owner[0] == JOBS:
                yield Task("jobs", owner)
        namespace = namespace_of(pod)
        for key, value in (metadata(pod).get("labels") or {}).items():
            seen.update(index.services_on(namespace, key, value))
    for place in sorted(seen):
        yield Task("endpoints", place)


def _dying(obj: Object | None) -> bool:
    return obj is not None and bool(metadata(obj).get("deletionTimestamp"))
