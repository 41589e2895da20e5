"""When things happen to a pod, computed from its spec, its rule and the moment it was first seen.

The life of a pod is a function of time: nothing is remembered between steps but the moments stored
on the pod itself, so a step can be repeated, skipped or resumed by another process. Every answer
comes with the next moment at which it changes. Read next: containers.py, podstatus.py.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import msgspec

from sandbox.controllers.scenario import PodRule
from sandbox.objects import Object, metadata, moment, rows

SEEN_AT = "sandbox.heliograph.dev/seen-at"
STOPPING_AT = "sandbox.heliograph.dev/stopping-at"


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """The planned moments of one pod; None for what will not happen."""

    seen_at: datetime
    scheduled_at: datetime | None
    inits_done_at: tuple[datetime, ...]
    started_at: datetime | None
    pull_failed_at: datetime | None
    pull_abandoned_at: datetime | None
    evicted_at: datetime | None
    stopped_at: datetime | None

    def next_after(self, now: datetime) -> datetime | None:
        """Find the next moment of the plan."""
        planned = (
            self.scheduled_at,
            *self.inits_done_at,
            self.started_at,
            self.pull_failed_at,
            self.pull_abandoned_at,
            self.evicted_at,
            self.stopped_at,
        )
        return earliest(planned, now)


def plan(pod: Object, rule: PodRule, seen_at: datetime) -> Timeline:
    """Plan a pod's life from the moment it was first seen."""
    scheduled = None if rule.unschedulable else seen_at + seconds(rule.schedule_after)
    inits = _inits_done(pod, rule, scheduled)
    initialized = inits[-1] if inits else scheduled
    started = initialized and initialized + seconds(rule.run_after)
    pulls = not rule.image_pull_error
    failed = None if pulls or scheduled is None else scheduled + seconds(rule.run_after)
    return Timeline(
        seen_at=seen_at,
        scheduled_at=scheduled,
        inits_done_at=inits if pulls else (),
        started_at=started if pulls else None,
        pull_failed_at=failed,
        pull_abandoned_at=failed and failed + seconds(rule.restart_after),
        evicted_at=_evicted_at(rule, seen_at, started),
        stopped_at=_stopped_at(pod, rule),
    )


def seen_at(pod: Object) -> datetime | None:
    """Read when the pod was first seen; a bound pod without the mark counts from its creation."""
    marked = _mark(pod, SEEN_AT)
    created = metadata(pod).get("creationTimestamp")
    if marked is None and (pod.get("spec") or {}).get("nodeName") and created:
        return moment(created)
    return marked


def stopping_at(pod: Object) -> datetime | None:
    """Read when the kubelet began to stop the pod."""
    return _mark(pod, STOPPING_AT)


def precise(at: datetime) -> str:
    """Print a moment with its microseconds, for marks on objects."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def earliest(moments: Iterable[datetime | None], now: datetime) -> datetime | None:
    """Find the nearest of the moments that are still to come."""
    return min((at for at in moments if at is not None and at > now), default=None)


def seconds(span: float) -> timedelta:
    """Read a span as scenarios write it."""
    return timedelta(seconds=span)


def is_sidecar(init: Object) -> bool:
    """Tell whether an init container stays running beside the others."""
    return init.get("restartPolicy") == "Always"


def _mark(pod: Object, key: str) -> datetime | None:
    text = (metadata(pod).get("annotations") or {}).get(key)
    return moment(text) if text else None


def _inits_done(pod: Object, rule: PodRule, scheduled: datetime | None) -> tuple[datetime, ...]:
    done: list[datetime] = []
    at = scheduled
    for init in rows(pod, "spec.initContainers"):
        if at is not None:
            at += seconds(0 if is_sidecar(init) else rule.init_after)
            done.append(at)
    return tuple(done)


def _evicted_at(rule: PodRule, seen: datetime, started: datetime | None) -> datetime | None:
    """Say when the pod is put out; a moment before its time does not concern it."""
    if rule.evicted_after is not None and started is not None:
        return started + seconds(rule.evicted_after)
    return rule.evicted_at if rule.evicted_at is not None and rule.evicted_at > seen else None


def _stopped_at(pod: Object, rule: PodRule) -> datetime | None:
    begun = stopping_at(pod)
    if begun is None:
        return None
    grace = metadata(pod).get("deletionGracePeriodSeconds")
    allowed = rule.terminate_after if grace is None else min(rule.terminate_after, float(grace))
    return begun + seconds(allowed)
