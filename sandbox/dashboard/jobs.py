"""Submitted jobs: what is remembered of one, and what it looks like at a moment. Pure.

Only facts are kept (submitted, asked to stop, lost its driver); the status at any moment follows
from them and the rule. Read next: job_requests.py, which changes the facts.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from sandbox.controllers.rayrules import JobRule
from sandbox.dashboard.heads import RayNode

JobStatus: TypeAlias = Literal["PENDING", "RUNNING", "SUCCEEDED", "FAILED", "STOPPED"]
TERMINAL: frozenset[JobStatus] = frozenset(("SUCCEEDED", "FAILED", "STOPPED"))
SETTING_UP = "Job has not started yet. It may be waiting for the runtime environment to be set up."
WAITING = (
    "Job has not started yet. It may be waiting for resources "
    "(CPUs, GPUs, memory, custom resources) to become available."
)
DRIVER_DIED = "Job supervisor actor died: The actor died because its node has died."


class Job(Struct, frozen=True, kw_only=True):
    """What is known of one submission."""

    submission_id: str
    entrypoint: str
    submitted_at: datetime
    metadata: Mapping[str, str] | None = None
    runtime_env: Mapping[str, Any] | None = None
    asked_to_stop_at: datetime | None = None
    lost_at: datetime | None = None


class Moment(Struct, frozen=True, kw_only=True):
    """A job at one moment, and when it changes by itself."""

    status: JobStatus
    message: str
    ended_at: datetime | None = None
    exit_code: int | None = None
    error_type: str | None = None
    next_at: datetime | None = None


def at(job: Job, rule: JobRule, now: datetime) -> Moment:
    """Tell how a job does at `now`."""
    if rule.pending_for is None and (job.lost_at is None or now < job.lost_at):
        return Moment(status="PENDING", message=WAITING)
    started = job.submitted_at + _seconds(rule.pending_for or 0.0)
    ends = None if rule.runs_for is None else started + _seconds(rule.runs_for)
    stops = job.asked_to_stop_at and max(job.asked_to_stop_at, started) + _seconds(rule.stop_after)
    moments = [when for when in (ends, stops, job.lost_at) if when is not None]
    over = min(moments, default=None)
    if over is not None and over <= now:
        return _ended(job, rule, over, ends)
    if now < started:
        return Moment(status="PENDING", message=SETTING_UP, next_at=started)
    return Moment(status="RUNNING", message="Job is currently running.", next_at=over)


def printed(job: Job, rule: JobRule, now: datetime) -> str:
    """Return what the job has printed by `now`: its lines come evenly over its run."""
    stamp = job.submitted_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
    lines = [f"{stamp}\tINFO job_manager.py:581 -- Runtime env is setting up."]
    if rule.pending_for is None or now < job.submitted_at + _seconds(rule.pending_for):
        return _text(lines)
    lines.append(f"Running entrypoint for job {job.submission_id}: {job.entrypoint}")
    return _text([*lines, *rule.logs[: _due(job, rule, now)]])


def shown(job: Job, moment: Moment, node: RayNode) -> dict[str, Any]:
    """Write a job as the API shows it."""
    begun = moment.status != "PENDING"
    return {
        "type": "SUBMISSION",
        "job_id": None,
        "submission_id": job.submission_id,
        "driver_info": None,
        "status": moment.status,
        "entrypoint": job.entrypoint,
        "message": moment.message,
        "error_type": moment.error_type,
        "start_time": _milliseconds(job.submitted_at),
        "end_time": None if moment.ended_at is None else _milliseconds(moment.ended_at),
        "metadata": job.metadata,
        "runtime_env": job.runtime_env,
        "driver_agent_http_address": f"http://{node.address}:52365" if begun else None,
        "driver_node_id": node.node_id if begun else None,
        "driver_exit_code": moment.exit_code,
    }


def _ended(job: Job, rule: JobRule, over: datetime, ends: datetime | None) -> Moment:
    if over == job.lost_at:
        return Moment(
            status="FAILED",
            message=DRIVER_DIED,
            ended_at=over,
            error_type="JOB_SUPERVISOR_ACTOR_DIED",
        )
    if over != ends:
        return Moment(status="STOPPED", message="Job was intentionally stopped.", ended_at=over)
    if rule.exit_code == 0:
        told = "Job finished successfully."
        return Moment(status="SUCCEEDED", message=told, ended_at=over, exit_code=0)
    logs = printed(job, rule, over)
    told = (
        f"Job entrypoint command failed with exit code {rule.exit_code}, "
        f"last available logs (truncated to 20,000 chars):\n{logs[-20_000:]}"
    )
    return Moment(
        status="FAILED",
        message=rule.message or told,
        ended_at=over,
        exit_code=rule.exit_code,
        error_type="JOB_ENTRYPOINT_COMMAND_ERROR",
    )


def _due(job: Job, rule: JobRule, now: datetime) -> int:
    if not rule.runs_for:
        return len(rule.logs)
    begun = job.submitted_at + _seconds(rule.pending_for or 0.0)
    share = (now - begun).total_seconds() / rule.runs_for
    return max(0, min(len(rule.logs), int(share * len(rule.logs))))


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _seconds(span: float) -> timedelta:
    return timedelta(seconds=span)
