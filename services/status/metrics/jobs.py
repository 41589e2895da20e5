"""A RayJob as KubeRay's metrics tell of it. Pure.

How long an attempt took is the span from its start to the moment that ended it. That of an end is
read off the status, so whoever owns the RayJob next shows the same figure. That of an attempt that
was tried again is gone from the status with the next attempt: it is measured when the status that
says so is written, and kept by whoever wrote it.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from shared.aggregates.rayjob import COMPLETE, FAILED, RETRYING, moment_at
from shared.aggregates.view import View
from shared.kernel.manifests import integer_at, text_at


class Took(Struct, frozen=True, kw_only=True):
    """How long one attempt took, how it ended, and how many had failed before it."""

    phase: str
    retries: int
    span: timedelta


class JobShown(Struct, frozen=True, kw_only=True):
    """What is shown of one RayJob."""

    name: str
    namespace: str
    uid: str
    phase: str
    """Empty while it is new."""
    took: Took | None
    """The attempt that it ended with; None while it has not ended."""


def job_shown(view: View) -> JobShown | None:
    """Read what is shown off a view; None if there is no RayJob."""
    if view.own is None or view.key.kind != "rayjob":
        return None
    meta, status = view.own.meta, view.status
    end = moment_at(status, "endTime")
    return JobShown(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        phase=text_at(status, "jobDeploymentStatus"),
        took=_took(status, end) if end is not None else None,
    )


def tried_again(
    before: Mapping[str, object], after: Mapping[str, object], at: datetime
) -> Took | None:
    """Return how long the attempt took that a new status calls tried again, if it does."""
    phase, former = (text_at(one, "jobDeploymentStatus") for one in (after, before))
    return _took(after, at) if phase == RETRYING != former else None


def _took(status: Mapping[str, object], end: datetime) -> Took | None:
    phase, start = text_at(status, "jobDeploymentStatus"), moment_at(status, "startTime")
    if start is None or phase not in (COMPLETE, FAILED, RETRYING):
        return None
    failed = integer_at(status, "failed") or 0
    before = failed if phase == COMPLETE else max(failed - 1, 0)
    return Took(phase=phase, retries=before, span=end - start)
