"""What there is to tell of a RayCluster.

Ready means that the head and as many workers as wished are; degraded, that fewer are than there
were while nothing was amiss. A cluster that grows is not degraded, nor is one that shrinks. While
it is being suspended its pods go without further words.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from services.status.lifecycle.pods import (
    fate_of,
    has_failed,
    is_ready,
    note_of,
    reasons_in,
    trouble_of,
)
from services.status.lifecycle.steps import Step
from services.status.reading import readable_cluster
from shared.aggregates.phases import phase_of
from shared.aggregates.raycluster import ENDED, RayClusterState, group_of, raycluster_state
from shared.aggregates.view import View
from shared.events.lifecycle import ClusterState, PodNote
from shared.events.objects import PodSeen
from shared.kernel.counting import counted
from shared.kernel.manifests import integer_at, text_at
from shared.resources.labels import HEAD_GROUP, RECREATE_HASH
from shared.resources.totals import worker_counts

PROVISIONING, READY, DEGRADED = "provisioning", "ready", "degraded"
SUSPENDING, SUSPENDED = "suspending", "suspended"
ClusterStep = Step[ClusterState]


class Facts(Struct, frozen=True, kw_only=True):
    """What is now: the ready head, the ready workers, and what there should be."""

    asleep: str
    """Suspending or suspended, or neither."""
    head: PodSeen | None
    heads: Mapping[str, PodSeen]
    """Every head that is there, by uid, ready or not."""
    workers: Mapping[str, PodSeen]
    seen: Mapping[str, PodSeen]
    """Every pod that is there, by name."""
    desired: int

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """The ready workers by group."""
        groups: dict[str, list[str]] = {}
        for name, pod in sorted(self.workers.items()):
            groups.setdefault(group_of(pod.meta), []).append(name)
        return {group: tuple(names) for group, names in sorted(groups.items())}


def first_state(_: View) -> ClusterState:
    """Return the state of a cluster that has just appeared."""
    return ClusterState(phase=PROVISIONING)


def present_state(view: View) -> ClusterState:
    """Return the state as it is now, for whoever has heard nothing yet."""
    now = _facts(view)
    if now.asleep:
        return ClusterState(phase=now.asleep, desired=now.desired)
    short = now.head is None or len(now.workers) < now.desired
    latched = text_at(view.status, "state") == READY
    phase = READY if not short else (DEGRADED if latched else PROVISIONING)
    return _with_pods(ClusterState(phase=phase), now)


def next_step(told: ClusterState, view: View) -> ClusterStep | None:
    """Return the next thing to tell, if there is one."""
    now = _facts(view)
    if now.asleep or told.phase in (SUSPENDING, SUSPENDED):
        return _sleep(told, now)
    return (
        _head_lost(told, now)
        or _workers_lost(told, now)
        or _head_found(told, now)
        or _workers_found(told, now)
        or _well_or_not(told, now)
    )


def _sleep(told: ClusterState, now: Facts) -> ClusterStep | None:
    if told.phase == now.asleep:
        return None
    if not now.asleep:
        state = ClusterState(phase=PROVISIONING, template=told.template)
        return ClusterStep(what="resumed", because="it is no longer to be suspended", state=state)
    left = replace(told, phase=now.asleep)
    if now.asleep == SUSPENDED:
        left = ClusterState(phase=SUSPENDED, template=told.template)
        return ClusterStep(what=SUSPENDED, because="nothing of it is left", state=left)
    return ClusterStep(what=SUSPENDING, because="it is to be suspended", state=left)


def _head_lost(told: ClusterState, now: Facts) -> ClusterStep | None:
    if not told.head_uid:
        return None
    pod = now.heads.get(told.head_uid)
    if pod is not None and not pod.meta.deleted_at and pod.phase not in ENDED:
        return None
    note = note_of(pod) if pod is not None else PodNote(name=told.head, group=HEAD_GROUP)
    return ClusterStep(
        what="head-lost",
        because=f"head pod {told.head} {fate_of(pod)}",
        state=replace(told, head="", head_uid=""),
        pods=(note,),
    )


def _head_found(told: ClusterState, now: Facts) -> ClusterStep | None:
    if now.head is None or told.head_uid or not _was_ready(told):
        return None
    head = now.head
    upgraded = _template(head) != told.template
    named = replace(told, head=head.meta.name, head_uid=head.meta.uid, template=_template(head))
    if upgraded and told.template:
        because = f"head pod {head.meta.name} is of the new template"
        return ClusterStep(what="upgraded", because=because, state=named, pods=(note_of(head),))
    because = f"head pod {head.meta.name} is ready"
    return ClusterStep(what="head-replaced", because=because, state=named, pods=(note_of(head),))


def _was_ready(told: ClusterState) -> bool:
    return told.phase in (READY, DEGRADED)


def _workers_lost(told: ClusterState, now: Facts) -> ClusterStep | None:
    missing = [name for names in told.workers.values() for name in names if not _there(now, name)]
    failed = [name for name in missing if has_failed(now.seen.get(name))]
    going = failed or missing
    if not going:
        return None
    left = _without(told.workers, going)
    notes = tuple(_lost_note(told, now, name) for name in going)
    words = counted(len(going), "worker")
    if failed:
        because = f"{words} failed: {reasons_in(notes)}"
        state = replace(told, workers=left)
        return ClusterStep(what="workers-failed", because=because, state=state, pods=notes)
    size = min(told.size, max(now.desired, 0))
    state = replace(told, workers=left, size=size, desired=now.desired)
    because = f"{words} {'is' if len(going) == 1 else 'are'} gone"
    return ClusterStep(what="workers-removed", because=because, state=state, pods=notes)


def _there(now: Facts, name: str) -> bool:
    """Whether a worker that was ready is still to be counted on: a hiccup is not told."""
    pod = now.seen.get(name)
    return pod is not None and not pod.meta.deleted_at and not has_failed(pod)


def _workers_found(told: ClusterState, now: Facts) -> ClusterStep | None:
    known = {name for names in told.workers.values() for name in names}
    fresh = {name: pod for name, pod in now.workers.items() if name not in known}
    if not fresh:
        return None
    state = _with_workers(told, {**_kept(told, now), **fresh}, now)
    because = f"{counted(len(fresh), 'worker')} became ready"
    notes = tuple(note_of(pod) for pod in fresh.values())
    return ClusterStep(what="workers-added", because=because, state=state, pods=notes)


def _kept(told: ClusterState, now: Facts) -> dict[str, PodSeen]:
    return {
        name: now.seen[name]
        for names in told.workers.values()
        for name in names
        if name in now.seen
    }


def _with_workers(told: ClusterState, workers: Mapping[str, PodSeen], now: Facts) -> ClusterState:
    groups: dict[str, tuple[str, ...]] = {}
    for name, pod in sorted(workers.items()):
        group = group_of(pod.meta)
        groups[group] = (*groups.get(group, ()), name)
    size = max(told.size, len(workers)) if told.phase == READY else told.size
    return replace(told, workers=groups, size=min(size, now.desired), desired=now.desired)


def _well_or_not(told: ClusterState, now: Facts) -> ClusterStep | None:
    enough = len(now.workers) >= now.desired
    if now.head is not None and enough and told.phase != READY:
        words = counted(len(now.workers), "worker")
        state = _with_pods(replace(told, phase=READY), now)
        return ClusterStep(what=READY, because=f"head and {words} are ready", state=state)
    if told.phase != READY:
        return None
    cause = _cause(told, now)
    if cause is None:
        return None
    return ClusterStep(what=DEGRADED, because=cause, state=replace(told, phase=DEGRADED))


def _cause(told: ClusterState, now: Facts) -> str | None:
    """Say what is amiss with a cluster that was ready."""
    if now.head is None:
        if not told.head_uid:
            return "there is no ready head"
        return f"head pod {told.head} {fate_of(now.heads.get(told.head_uid))}"
    wanted = min(now.desired, told.size)
    if len(now.workers) >= wanted:
        return None
    troubled = [
        words
        for pod in now.seen.values()
        if group_of(pod.meta) != HEAD_GROUP and (words := trouble_of(pod))
    ]
    told_of = f": {troubled[0]}" if troubled else ""
    return f"{len(now.workers)} of {counted(wanted, 'worker')} are ready{told_of}"


def _with_pods(state: ClusterState, now: Facts) -> ClusterState:
    head = now.head
    return replace(
        state,
        head=head.meta.name if head else "",
        head_uid=head.meta.uid if head else "",
        template=_template(head) if head else state.template,
        workers=now.names,
        desired=now.desired,
        size=len(now.workers),
    )


def _template(head: PodSeen) -> str:
    return head.meta.annotations.get(RECREATE_HASH, "")


def _facts(view: View) -> Facts:
    state = raycluster_state(view)
    heads = {pod.meta.uid: pod for pod in _heads(state)}
    phase = phase_of(view.status).partition("/")[0]
    ready = {name: pod for name, pod in state.pods.items() if is_ready(pod)}
    return Facts(
        asleep=phase if phase in (SUSPENDING, SUSPENDED) else "",
        head=next((pod for pod in heads.values() if pod.meta.name in ready), None),
        heads=heads,
        workers={name: pod for name, pod in ready.items() if group_of(pod.meta) != HEAD_GROUP},
        seen=state.pods,
        desired=_desired(view),
    )


def _desired(view: View) -> int:
    """Return how many workers the spec wishes: the status may not have followed it yet."""
    cluster = readable_cluster(view)
    if cluster is None:
        return integer_at(view.status, "desiredWorkerReplicas") or 0
    return worker_counts(cluster).desired


def _heads(state: RayClusterState) -> Iterator[PodSeen]:
    return (pod for pod in state.pods.values() if group_of(pod.meta) == HEAD_GROUP)


def _without(
    workers: Mapping[str, tuple[str, ...]], names: list[str]
) -> dict[str, tuple[str, ...]]:
    gone = set(names)
    left = {
        group: tuple(name for name in held if name not in gone) for group, held in workers.items()
    }
    return {group: held for group, held in left.items() if held}


def _lost_note(told: ClusterState, now: Facts, name: str) -> PodNote:
    pod = now.seen.get(name)
    if pod is not None:
        return note_of(pod)
    group = next(group for group, names in told.workers.items() if name in names)
    return PodNote(name=name, group=group)
