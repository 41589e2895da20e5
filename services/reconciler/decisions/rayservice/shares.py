"""How far an upgrade in steps has come: capacity as clusters accepted it, traffic as it was told.

What a cluster was told and what the route is to be are marks, so that they survive restarts and are
not decided twice. A log without any such mark is a new one: then the status is believed.
"""

from collections.abc import Iterator
from datetime import timedelta

from services.reconciler.decisions.rayservice.situation import Situation
from shared.actions.objects import ConfigureServe
from shared.actions.outcomes import Done
from shared.aggregates.expectations import answered
from shared.aggregates.rayservice import (
    ACTIVE,
    CAPACITY,
    PENDING,
    SPLIT,
    all_run,
    noted,
    served,
)
from shared.aggregates.service_routes import (
    ABSENT,
    gateway_name,
    gateway_ready,
    route_ready,
    serve_service_of,
    weight_of,
)
from shared.aggregates.service_steps import WHOLE, Pace, Shares
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import integer_at
from shared.resources.service_options import ClusterUpgradeOptions

TARGET_CAPACITY = "target_capacity"
"""Serve's word for how much of what it was told to run it shall run."""
NOBODY = "-"


def options(found: Situation) -> ClusterUpgradeOptions:
    """Return the steps that the user asked for; validation has seen that they are there."""
    strategy = found.service.spec.upgrade_strategy
    given = strategy.cluster_upgrade_options if strategy else None
    return given or ClusterUpgradeOptions.model_validate({})


def pace(found: Situation) -> Pace:
    """Return how far a step goes."""
    given = options(found)
    surge = given.max_surge_percent
    return Pace(surge=WHOLE if surge is None else surge, step=given.step_size_percent or 0)


def interval(found: Situation) -> timedelta:
    """Return how long traffic stays as it is after a step."""
    return timedelta(seconds=options(found).interval_seconds or 0)


def shares_of(found: Situation) -> Shares:
    """Return capacity and traffic of both clusters."""
    traffic = traffic_told(found)
    return Shares(
        active_capacity=capacity(found, found.state.active_name),
        pending_capacity=capacity(found, found.state.pending_name),
        active_traffic=WHOLE - traffic,
        pending_traffic=traffic,
    )


def traffic_told(found: Situation) -> int:
    """Return the traffic of the pending cluster, as the status tells it."""
    return integer_at(found.view.status, PENDING, "trafficRoutedPercent") or 0


def capacity(found: Situation, cluster: str) -> int:
    """Return the capacity that a cluster was told last."""
    known = _told(found)
    if cluster in known:
        return known[cluster]
    state = found.state
    active = cluster == state.active_name
    written = integer_at(found.view.status, ACTIVE if active else PENDING, "targetCapacity")
    if not known and written is not None:
        return written
    return WHOLE if active or not state.active_name else 0


def _told(found: Situation) -> dict[str, int]:
    """Return the capacity of each cluster that was told one, with what was just accepted."""
    known = {
        cluster: int(share)
        for cluster, _, share in (mark.partition("/") for mark in noted(found.view, CAPACITY))
    }
    act, answer = found.view.act, found.view.answer
    for action, outcome in answered(act, answer) if act and answer else ():
        if isinstance(action, ConfigureServe) and isinstance(outcome, Done):
            share = integer_at(action.config, TARGET_CAPACITY)
            known |= {action.cluster: share} if share is not None else {}
    return known


def capacities(found: Situation) -> Iterator[tuple[str, int]]:
    """Yield the clusters that are there, and what each was told."""
    state = found.state
    for cluster in (state.active, state.pending):
        if cluster is not None:
            yield cluster.meta.name, capacity(found, cluster.meta.name)


def split(found: Situation) -> int:
    """Return the share of the traffic that the pending cluster was last wished to get."""
    pending = found.state.pending
    if pending is None:
        return 0
    marks = noted(found.view, SPLIT)
    for mark in marks:
        cluster, _, share = mark.partition("/")
        if cluster == pending.meta.name:
            return int(share)
    if marks:
        return 0
    living = weight_of(found.state.route, pending.meta.name)
    return traffic_told(found) if living == ABSENT else living


def split_mark(found: Situation, share: int) -> str:
    """Return the mark that keeps what the pending cluster is to get."""
    pending = found.state.pending
    return f"{SPLIT}{pending.meta.name if pending else NOBODY}/{share}"


def serves(found: Situation, seen: ResourceSeen | None) -> bool:
    """Whether all applications run on a cluster, and an endpoint of its own service is ready."""
    return seen is not None and not seen.meta.deleted_at and answers(found, seen.meta.name)


def answers(found: Situation, cluster: str) -> bool:
    """Whether all applications run on a cluster with a ready endpoint, whatever becomes of it."""
    ready = found.state.endpoints(serve_service_of(cluster)) > 0
    return ready and all_run(served(found.view, cluster))


def splits(found: Situation) -> bool:
    """Whether gateway and route work, as far as they tell."""
    state = found.state
    name = gateway_name(found.service.name)
    return gateway_ready(state.gateway) and route_ready(state.route, name)


def settled(found: Situation) -> bool:
    """Whether the route is as it was last wished, and the status has told so."""
    wished, state = split(found), found.state
    shown = weight_of(state.route, state.pending_name) == wished == traffic_told(found)
    return shown and weight_of(state.route, state.active_name) == WHOLE - wished
