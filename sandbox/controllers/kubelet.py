"""Scheduler and kubelet: takes pods from created to running, ready, ended and gone.

The order of concerns only; what a status says is in podstatus.py, when things happen in
timeline.py. Two moments are stored on the pod itself (`seen-at`, `stopping-at`), since Kubernetes'
own timestamps count whole seconds. A pod that has ended never changes again. Read next:
timeline.py.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from sandbox.controllers import podconditions
from sandbox.controllers.addresses import node_address
from sandbox.controllers.nodes import place
from sandbox.controllers.podstatus import quality, report
from sandbox.controllers.scenario import PodRule, Scenario
from sandbox.controllers.timeline import (
    SEEN_AT,
    STOPPING_AT,
    plan,
    precise,
    seconds,
    seen_at,
    stopping_at,
)
from sandbox.controllers.told import told_exits
from sandbox.controllers.world import PutObject, PutStatus, RemoveObject, Steps, World, joined
from sandbox.objects import (
    Object,
    dig,
    metadata,
    name_of,
    namespace_of,
    rows,
    timestamp,
    with_metadata,
)


def step(world: World, now: datetime, scenario: Scenario) -> Steps:
    """Move every pod to where it should be at `now`."""
    nodes = list(world.objects("nodes"))
    return joined(move(pod, nodes, now, scenario) for pod in world.objects("pods"))


def move(pod: Object, nodes: Sequence[Object], now: datetime, scenario: Scenario) -> Steps:
    """Move one pod to where it should be at `now`."""
    idle = not scenario.kubelet or _settled(pod, scenario)
    return Steps() if idle else _pod(pod, nodes, now, scenario)


def _pod(pod: Object, nodes: Sequence[Object], now: datetime, scenario: Scenario) -> Steps:
    if metadata(pod).get("deletionTimestamp"):
        return _stop(pod, nodes, now, scenario)
    if not dig(pod, "spec.nodeName"):
        return _schedule(pod, nodes, now, scenario)
    if scenario.pod_lost(pod):
        return _lose(pod, now)
    return _run(pod, nodes, now, scenario)


def _settled(pod: Object, scenario: Scenario) -> bool:
    """Tell at a glance that nothing is to be done, whatever the time."""
    if metadata(pod).get("deletionTimestamp"):
        return False
    if _ended(pod):
        return True
    if not _ready(pod) or dig(pod, "spec.readinessGates"):
        return False
    if told_exits(pod):
        return False
    return not scenario.rule_for(pod).eventful and not scenario.pod_lost(pod)


def _schedule(pod: Object, nodes: Sequence[Object], now: datetime, scenario: Scenario) -> Steps:
    seen = seen_at(pod)
    due = (seen or now) + seconds(scenario.rule_for(pod).schedule_after)
    marked = pod if seen else _marked(pod, SEEN_AT, now)
    if due > now:
        return Steps(changes=() if seen else (_put(_pending(marked)),), next_at=due)
    placement = place(pod, nodes, scenario)
    if placement.node:
        bound = {**marked, "spec": {**marked["spec"], "nodeName": placement.node}}
        started = _run(_pending(bound), nodes, now, scenario)
        status = [change.object for change in started.changes if isinstance(change, PutStatus)]
        return Steps(changes=(_put((status or [bound])[-1]),), next_at=started.next_at)
    waiting = _pending(marked)
    told = podconditions.unscheduled(pod, placement.refusal, timestamp(now))
    waiting["status"] = {**waiting["status"], "conditions": told}
    return Steps(changes=() if waiting == pod else (_put(waiting),))


def _run(pod: Object, nodes: Sequence[Object], now: datetime, scenario: Scenario) -> Steps:
    rule = _with_told(scenario.rule_for(pod), pod)
    name = str(dig(pod, "spec.nodeName"))
    node = next((node for node in nodes if name_of(node) == name), None)
    timeline = plan(pod, rule, seen_at(pod) or now)
    told = report(pod, rule, timeline, now, node_address(node, name))
    return Steps(changes=_status_change(pod, told.status), next_at=told.next_at)


def _with_told(rule: PodRule, pod: Object) -> PodRule:
    told = told_exits(pod)
    return replace(rule, exits=(*rule.exits, *told)) if told else rule


def _stop(pod: Object, nodes: Sequence[Object], now: datetime, scenario: Scenario) -> Steps:
    if not dig(pod, "spec.nodeName") or _ended(pod):
        return Steps(changes=_removal(pod))
    if scenario.pod_lost(pod):
        return _lose(pod, now)
    if stopping_at(pod) is None:
        marked = _marked(pod, STOPPING_AT, now)
        due = plan(marked, scenario.rule_for(pod), now).stopped_at
        return Steps(changes=(_put(marked),), next_at=due)
    told = _run(pod, nodes, now, scenario)
    due = plan(pod, scenario.rule_for(pod), now).stopped_at
    over = due is not None and due <= now
    return Steps(changes=(*told.changes, *(_removal(pod) if over else ())), next_at=told.next_at)


def _lose(pod: Object, now: datetime) -> Steps:
    if not _ready(pod):
        return Steps()
    status = {**pod["status"], "conditions": podconditions.unready(pod, timestamp(now))}
    return Steps(changes=_status_change(pod, status))


def _status_change(pod: Object, status: Object) -> tuple[PutStatus, ...]:
    if pod.get("status") == status:
        return ()
    return (PutStatus(plural="pods", object={**pod, "status": status}),)


def _removal(pod: Object) -> tuple[RemoveObject, ...]:
    """Ask for the pod's removal, unless that was asked and finalizers hold it."""
    meta = metadata(pod)
    if meta.get("finalizers") and meta.get("deletionGracePeriodSeconds") == 0:
        return ()
    return (
        RemoveObject(
            plural="pods", namespace=namespace_of(pod), name=name_of(pod), uid=meta.get("uid", "")
        ),
    )


def _put(pod: Object) -> PutObject:
    return PutObject(plural="pods", object=pod)


def _marked(pod: Object, key: str, now: datetime) -> Object:
    annotations = {**(metadata(pod).get("annotations") or {}), key: precise(now)}
    return with_metadata(pod, annotations=annotations)


def _pending(pod: Object) -> Object:
    known = pod.get("status") or {}
    return {**pod, "status": {"phase": "Pending", "qosClass": quality(pod), **known}}


def _ended(pod: Object) -> bool:
    return dig(pod, "status.phase") in {"Succeeded", "Failed"}


def _ready(pod: Object) -> bool:
    return any(
        entry.get("type") == "Ready" and entry.get("status") == "True"
        for entry in rows(pod, "status.conditions")
    )
