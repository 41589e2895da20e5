"""What a resource is waiting for. Pure.

A wait has a cause of a few words, the object that it is about and that object's own words. The
worst comes first: what concerns the head, then what is in the way, then what only takes its time.
What a RayCluster waits for is what its RayJob or RayService waits for: it is told there with the
cluster that it came through. `since` is known where an object or a status tells it; whoever has the
history knows better (`heliograph.views.waits`).
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from shared.aggregates.obstacles import (
    UNAVAILABLE,
    WORST_FIRST,
    Obstacle,
    cause_of_refusal,
    is_ready,
    obstacle_of_pod,
    obstacle_of_trouble,
)
from shared.aggregates.phases import SERVICE_CLUSTERS
from shared.aggregates.raycluster import ENDED, group_of, owned_by
from shared.aggregates.rayjob import OVER
from shared.aggregates.troubles import troubles
from shared.aggregates.view import View
from shared.events.decisions import Trouble
from shared.events.objects import ObjectGone, PodSeen, ResourceSeen
from shared.events.told import FAILED, FOUND, JobTold, ServeTold
from shared.kernel.instants import read_instant
from shared.kernel.manifests import entries_at, flag_at, text_at
from shared.resources.labels import HEAD_GROUP
from shared.resources.predicates import OPERATOR

FINALIZER, NOT_READY, DASHBOARD = "Finalizer", "NotReady", "Dashboard"
OUT_OF_SIGHT = "OutOfSight"
SERVE_FAILED = "ServeFailed"
SUSPENDED, HANDED_OVER = "Suspended", "HandedOver"
PARKED, UNREADABLE = "Parked", "Unreadable"
CANNOT = "this version cannot "
"""How every word begins about a resource that we cannot go on with."""
TERMINATING, SERVE, STARTING, ANSWER = "Terminating", "Serve", "Starting", "Answer"
ALL_CAUSES = (
    *(
        FINALIZER,
        PARKED,
        UNREADABLE,
        SUSPENDED,
        HANDED_OVER,
        *WORST_FIRST,
        OUT_OF_SIGHT,
        NOT_READY,
        DASHBOARD,
        SERVE_FAILED,
    ),
    *(TERMINATING, SERVE, STARTING, ANSWER),
)
"""Every cause of a wait, the worst first."""
PATIENT = frozenset({TERMINATING, SERVE, STARTING, ANSWER})
"""What only takes its time: nothing is wrong."""

_OURS = ("ray.io/", "heliograph.dev/")
_KUBERNETES = frozenset({"foregroundDeletion", "orphan"})
_WELL = "RUNNING"
_ILL = frozenset({"DEPLOY_FAILED", "UNHEALTHY"})
"""What Serve calls an application that does not get well by waiting."""
_NOT_KNOWN = {
    "create": "whether it was made is not known",
    "delete": "whether it was deleted is not known",
    "change": "whether it was changed is not known",
    "gone": "whether it is gone is not known",
}
_SURELY = 2
"""So often read and not seen in between is no watch that is late."""
NO_VIEWS: Mapping[str, View] = MappingProxyType({})


class Wait(Struct, frozen=True, kw_only=True):
    """One thing that is waited for."""

    cause: str
    what: str
    """Which object, such as `pod demo-head`."""
    words: str
    of_head: bool = False
    since: datetime | None = None
    through: str = ""
    """The cluster whose wait this is, if it is not the resource's own."""

    @property
    def where(self) -> str:
        """Which object, and whose it is if that is another."""
        return (
            f"{self.what} of {self.through}" if self.through not in ("", self.what) else self.what
        )

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Lower is worse."""
        return self.cause in PATIENT, not self.of_head, ALL_CAUSES.index(self.cause)


def waits(view: View, below: Mapping[str, View] = NO_VIEWS) -> tuple[Wait, ...]:
    """Return everything a resource waits for, the worst first; `below` are views of its clusters.

    Without the view of a cluster its status is taken at its word.
    """
    if view.own is None:
        return ()
    found = [*waits_beside_pods(view, below)]
    for body in view.children.values():
        if isinstance(body, PodSeen) and owned_by(body.meta, view.own.meta.uid):
            found.extend(waits_of_pod(body))
    return tuple(sorted(found, key=lambda one: (one.rank, one.what)))


def waits_of_pod(pod: PodSeen) -> Iterator[Wait]:
    """Yield what one pod waits for: at most one thing."""
    what, of_head = f"pod {pod.meta.name}", group_of(pod.meta) == HEAD_GROUP
    if pod.meta.deleted_at is not None:
        foreign = foreign_finalizers(pod.meta.finalizers)
        cause = FINALIZER if foreign else TERMINATING
        words = f"held by {', '.join(foreign)}" if foreign else "it is ending"
        yield Wait(cause=cause, what=what, words=words, of_head=of_head, since=pod.meta.deleted_at)
        return
    obstacle = obstacle_of_pod(pod)
    if obstacle is not None:
        yield _of_obstacle(obstacle)
    elif not is_ready(pod) and pod.phase not in ENDED:
        cause, words = _unready(pod)
        since = pod.meta.created_at if pod.phase in ("", "Pending") else None
        yield Wait(cause=cause, what=what, words=words, of_head=of_head, since=since)


def waits_beside_pods(view: View, below: Mapping[str, View] = NO_VIEWS) -> Iterator[Wait]:
    """Yield what a resource waits for that no pod of its own tells."""
    if view.own is None:
        return
    yield from _held(view.own)
    yield from parked(view)
    yield from map(wait_of_trouble, troubles(view))
    yield from waits_unseen(view)
    yield from _unanswered(view)
    yield from _clusters(view, below)
    if view.open and view.act is not None:
        yield Wait(
            cause=ANSWER,
            what=f"{view.key.kind} {view.key.name}",
            words="what was decided last has no answer yet",
            since=view.act.decided_at,
        )


def foreign_finalizers(finalizers: tuple[str, ...]) -> tuple[str, ...]:
    """Return the finalizers that neither we nor Kubernetes itself take away."""
    return tuple(one for one in finalizers if one not in _KUBERNETES and not one.startswith(_OURS))


def wait_of_trouble(trouble: Trouble) -> Wait:
    """Return what was refused, or is awaited, as a wait."""
    return _of_obstacle(obstacle_of_trouble(trouble))


def _of_obstacle(obstacle: Obstacle) -> Wait:
    return Wait(
        cause=obstacle.cause, what=obstacle.what, words=obstacle.words, of_head=obstacle.of_head
    )


def _unready(pod: PodSeen) -> tuple[str, str]:
    """Say why a pod is not ready that suffers from nothing it tells of."""
    if any(one.type == "ContainersReady" and one.status == "True" for one in pod.conditions):
        node = f" {pod.node}" if pod.node else ""
        return NOT_READY, f"its containers are well and it is not: its node{node} may be lost"
    waiting = [one for one in (*pod.init_containers, *pod.containers) if one.state == "waiting"]
    reasons = [one.reason for one in waiting if one.reason]
    told = f" ({reasons[0]})" if reasons else ""
    return STARTING, f"it is {pod.phase or 'new'} and not ready yet{told}"


def parked(view: View) -> Iterator[Wait]:
    """Yield that the rules broke over a resource: until that ends nothing is decided about it."""
    if view.parked:
        words = (
            f"{CANNOT}decide about it ({view.parked}); "
            "it waits for another spec or another version, and its pods are left as they are"
        )
        what = f"{view.key.kind} {view.key.name}"
        yield Wait(cause=PARKED, what=what, words=words, of_head=True)


def _held(own: ResourceSeen) -> Iterator[Wait]:
    foreign = foreign_finalizers(own.meta.finalizers)
    if own.meta.deleted_at is not None and foreign:
        what = f"finalizer {', '.join(foreign)}"
        words = "it is somebody else's, who has to take it away"
        yield Wait(cause=FINALIZER, what=what, words=words, since=own.meta.deleted_at)


def waits_unseen(view: View) -> Iterator[Wait]:
    """Yield what nobody could tell the outcome of, and what is there and never shows."""
    for entry in view.expectations:
        what, of_head = f"{entry.kind} {entry.name}", entry.group == HEAD_GROUP
        if entry.error:
            told = "it cannot be read" if entry.resource_version else _NOT_KNOWN[entry.what]
            words = f"{told}: {entry.error}"
            cause = cause_of_refusal(entry.error, otherwise=UNAVAILABLE)
            yield Wait(cause=cause, what=what, words=words, of_head=of_head)
        elif entry.asked >= _SURELY and entry.what != "gone":
            words = "it is there and no watch shows it: were its labels changed?"
            yield Wait(cause=OUT_OF_SIGHT, what=what, words=words, of_head=of_head)


def _unanswered(view: View) -> Iterator[Wait]:
    """Yield the questions to dashboards that nobody answers, and applications on their way."""
    for want in view.act.wants if view.act else ():
        heard = view.told.get(want.name)
        if heard is None or not isinstance(heard.body, JobTold | ServeTold):
            continue
        service = want.service if hasattr(want, "service") else want.name
        if heard.body.answer == FAILED:
            words = f"it cannot be asked: {heard.body.failure}"
            what = f"dashboard {service}"
            yield Wait(cause=DASHBOARD, what=what, words=words, since=heard.at, of_head=True)
        elif isinstance(heard.body, ServeTold) and heard.body.answer == FOUND:
            yield from _applications(heard.body)


def _applications(told: ServeTold) -> Iterator[Wait]:
    for name, one in sorted(told.applications.items()):
        if one.status != _WELL:
            words = f"it is {one.status}" + (f": {one.message}" if one.message else "")
            cause = SERVE_FAILED if one.status in _ILL else SERVE
            yield Wait(cause=cause, what=f"application {name or 'default'}", words=words)


def _clusters(view: View, below: Mapping[str, View]) -> Iterator[Wait]:
    """Yield what the clusters of a RayJob or RayService wait for."""
    if text_at(view.status, "jobDeploymentStatus") in OVER:
        return
    wanted = {text_at(view.status, which, "rayClusterName") for which in SERVICE_CLUSTERS}
    for name in sorted({text_at(view.status, "rayClusterName"), *wanted} - {""}):
        seen = view.children.get(("raycluster", name))
        if isinstance(seen, ResourceSeen):
            yield from _in_others_hands(seen)
        if name in below:
            for wait in waits(below[name]):
                yield replace(wait, through=f"raycluster {name}")
        elif isinstance(seen, ResourceSeen):
            yield from _as_it_tells(seen)
        elif isinstance(seen, ObjectGone):
            yield Wait(cause=STARTING, what=f"raycluster {name}", words="it is gone")


def _in_others_hands(cluster: ResourceSeen) -> Iterator[Wait]:
    """Yield what a cluster waits for that neither we nor its RayJob or RayService can do."""
    what, manager = f"raycluster {cluster.meta.name}", text_at(cluster.spec, "managedBy")
    if cluster.meta.deleted_at is not None:
        return
    if flag_at(cluster.spec, "suspend") is True:
        words = "it is suspended, and only its own spec.suspend lets it go on"
        yield Wait(cause=SUSPENDED, what=what, words=words, of_head=True)
    if manager not in ("", OPERATOR) and not cluster.status:
        words = f"{manager} looks after it, as its spec.managedBy says, and has told nothing yet"
        yield Wait(cause=HANDED_OVER, what=what, words=words, of_head=True)


def _as_it_tells(cluster: ResourceSeen) -> Iterator[Wait]:
    """Take a cluster's own status for what it waits for."""
    name = f"raycluster {cluster.meta.name}"
    if cluster.meta.deleted_at is not None:
        held = tuple(_held(cluster))
        yield from (replace(wait, through=name) for wait in held)
        if not held:
            going = cluster.meta.deleted_at
            yield Wait(cause=TERMINATING, what=name, words="it is ending", since=going)
        return
    for condition in entries_at(cluster.status, "conditions"):
        cause = text_at(condition, "reason")
        holds = condition.get("status") == "True"
        if condition.get("type") == "Blocked" and holds and cause in ALL_CAUSES:
            what, _, words = text_at(condition, "message").partition(": ")
            since = read_instant(text_at(condition, "lastTransitionTime"))
            yield Wait(cause=cause, what=what, words=words, since=since, through=name)
            return
    if text_at(cluster.status, "state") not in ("ready", "suspended"):
        since = cluster.meta.created_at
        yield Wait(cause=STARTING, what=name, words="it is not ready yet", since=since)
