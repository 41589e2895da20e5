"""The status of a pod at one moment, as a kubelet would report it.

A pure function of the pod, its plan and its rule; what the old status already says is kept where it
still holds (transition times, conditions of others), so asking twice gives the same answer.
Read next: containerstatus.py for the parts, kubelet.py for who asks.
"""

from datetime import datetime

import msgspec

from sandbox.controllers import containerstatus, podconditions
from sandbox.controllers.addresses import pod_address
from sandbox.controllers.scenario import PodRule
from sandbox.controllers.timeline import Timeline, earliest
from sandbox.controllers.vitals import Vitals, take_vitals
from sandbox.objects import Object, dig, rows, timestamp


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A status, and when it changes by itself."""

    status: Object
    next_at: datetime | None = None


def report(pod: Object, rule: PodRule, plan: Timeline, now: datetime, host: str) -> Report:
    """Write the status of a bound pod."""
    vitals = take_vitals(pod, rule, plan, now)
    status: Object = {
        "phase": vitals.phase,
        "conditions": podconditions.conditions(vitals),
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        **_address(vitals, host),
        "startTime": dig(pod, "status.startTime") or timestamp(now),
        **containerstatus.init_statuses(vitals),
        "containerStatuses": containerstatus.main_statuses(vitals),
        "qosClass": dig(pod, "status.qosClass") or quality(pod),
    }
    if vitals.evicted:
        status |= {"reason": "Evicted", "message": rule.evicted_because}
    upcoming = (plan.next_after(now), *(life.next_at for life in vitals.lives.values()))
    return Report(status=status, next_at=earliest(upcoming, now))


def quality(pod: Object) -> str:
    """Name the quality-of-service class: what the containers ask for and are limited to."""
    asked = [container.get("resources") or {} for container in rows(pod, "spec.containers")]
    if not any(entry.get("requests") or entry.get("limits") for entry in asked):
        return "BestEffort"
    return "Guaranteed" if all(_fixed(entry) for entry in asked) else "Burstable"


def _fixed(resources: Object) -> bool:
    limits = resources.get("limits") or {}
    requests = resources.get("requests") or {}
    return all(
        name in limits and requests.get(name, limits[name]) == limits[name]
        for name in ("cpu", "memory")
    )


def _address(vitals: Vitals, host: str) -> Object:
    known = dig(vitals.pod, "status.podIP")
    if known is None and not vitals.sandboxed:
        return {}
    address = known or (host if dig(vitals.pod, "spec.hostNetwork") else pod_address(vitals.pod))
    return {"podIP": address, "podIPs": [{"ip": address}]}
