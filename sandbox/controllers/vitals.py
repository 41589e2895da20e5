"""Everything about a pod at one moment that its status is written from.

Derived from the plan and the rule alone; see timeline.py and containers.py. Read next:
podstatus.py.
"""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from sandbox.controllers.containers import Life, life_at, stopped
from sandbox.controllers.scenario import PodRule
from sandbox.controllers.timeline import Timeline
from sandbox.objects import Object, dig, rows


class Vitals(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a pod at one moment that the status is written from."""

    pod: Object
    rule: PodRule
    plan: Timeline
    now: datetime
    lives: Mapping[str, Life]

    @property
    def inits_done(self) -> int:
        """Count the init containers that have had their turn."""
        return sum(at <= self.now for at in self.plan.inits_done_at)

    @property
    def initialized(self) -> bool:
        """Tell whether every init container is done."""
        return self.inits_done == len(list(rows(self.pod, "spec.initContainers")))

    @property
    def evicted(self) -> bool:
        """Tell whether the kubelet has put the pod out."""
        return self.plan.evicted_at is not None and self.plan.evicted_at <= self.now

    @property
    def stopped(self) -> bool:
        """Tell whether the pod has been stopped because it is deleted."""
        return self.plan.stopped_at is not None and self.plan.stopped_at <= self.now

    @property
    def phase(self) -> str:
        """Name the phase."""
        codes = [life.last.exit_code for life in self.lives.values() if life.last]
        if self.evicted:
            return "Failed"
        if self.stopped or all(life.finished for life in self.lives.values()):
            succeeded = len(codes) == len(self.lives) and not any(codes)
            return "Succeeded" if succeeded else "Failed"
        if codes or any(life.running for life in self.lives.values()):
            return "Running"
        return "Pending"

    @property
    def ended(self) -> bool:
        """Tell whether nothing will run in this pod again."""
        return self.phase in {"Succeeded", "Failed"}

    @property
    def sandboxed(self) -> bool:
        """Tell whether the pod has its network, so that containers can run in it."""
        since = self.plan.scheduled_at if self.plan.inits_done_at else self.plan.started_at
        return since is not None and since <= self.now


def take_vitals(pod: Object, rule: PodRule, plan: Timeline, now: datetime) -> Vitals:
    """Look at a pod at one moment."""
    policy = dig(pod, "spec.restartPolicy") or "Always"
    ends = [at for at in (plan.evicted_at, plan.stopped_at) if at is not None and at <= now]
    until = min(ends, default=now)
    lives = {
        container["name"]: life_at(
            container["name"],
            rule,
            container.get("restartPolicy") or policy,
            plan.started_at,
            until,
        )
        for container in rows(pod, "spec.containers")
    }
    if ends:
        lives = {name: stopped(life, rule.exit_code_on_stop, until) for name, life in lives.items()}
    return Vitals(pod=pod, rule=rule, plan=plan, now=now, lives=lives)
