"""An upgrade in steps: capacity for the one cluster, then its traffic, then less for the other.

A cluster gains traffic only while all of its applications run and an endpoint of it is ready, and
not before the interval since the last step has passed; the clock is the status', so that restarts
do not move it. A step that could not be taken at once is not made up for without another look.
Capacity steps resend what that very cluster accepted, never another text. The cluster that loses
need not hear of it: one that cannot be told counts as told. One whose companion vanished gets
everything at once.
"""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from services.reconciler.decisions.rayservice import rollback, serving, shares
from services.reconciler.decisions.rayservice.situation import Situation, read_cluster
from services.reconciler.manifests.rayservice.serving import config_digest, serve_config
from shared.actions.objects import ConfigureServe, Notice, Words
from shared.actions.outcomes import Done
from shared.aggregates import service_steps
from shared.aggregates.expectations import answered
from shared.aggregates.rayservice import ACCEPTED, ACTIVE, CAPACITY, PENDING, head_ready, noted
from shared.aggregates.service_routes import HTTP_ROUTE, route_name, weight_of
from shared.aggregates.service_steps import WHOLE, CapacityStep, capacity_step, traffic_step
from shared.events.decisions import Timer
from shared.events.objects import ResourceSeen
from shared.kernel.instants import read_instant
from shared.kernel.manifests import text_at
from shared.resources.raycluster import RayCluster

STEP = "traffic-step"
"""The timer of the next step."""
ACCEPTED_MAX = 200_000
"""Letters of a configuration that are kept; a longer one is not, and counts as unknown."""

Config = dict[str, object]


def wished_split(found: Situation) -> int:
    """Return the share of the traffic that the pending cluster is to get now."""
    known, step, due = _standing_split(found), _traffic_step(found), _due_at(found)
    if step is None or not _may_gain(found) or (due is not None and found.view.now < due):
        return known
    return known if _route_unsettled(found) else step


def _standing_split(found: Situation) -> int:
    """Return the last wish, or what the route does while who would gain by it takes no requests."""
    wished, state = shares.split(found), found.state
    if state.route is None or _route_unsettled(found):
        return wished
    living = max(0, weight_of(state.route, state.pending_name))
    gaining = state.pending if wished > living else state.active
    return wished if wished == living or shares.serves(found, gaining) else living


def _route_unsettled(found: Situation) -> bool:
    """Whether the route cannot be changed now: a step that is only wished would be late."""
    return found.unsettled(HTTP_ROUTE, route_name(found.service.name))


def reason(found: Situation) -> str:
    """Say why the route is changed."""
    share = wished_split(found)
    if share == shares.split(found):
        return "the route is not as wished"
    back = rollback.direction(found)
    gaining = found.state.active_name if back else found.state.pending_name
    return f"{gaining} gets {WHOLE - share if back else share} percent of the traffic"


def _traffic_step(found: Situation) -> int | None:
    """Return the next step of traffic, whenever it may be taken; None if there is none."""
    if not _upgrading(found) or not shares.settled(found):
        return None
    back = bool(rollback.direction(found))
    return traffic_step(shares.shares_of(found), shares.pace(found), back=back)


def _upgrading(found: Situation) -> bool:
    state = found.state
    return found.incremental and state.active is not None and state.pending is not None


def _may_gain(found: Situation) -> bool:
    """Whether the cluster that is to gain takes requests, and the split of them works."""
    if rollback.direction(found):
        return shares.serves(found, found.state.active)
    return shares.splits(found) and shares.serves(found, found.state.pending)


def _due_at(found: Situation) -> datetime | None:
    """Return when the next step may be taken; None for at once."""
    gaining = ACTIVE if rollback.direction(found) else PENDING
    last = read_instant(text_at(found.view.status, gaining, "lastTrafficMigratedTime"))
    return last + shares.interval(found) if last is not None else None


def timers(found: Situation) -> Iterator[Timer]:
    """Want to be woken for the next step of traffic."""
    due = _due_at(found)
    if _traffic_step(found) is not None and due is not None and found.view.now < due:
        yield Timer(name=STEP, due_at=due, because="traffic stays as it is until the next step")


def _capacity_step(found: Situation) -> CapacityStep | None:
    """Return the step of capacity that is due, to a cluster that has heard what to run."""
    step = _step_of_both(found) if _upgrading(found) else _step_of_one(found)
    seen = _cluster(found, step) if step is not None else None
    telling = {action.cluster for action in serving.configure(found)}
    return None if seen is None or seen.meta.name in telling else step


def _step_of_both(found: Situation) -> CapacityStep | None:
    if not shares.settled(found) or not shares.splits(found) or rollback.held(found):
        return None
    back = bool(rollback.direction(found))
    return capacity_step(shares.shares_of(found), shares.pace(found), back=back)


def _step_of_one(found: Situation) -> CapacityStep | None:
    """Return everything for a cluster whose companion vanished: nobody else is left to run it."""
    state = found.state
    which = service_steps.ACTIVE if state.active is not None else service_steps.PENDING
    alone = state.active or state.pending
    if not found.incremental or alone is None or alone.meta.deleted_at is not None:
        return None
    whole = shares.capacity(found, alone.meta.name) == WHOLE
    return None if whole else CapacityStep(which=which, capacity=WHOLE)


def _cluster(found: Situation, step: CapacityStep) -> ResourceSeen | None:
    return found.state.active if step.which == service_steps.ACTIVE else found.state.pending


def resize(found: Situation) -> Iterator[ConfigureServe]:
    """Tell a cluster how much of what it runs it shall run from now on."""
    step = _capacity_step(found)
    seen = _cluster(found, step) if step is not None else None
    told = _tellable(found, seen) if seen is not None else None
    if step is None or told is None:
        return
    cluster, config = told
    place = f"{found.service.namespace}/{cluster.name}"
    done = f"Updated target_capacity of serve applications to to the RayCluster {place}"
    failed = f"Failed to update target_capacity of serve applications to the RayCluster {place}: "
    yield ConfigureServe(
        cluster=cluster.name,
        digest=serving.accepted(found, cluster.name)[0],
        address=found.address(cluster),
        service=f"{cluster.name}-head-svc",
        secret=found.secret(cluster),
        config={**config, shares.TARGET_CAPACITY: step.capacity},
        rule="capacity",
        because=f"{cluster.name} is to run {step.capacity} percent of its capacity",
        notice=Notice(
            done=Words(reason="UpdatedServeTargetCapacity", message=done),
            refused=Words(reason="FailedToUpdateTargetCapacity", message=failed),
        ),
    )


def _tellable(found: Situation, seen: ResourceSeen) -> tuple[RayCluster, Config] | None:
    """Return a cluster that can be told, with what it accepted; None if it cannot."""
    cluster = read_cluster(seen) if head_ready(seen, found.view) else None
    config = _accepted_config(found, seen.meta.name)
    return (cluster, config) if cluster is not None and config is not None else None


def _accepted_config(found: Situation, cluster: str) -> Config | None:
    """Return the configuration that a cluster accepted; None if that is not known."""
    digest = serving.accepted(found, cluster)[0]
    wished = serve_config(found.service)
    if digest == config_digest(found.service) and not isinstance(wished, str):
        return dict(wished)
    text = _kept(found).get(digest)
    return msgspec.json.decode(text, type=Config) if text is not None else None


def _kept(found: Situation) -> dict[str, str]:
    """Return the configurations that were accepted, by the names of their texts."""
    kept = {}
    for mark in noted(found.view, ACCEPTED):
        digest, _, text = mark.partition("/")
        kept[digest] = text
    act, answer = found.view.act, found.view.answer
    for action, outcome in answered(act, answer) if act and answer else ():
        if isinstance(action, ConfigureServe) and isinstance(outcome, Done):
            config = {k: v for k, v in action.config.items() if k != shares.TARGET_CAPACITY}
            kept[action.digest] = msgspec.json.encode(config).decode()
    return kept


def marks(found: Situation, *, moving: bool = True) -> Iterator[str]:
    """Keep what each cluster was told and accepted, and how traffic is to be split.

    Unless it is `moving`, everything stays as it is.
    """
    if not found.incremental:
        return
    step = _capacity_step(found) if moving else None
    for cluster, known in shares.capacities(found):
        yield f"{CAPACITY}{cluster}/{_counted(found, cluster, step, known)}"
    living = {serving.accepted(found, cluster)[0] for cluster in found.state.clusters}
    for digest, text in sorted(_kept(found).items()):
        if digest in living and len(text) <= ACCEPTED_MAX:
            yield f"{ACCEPTED}{digest}/{text}"
    share = wished_split(found) if moving else shares.split(found)
    yield shares.split_mark(found, share)


def _counted(found: Situation, cluster: str, step: CapacityStep | None, known: int) -> int:
    """Return a cluster's capacity; the losing one's as if told, where it cannot be."""
    seen = _cluster(found, step) if step is not None else None
    if step is None or seen is None or seen.meta.name != cluster:
        return known
    losing = service_steps.PENDING if rollback.direction(found) else service_steps.ACTIVE
    silent = step.which == losing and _upgrading(found) and _tellable(found, seen) is None
    return step.capacity if silent else known
