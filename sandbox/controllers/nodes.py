"""Nodes: which one a pod goes to, and whether it still answers.

Without node objects every pod goes to the scenario's default node. A pod's node is chosen by its
uid, so the same pod always lands in the same place. A node named lost turns NotReady and is given
no new pods; when it is no longer named it comes back. Read next: kubelet.py.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from sandbox.controllers.addresses import fingerprint
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import PutStatus, Steps, World, joined
from sandbox.objects import Object, dig, metadata, name_of, rows, timestamp


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """A node's name, or why there is none."""

    node: str = ""
    refusal: str = ""


def place(pod: Object, nodes: Sequence[Object], scenario: Scenario) -> Placement:
    """Choose a node for a pod."""
    rule = scenario.rule_for(pod)
    if rule.unschedulable:
        return Placement(refusal=rule.unschedulable)
    if not nodes:
        return Placement(node=scenario.default_node)
    wanted = dig(pod, "spec.nodeSelector") or {}
    up = [node for node in nodes if _takes_pods(node, scenario)]
    fitting = sorted(name_of(node) for node in up if _labelled(node, wanted))
    if not fitting:
        return Placement(refusal=_refusal(len(nodes), len(up)))
    seed = int(fingerprint(str(metadata(pod).get("uid") or name_of(pod)))[:8], 16)
    return Placement(node=fitting[seed % len(fitting)])


def step(world: World, now: datetime, scenario: Scenario) -> Steps:
    """Keep the Ready condition of every node true."""
    return joined(keep(node, now, scenario) for node in world.objects("nodes"))


def keep(node: Object, now: datetime, scenario: Scenario) -> Steps:
    """Keep the Ready condition of one node true."""
    wanted = _condition(node, timestamp(now), lost=scenario.node_lost(name_of(node)))
    others = [entry for entry in rows(node, "status.conditions") if entry["type"] != "Ready"]
    if wanted in rows(node, "status.conditions"):
        return Steps()
    status = {**(node.get("status") or {}), "conditions": [*others, wanted]}
    return Steps(changes=(PutStatus(plural="nodes", object={**node, "status": status}),))


def _takes_pods(node: Object, scenario: Scenario) -> bool:
    return not dig(node, "spec.unschedulable") and not scenario.node_lost(name_of(node))


def _labelled(node: Object, wanted: Object) -> bool:
    labels = metadata(node).get("labels") or {}
    return all(labels.get(key) == value for key, value in wanted.items())


def _refusal(total: int, up: int) -> str:
    reasons = []
    if total > up:
        reasons.append(f"{total - up} node(s) were unschedulable")
    if up:
        reasons.append(f"{up} node(s) didn't match Pod's node affinity/selector")
    return f"0/{total} nodes are available: {', '.join(reasons)}."


def _condition(node: Object, at: str, *, lost: bool) -> Object:
    status = "Unknown" if lost else "True"
    before = next((c for c in rows(node, "status.conditions") if c["type"] == "Ready"), None)
    if before is not None and before.get("status") == status:
        return before
    return {
        "type": "Ready",
        "status": status,
        "reason": "NodeStatusUnknown" if lost else "KubeletReady",
        "message": "Kubelet stopped posting node status."
        if lost
        else "kubelet is posting ready status",
        "lastHeartbeatTime": at,
        "lastTransitionTime": at,
    }
