"""What one head remembers, and what a new one takes over. Pure.

Invariant: a head that was started again knows nothing of before, unless its cluster keeps its state
elsewhere (GCS fault tolerance); then jobs and applications are still there, but the drivers of jobs
died with the old head. Read next: answering.py.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sandbox.dashboard.heads import Head
from sandbox.dashboard.jobs import Job


class App(Struct, frozen=True, kw_only=True):
    """A Serve application: its configuration, and when it last changed."""

    config: Mapping[str, Any]
    deployed_at: datetime


class Memory(Struct, frozen=True, kw_only=True):
    """Jobs and applications of one head; Serve runs once something was deployed."""

    incarnation: str
    jobs: Mapping[str, Job] = {}
    apps: Mapping[str, App] = {}
    serve_since: datetime | None = None
    target_capacity: float | None = None
    http_port: int = 8000
    submissions: int = 0


def remembered(memory: Memory | None, head: Head) -> Memory:
    """Return what this head knows, given what the last one knew."""
    incarnation = f"{head.node.uid}/{head.node.incarnation}"
    if memory is not None and memory.incarnation == incarnation:
        return memory
    if memory is None or not head.durable:
        return Memory(incarnation=incarnation)
    began = head.node.started_at
    lost = {
        name: job if job.lost_at is not None else replace(job, lost_at=began)
        for name, job in memory.jobs.items()
    }
    return replace(memory, incarnation=incarnation, jobs=lost)
