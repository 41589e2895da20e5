"""The status of a pod that really runs, written by the sandbox's own kubelet's pens. Pure.

What is known of the processes is put into the shape that scripted pods have, so that both kinds
report alike. Read next: `sandbox.controllers.podstatus`.
"""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from sandbox.controllers import containerstatus, podconditions
from sandbox.controllers.containers import Ending, Life
from sandbox.controllers.podstatus import quality
from sandbox.controllers.scenario import PodRule
from sandbox.controllers.timeline import Timeline
from sandbox.controllers.vitals import Vitals
from sandbox.objects import Object, dig, rows, timestamp


class Facts(Struct, frozen=True, kw_only=True):
    """What is known of a pod's processes at one moment."""

    seen_at: datetime
    address: str
    networked_at: datetime | None = None
    inits_done_at: tuple[datetime, ...] = ()
    lives: Mapping[str, Life] = {}
    failed_init: Ending | None = None
    """How the init container ended that nothing can come after."""
    failure: str = ""
    """Why nothing will ever run in this pod."""


def status(pod: Object, facts: Facts, now: datetime, host: str) -> Object:
    """Write the status of a bound pod."""
    vitals = _vitals(pod, facts, now)
    told: Object = {
        "phase": vitals.phase,
        "conditions": podconditions.conditions(vitals),
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        **_address(facts),
        "startTime": dig(pod, "status.startTime") or timestamp(facts.seen_at),
        **containerstatus.init_statuses(vitals),
        "containerStatuses": containerstatus.main_statuses(vitals),
        "qosClass": dig(pod, "status.qosClass") or quality(pod),
    }
    if facts.failure:
        told |= {"phase": "Failed", "reason": "Failed", "message": facts.failure}
    if facts.failed_init is not None:
        row = told["initContainerStatuses"][len(facts.inits_done_at)]
        row |= {"state": {"terminated": _ended(facts.failed_init)}, "started": False}
    return told


def _ended(ending: Ending) -> Object:
    return {
        "exitCode": ending.exit_code,
        "reason": ending.reason,
        "startedAt": timestamp(ending.started_at),
        "finishedAt": timestamp(ending.finished_at),
    }


def _vitals(pod: Object, facts: Facts, now: datetime) -> Vitals:
    plan = Timeline(
        seen_at=facts.seen_at,
        scheduled_at=facts.seen_at,
        inits_done_at=facts.inits_done_at,
        started_at=facts.networked_at,
        pull_failed_at=None,
        pull_abandoned_at=None,
        evicted_at=None,
        stopped_at=None,
    )
    names = [str(each["name"]) for each in rows(pod, "spec.containers")]
    lives = {name: facts.lives.get(name, Life()) for name in names}
    return Vitals(pod=pod, rule=PodRule(), plan=plan, now=now, lives=lives)


def _address(facts: Facts) -> Object:
    if facts.networked_at is None:
        return {}
    return {"podIP": facts.address, "podIPs": [{"ip": facts.address}]}
