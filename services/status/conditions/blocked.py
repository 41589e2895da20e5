"""What is in the way of a resource, as one condition: a cause, which object, and its own words.

The worst comes first (`shared.aggregates.blame`); what merely takes its time is not in the way. A
RayService tells what is in the way of its clusters, from their copies. Of many objects with one
cause the one that was told stays told while it suffers, so that others may come and go in silence;
`same_news` says when only the words have changed. Since when is the time of the condition. With
nothing in the way there is no such condition.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from services.status.conditions.transitions import Conditions, Finding, record
from shared.aggregates.blame import (
    DASHBOARD,
    FINALIZER,
    PATIENT,
    Wait,
    foreign_finalizers,
    wait_of_trouble,
    waits_beside_pods,
    waits_of_pod,
    waits_unseen,
)
from shared.aggregates.obstacles import INVALID, is_ready
from shared.aggregates.raycluster import ENDED, RayClusterState
from shared.aggregates.view import View
from shared.events.decisions import Trouble
from shared.events.objects import PodSeen, ResourceSeen

BLOCKED = "Blocked"


def in_the_way_of_cluster(
    view: View, refused: Iterable[Trouble], state: RayClusterState
) -> Iterator[Wait]:
    """Yield what is in the way of a RayCluster: what its pods suffer from, what was not done."""
    for name, pod in state.pods.items():
        ended = pod.meta.deleted_at is not None and pod.phase in ENDED
        if ended or (name in state.alive and not is_ready(pod)):
            yield from (wait for wait in waits_of_pod(pod) if wait.cause not in PATIENT)
    yield from map(wait_of_trouble, refused)
    yield from waits_unseen(view)


def in_the_way(view: View) -> Iterator[Wait]:
    """Yield what is in the way of a RayJob or RayService, and of its clusters."""
    for wait in waits_beside_pods(view):
        if wait.cause not in PATIENT and wait.cause != INVALID:
            yield wait


def in_the_way_of_deletion(view: View) -> Iterator[Wait]:
    """Yield the finalizers of others, once they alone keep a deleted resource."""
    own = view.own
    if own is None or own.meta.deleted_at is None:
        return
    left = any(isinstance(seen, PodSeen | ResourceSeen) for seen in view.children.values())
    foreign = foreign_finalizers(own.meta.finalizers)
    if foreign and len(foreign) == len(own.meta.finalizers) and not left:
        yield from (wait for wait in waits_beside_pods(view) if wait.cause == FINALIZER)


def tell_blocked(conditions: Conditions, waits: Iterable[Wait], now: datetime) -> None:
    """Put the worst obstacle among the conditions, or take the condition out."""
    obstacles = {object_of(wait): wait for wait in waits}
    if not obstacles:
        conditions.pop(BLOCKED, None)
        return
    worst_rank = min(found.rank for found in obstacles.values())
    worst = {what: found for what, found in obstacles.items() if found.rank == worst_rank}
    former = _object(conditions.get(BLOCKED, {}))
    chosen = former if former in worst else min(worst)
    others = len(obstacles) - 1
    more = f" (and {others} more)" if others else ""
    message = f"{chosen}: {worst[chosen].words}{more}"
    finding = Finding(type=BLOCKED, holds=True, reason=worst[chosen].cause, message=message)
    record(conditions, finding, now)


def object_of(wait: Wait) -> str:
    """Name what is waited for, and the cluster that it belongs to if it is another's."""
    return wait.what if wait.cause == DASHBOARD else wait.where


def same_news(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether two `Blocked` conditions differ in their words only, not in cause or object."""
    return _without_words(one) == _without_words(other)


def _without_words(condition: Mapping[str, object]) -> dict[str, object]:
    return {**condition, "message": _object(condition)}


def _object(condition: Mapping[str, object]) -> str:
    return str(condition.get("message", "")).partition(":")[0]
