"""What a Job's pods add up to, and the status that says so.

A job is over when it has a Complete or a Failed condition; then its status never changes again.
Read next: jobs.py.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from sandbox.objects import Object, dig, metadata, moment, rows, timestamp


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The pods of one job, counted."""

    active: tuple[Object, ...]
    ready: int
    succeeded: int
    failed: int
    terminating: int


def tally(job: Object, pods: Sequence[Object]) -> Tally:
    """Count a job's pods; finished pods that are gone by now still count."""
    phases = [dig(pod, "status.phase") for pod in pods]
    alive = [pod for pod in pods if dig(pod, "status.phase") not in {"Succeeded", "Failed"}]
    active = tuple(pod for pod in alive if not metadata(pod).get("deletionTimestamp"))
    return Tally(
        active=active,
        ready=sum(_ready(pod) for pod in active),
        succeeded=max(phases.count("Succeeded"), dig(job, "status.succeeded") or 0),
        failed=max(phases.count("Failed"), dig(job, "status.failed") or 0),
        terminating=len(alive) - len(active),
    )


def finished_at(job: Object) -> datetime | None:
    """Say when the job was over, if it is."""
    for entry in rows(job, "status.conditions"):
        if entry["type"] in {"Complete", "Failed"} and entry["status"] == "True":
            return moment(entry["lastTransitionTime"])
    return None


def status_of(job: Object, count: Tally, now: datetime) -> Object:
    """Write a job's status."""
    suspended = bool(dig(job, "spec.suspend"))
    started = None if suspended else dig(job, "status.startTime") or timestamp(now)
    conditions = _conditions(job, count, started, now)
    completed = any(entry["type"] == "Complete" for entry in conditions)
    over = completed or any(entry["type"] == "Failed" for entry in conditions)
    told: Object = {
        "startTime": started,
        "completionTime": timestamp(now) if completed else None,
        "active": None if over or suspended else len(count.active) or None,
        "ready": 0 if over else count.ready,
        "succeeded": count.succeeded or None,
        "failed": count.failed or None,
        "terminating": count.terminating,
        "uncountedTerminatedPods": {},
        "conditions": conditions or None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _conditions(job: Object, count: Tally, started: str | None, now: datetime) -> list[Object]:
    kept = [entry for entry in rows(job, "status.conditions") if entry["type"] != "Suspended"]
    completions = dig(job, "spec.completions")
    if count.succeeded >= (1 if completions is None else completions):
        return kept + _both("SuccessCriteriaMet", "Complete", "CompletionsReached", "", now)
    limit = dig(job, "spec.backoffLimit")
    if count.failed > (6 if limit is None else limit):
        told = "Job has reached the specified backoff limit"
        return kept + _both("FailureTarget", "Failed", "BackoffLimitExceeded", told, now)
    if _too_late(job, started, now):
        told = "Job was active longer than specified deadline"
        return kept + _both("FailureTarget", "Failed", "DeadlineExceeded", told, now)
    return kept + _suspension(job, now)


def _too_late(job: Object, started: str | None, now: datetime) -> bool:
    allowed = dig(job, "spec.activeDeadlineSeconds")
    if allowed is None or started is None:
        return False
    return moment(started) + timedelta(seconds=allowed) <= now


def _suspension(job: Object, now: datetime) -> list[Object]:
    before = [entry for entry in rows(job, "status.conditions") if entry["type"] == "Suspended"]
    suspended = bool(dig(job, "spec.suspend"))
    if not suspended and not before:
        return []
    status = "True" if suspended else "False"
    if before and before[0]["status"] == status:
        return before
    reason, told = ("JobSuspended", "Job suspended") if suspended else ("JobResumed", "Job resumed")
    return [{**_condition("Suspended", reason, told, now), "status": status}]


def _both(first: str, second: str, reason: str, message: str, now: datetime) -> list[Object]:
    return [_condition(kind, reason, message, now) for kind in (first, second)]


def _condition(kind: str, reason: str, message: str, now: datetime) -> Object:
    at = timestamp(now)
    return {
        "type": kind,
        "status": "True",
        "reason": reason,
        "message": message,
        "lastProbeTime": at,
        "lastTransitionTime": at,
    }


def _ready(pod: Object) -> bool:
    return any(
        entry.get("type") == "Ready" and entry.get("status") == "True"
        for entry in rows(pod, "status.conditions")
    )
