"""Scheduling by Kubernetes itself: a Workload, then a PodGroup after its template, then pods.

Neither can be changed. Another size, or no such wish any more, removes both and in the other order:
the PodGroup, whose protection is lifted once it is on its way out, then the Workload. Until each is
seen to be there, or gone, the next step waits, and with it the pods.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster import companions
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.manifests.schedulers.kubernetes import (
    PROTECTION,
    TEMPLATE,
    gang_count,
    gang_name,
    workload_aware,
)
from services.reconciler.manifests.schedulers.objects import POD_GROUP, WORKLOAD
from shared.actions.objects import CreateObject, DeleteObject, PatchObject
from shared.events.objects import ChildSeen
from shared.kernel.manifests import Raw, entries_at, integer_at, text_at

RULE = "workload_aware"
_WORKLOAD = "workload"
_POD_GROUP = "podgroup"
_MIN_COUNT = ("schedulingPolicy", "gang", "minCount")

Step = CreateObject | DeleteObject | PatchObject


def ensure(found: Situation) -> Iterator[Step]:
    """Yield the next step towards both objects, or towards none."""
    if not workload_aware(found.cluster):
        yield from _removal(found, "the cluster no longer asks to be scheduled as a gang")
    elif _stale(found):
        yield from _removal(found, f"the gang is {gang_count(found.cluster)} pods now")
    else:
        yield from _next(found)


def holds(found: Situation) -> bool:
    """Whether pods must wait: for both objects to be there, or the PodGroup to be gone."""
    group = _group(found)
    if not workload_aware(found.cluster):
        return group is not None
    workload = _workload(found)
    return not (_lasting(workload) and _lasting(group)) or _stale(found)


def _workload(found: Situation) -> ChildSeen | None:
    return found.state.children.get((_WORKLOAD, found.cluster.name))


def _group(found: Situation) -> ChildSeen | None:
    return found.state.children.get((_POD_GROUP, gang_name(found.cluster)))


def _lasting(child: ChildSeen | None) -> bool:
    return child is not None and child.meta.deleted_at is None


def _stale(found: Situation) -> bool:
    """Whether one of the two is for another size, or on its way out already."""
    count = gang_count(found.cluster)
    workload, group = _workload(found), _group(found)
    if workload is not None and (not _lasting(workload) or not _fits(workload.spec, count)):
        return True
    if group is None:
        return False
    return not _lasting(group) or integer_at(group.spec, *_MIN_COUNT) != count


def _fits(spec: Raw, count: int) -> bool:
    """Whether a Workload has the one template, of this size."""
    templates = entries_at(spec, "podGroupTemplates")
    return [(text_at(one, "name"), integer_at(one, *_MIN_COUNT)) for one in templates] == [
        (TEMPLATE, count)
    ]


def _next(found: Situation) -> Iterator[CreateObject]:
    """Yield the creation of what is missing, the Workload first."""
    name, gang = found.cluster.name, gang_name(found.cluster)
    if companions.lacks(found, _WORKLOAD, name):
        yield CreateObject(
            kind=_WORKLOAD,
            name=name,
            manifest=WORKLOAD,
            rule=RULE,
            because=f"workload {name} is missing",
        )
    elif _workload(found) is not None and companions.lacks(found, _POD_GROUP, gang):
        yield CreateObject(
            kind=_POD_GROUP,
            name=gang,
            manifest=POD_GROUP,
            rule=RULE,
            because=f"pod group {gang} is missing",
        )


def _removal(found: Situation, because: str) -> Iterator[Step]:
    """Yield the next step towards neither: the PodGroup goes first, then a stale Workload."""
    group, workload = _group(found), _workload(found)
    names = {(_POD_GROUP, gang_name(found.cluster)), (_WORKLOAD, found.cluster.name)}
    if names & found.state.unsettled:
        return
    if group is not None:
        yield from _group_removal(group, because)
    elif workload is not None and _outdated(found, workload):
        yield DeleteObject(
            kind=_WORKLOAD,
            name=workload.meta.name,
            uid=workload.meta.uid,
            rule=RULE,
            because=because,
        )


def _outdated(found: Situation, workload: ChildSeen) -> bool:
    """Whether a Workload is to be removed and not on its way; a PodGroup alone may be stale."""
    fits = workload_aware(found.cluster) and _fits(workload.spec, gang_count(found.cluster))
    return _lasting(workload) and not fits


def _group_removal(group: ChildSeen, because: str) -> Iterator[DeleteObject | PatchObject]:
    meta = group.meta
    if meta.deleted_at is None:
        yield DeleteObject(
            kind=_POD_GROUP, name=meta.name, uid=meta.uid, rule=RULE, because=because
        )
    elif PROTECTION in meta.finalizers:
        kept = [one for one in meta.finalizers if one != PROTECTION]
        yield PatchObject(
            kind=_POD_GROUP,
            name=meta.name,
            uid=meta.uid,
            resource_version=meta.resource_version,
            patch={"metadata": {"finalizers": kept or None}},
            rule=RULE,
            because=f"pod group {meta.name} is kept by pods that shall outlive it",
        )
