"""The Jobs API: submit, list, get, logs, stop, delete. Pure.

Every function takes what the head remembers and returns the answer and what it remembers then. Odd
codes are Ray's own: a taken id is a 500, and so is the deletion of a job that still runs.
Read next: jobs.py.
"""

from datetime import datetime
from hashlib import sha256
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from sandbox.controllers.rayrules import JobRule, RayScript
from sandbox.dashboard import jobs
from sandbox.dashboard.heads import Head
from sandbox.dashboard.jobs import TERMINAL, Job
from sandbox.dashboard.memory import Memory
from sandbox.dashboard.replies import (
    BAD,
    IN_TROUBLE,
    MISSING,
    Reply,
    document,
    relayed,
    sentence,
    traceback,
)

Answered: TypeAlias = tuple[Memory, Reply]
FIELDS = frozenset(
    (
        "entrypoint",
        "submission_id",
        "job_id",
        "runtime_env",
        "metadata",
        "entrypoint_num_cpus",
        "entrypoint_num_gpus",
        "entrypoint_memory",
        "entrypoint_resources",
        "entrypoint_label_selector",
    )
)
REQUEST = "JobSubmitRequest.__init__()"


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asked, under which script, when."""

    head: Head
    script: RayScript
    now: datetime

    def rule(self, job: Job) -> JobRule:
        """Find the rule for a job of this head."""
        return self.script.job_rule(*self.head.key, job.submission_id, job.entrypoint)

    def look(self, job: Job) -> jobs.Moment:
        """Tell how a job does now."""
        return jobs.at(job, self.rule(job), self.now)

    def show(self, job: Job) -> dict[str, Any]:
        """Write a job as the API shows it now."""
        return jobs.shown(job, self.look(job), self.head.node)


def submit(memory: Memory, body: bytes, desk: Desk) -> Answered:
    """Take a job in."""
    try:
        asked = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError:
        return memory, IN_TROUBLE
    wrong = _wrong(asked)
    if wrong:
        return memory, traceback(BAD, f"TypeError: {wrong}")
    name = asked.get("submission_id") or asked.get("job_id") or _made(memory, desk)
    if name in memory.jobs:
        told = f"Job with submission_id {name} already exists."
        last = f"ValueError: {told} Please use a different submission_id."
        return memory, relayed(BAD, last)
    job = Job(
        submission_id=name,
        entrypoint=asked["entrypoint"],
        submitted_at=desk.now,
        metadata=asked.get("metadata"),
        runtime_env=asked.get("runtime_env"),
    )
    kept = replace(memory, jobs={**memory.jobs, name: job}, submissions=memory.submissions + 1)
    if "/" in name:
        place = f"'/tmp/ray/session_X/logs/job-driver-{name}.log'"
        missing = f"FileNotFoundError: [Errno 2] No such file or directory: {place}"
        return kept, relayed(500, missing)
    return kept, document({"job_id": name, "submission_id": name})


def listed(memory: Memory, desk: Desk) -> Answered:
    """Show all jobs."""
    return memory, document([desk.show(job) for job in memory.jobs.values()])


def get(memory: Memory, name: str, desk: Desk) -> Answered:
    """Show one job."""
    job = memory.jobs.get(name)
    return memory, _unknown(name) if job is None else document(desk.show(job))


def logs(memory: Memory, name: str, desk: Desk) -> Answered:
    """Show what a job has printed."""
    job = memory.jobs.get(name)
    if job is None:
        return memory, _unknown(name)
    return memory, document({"logs": jobs.printed(job, desk.rule(job), desk.now)})


def stop(memory: Memory, name: str, desk: Desk) -> Answered:
    """Ask a job to stop; it does so a while later, and not at all while it waits for resources."""
    job = memory.jobs.get(name)
    if job is None:
        return memory, _unknown(name)
    if desk.look(job).status in TERMINAL:
        return memory, document({"stopped": False})
    asked = job.asked_to_stop_at or desk.now
    stopped = replace(job, asked_to_stop_at=asked)
    return replace(memory, jobs={**memory.jobs, name: stopped}), document({"stopped": True})


def delete(memory: Memory, name: str, desk: Desk) -> Answered:
    """Forget a job that is over."""
    job = memory.jobs.get(name)
    if job is None:
        return memory, _unknown(name)
    status = desk.look(job).status
    if status not in TERMINAL:
        told = f"Attempted to delete job '{name}', but it is in a non-terminal state {status}."
        return memory, relayed(500, f"RuntimeError: {told}")
    left = {other: kept for other, kept in memory.jobs.items() if other != name}
    return replace(memory, jobs=left), document({"deleted": True})


def _wrong(asked: dict[str, Any]) -> str:
    """Say what Ray finds wrong with a submission; nothing if it takes it."""
    unknown = [name for name in asked if name not in FIELDS]
    if unknown:
        return f"{REQUEST} got an unexpected keyword argument '{unknown[0]}'"
    if "entrypoint" not in asked:
        return f"{REQUEST} missing 1 required positional argument: 'entrypoint'"
    if not isinstance(asked["entrypoint"], str):
        return f"entrypoint must be a string, got {type(asked['entrypoint'])}"
    for field in ("metadata", "runtime_env"):
        if asked.get(field) is not None and not isinstance(asked[field], dict):
            return f"{field} must be a dict, got {type(asked[field])}"
    for value in (asked.get("metadata") or {}).values():
        if not isinstance(value, str):
            return f"metadata values must be strings, got {type(value)}"
    return ""


def _made(memory: Memory, desk: Desk) -> str:
    seed = f"{memory.incarnation}/{memory.submissions}/{desk.now.isoformat()}"
    return f"raysubmit_{sha256(seed.encode()).hexdigest()[:16]}"


def _unknown(name: str) -> Reply:
    return sentence(MISSING, f"Job {name} does not exist")
