"""What a batch scheduler keeps of a cluster comes before its pods and is kept in step.

Volcano and the scheduler-plugins have a PodGroup; only its size is kept in step, the rest is as it
was when it was made. Until it is there, and while it cannot be made or changed, no pod is made,
replaced or removed: a gang without its group would wait for ever, or run in pieces. Kubernetes' own
objects are in `workload_aware.py`. The others read pods alone; people are told where a queue that
such pods need is missing.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from services.reconciler.decisions.raycluster import companions, unshown, workload_aware
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.manifests.schedulers import objects, words
from services.reconciler.manifests.schedulers.gang import Gang, desired_gang
from services.reconciler.manifests.schedulers.volcano import (
    volcano_gang,
    volcano_group_name,
    volcano_problem,
)
from shared.actions.objects import Action, CreateObject, PatchObject, PostNotice
from shared.aggregates.troubles import troubles as troubles_of
from shared.events.decisions import Trouble
from shared.events.objects import ChildSeen
from shared.kernel.manifests import integer_at, mapping_at
from shared.kernel.quantities import parse_quantity
from shared.kernel.schedulers import KAI, KUBERNETES_WAS, SCHEDULER_PLUGINS, VOLCANO
from shared.resources.predicates import creator

RULE = "batch_scheduling"
_SOMEBODY_ELSES = "exists and belongs to something else"
_KINDS: Mapping[str, str] = MappingProxyType(
    {VOLCANO: "volcanopodgroup", SCHEDULER_PLUGINS: "pluginpodgroup"}
)


class Wanted(Struct, frozen=True, kw_only=True):
    """The PodGroup that a cluster shall have."""

    kind: str
    name: str
    manifest: str
    gang: Gang
    problem: str = ""
    """Why it cannot be made."""


def ensure(found: Situation) -> Iterator[Action]:
    """Yield what brings the scheduler's objects about, and keeps them in step."""
    if _scheduler(found) == KUBERNETES_WAS:
        yield from workload_aware.ensure(found)
    wanted = _wanted(found)
    if wanted is not None:
        yield from _pod_group(found, wanted)
    yield from companions.untold(found, _warnings(found))


def holds(found: Situation) -> bool:
    """Whether pods must wait for what the scheduler keeps of the cluster."""
    if _scheduler(found) == KUBERNETES_WAS:
        return workload_aware.holds(found)
    wanted = _wanted(found)
    if wanted is None:
        return False
    refused = [one.message for one in troubles_of(found.view) if one.rule == RULE]
    if _scheduler(found) == SCHEDULER_PLUGINS and _all_taken(refused):
        return False
    return bool(refused) or (wanted.kind, wanted.name) not in found.state.children


def troubles(found: Situation) -> tuple[Trouble, ...]:
    """Return what is in the way without anybody having been asked: a label without sense."""
    wanted = _wanted(found)
    if wanted is None or not wanted.problem or _child(found, wanted) is not None:
        return ()
    return (
        Trouble(
            verb="create",
            rule=RULE,
            kind=wanted.kind,
            name=wanted.name,
            message=wanted.problem,
        ),
    )


def because(found: Situation) -> tuple[str, ...]:
    """Say such a trouble once, so that an act carries it."""
    known = found.view.act.troubles if found.view.act else ()
    return tuple(one.message for one in troubles(found) if one not in known)


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: warnings that people had, changes that did not show."""
    wanted = _wanted(found)
    child = _child(found, wanted) if wanted else None
    if wanted is None or child is None:
        return tuple(_warnings(found))
    return (*_warnings(found), *unshown.marks(found, child, difference(child, wanted.gang)))


def _scheduler(found: Situation) -> str:
    return found.settings.manifests.scheduler


def _wanted(found: Situation) -> Wanted | None:
    cluster = found.cluster
    if _scheduler(found) == VOLCANO and creator(cluster) != "RayJob":
        return Wanted(
            kind=_KINDS[VOLCANO],
            name=volcano_group_name(cluster),
            manifest=objects.VOLCANO_POD_GROUP,
            gang=volcano_gang(cluster),
            problem=volcano_problem(cluster),
        )
    if _scheduler(found) == SCHEDULER_PLUGINS and words.gang_named(cluster):
        return Wanted(
            kind=_KINDS[SCHEDULER_PLUGINS],
            name=cluster.name,
            manifest=objects.PLUGIN_POD_GROUP,
            gang=desired_gang(cluster),
        )
    return None


def _child(found: Situation, wanted: Wanted) -> ChildSeen | None:
    return found.state.children.get((wanted.kind, wanted.name))


def _all_taken(refused: list[str]) -> bool:
    """Whether a PodGroup of somebody else has the name; the pods run in that one then."""
    return bool(refused) and all(_SOMEBODY_ELSES in message for message in refused)


def _pod_group(found: Situation, wanted: Wanted) -> Iterator[CreateObject | PatchObject]:
    kind, name = wanted.kind, wanted.name
    if (kind, name) in found.state.unsettled:
        return
    child = _child(found, wanted)
    if child is None and not wanted.problem:
        yield CreateObject(
            kind=kind,
            name=name,
            manifest=wanted.manifest,
            rule=RULE,
            because=f"pod group {name} is missing",
        )
    elif child is not None and (patch := _due(found, child, wanted.gang)):
        yield PatchObject(
            kind=kind,
            name=name,
            uid=child.meta.uid,
            patch=patch,
            rule=RULE,
            because=f"the gang of pod group {name} is {wanted.gang.members} pods now",
        )


def _due(found: Situation, child: ChildSeen, gang: Gang) -> dict[str, object]:
    """Return the change to ask for: not of what is on its way out, nor one that does not show."""
    patch = difference(child, gang)
    pointless = child.meta.deleted_at is not None or unshown.tried(found, child, patch)
    return {} if pointless else patch


def difference(child: ChildSeen, gang: Gang) -> dict[str, object]:
    """Return the merge patch that gives the PodGroup the gang's size; empty if it has it."""
    seen = mapping_at(child.spec, "minResources")
    alike = integer_at(child.spec, "minMember") == gang.members
    if alike and "minResources" in child.spec and _amounts(seen) == _amounts(gang.resources):
        return {}
    dropped = {name: None for name in seen if name not in gang.resources}
    return {"spec": {"minMember": gang.members, "minResources": {**gang.resources, **dropped}}}


def _amounts(resources: Mapping[str, object]) -> dict[str, int | None]:
    """Return amounts as numbers, so that 1Gi and 1024Mi are the same."""
    read = {name: parse_quantity(text) for name, text in resources.items()}
    return {name: amount.nanos if amount else None for name, amount in read.items()}


def _warnings(found: Situation) -> dict[str, PostNotice]:
    """Return what people have to know, by the mark that says that they do."""
    if _scheduler(found) != KAI or found.cluster.labels.get(words.KAI_QUEUE):
        return {}
    warning = PostNotice(
        warning=True,
        reason="MissingQueueLabel",
        action="Schedule",
        message=f"RayCluster {companions.place(found, found.cluster.name)} has no label "
        f"{words.KAI_QUEUE}: its pods stay pending until it names a queue",
        rule=RULE,
        because=f"label {words.KAI_QUEUE} is missing",
    )
    return {companions.mark(found, "kai-queue"): warning}
