"""What keeps an attempt from beginning although its spec makes sense: it is told, and waits.

The scheduler in use cannot serve such a RayJob, or no command can be written for its version of
Ray. Nothing is made meanwhile; the user's deadlines go on.
"""

from services.reconciler.decisions.rayjob import batch_scheduling
from services.reconciler.decisions.rayjob.situation import Situation
from shared.aggregates.rayjob import INITIALIZING
from shared.aggregates.troubles import WAIT
from shared.events.decisions import Trouble
from shared.resources.job_options import K8S_JOB_MODE, SIDECAR_MODE
from shared.resources.versions import parse_ray_version

_METADATA = (2, 6, 0)
"""The first version of Ray whose command takes metadata."""


def hold(found: Situation) -> bool:
    """Whether nothing of the attempt may be made yet."""
    if found.state.phase != INITIALIZING:
        return False
    return bool(_message(found)) or batch_scheduling.awaits(found)


def troubles(found: Situation) -> tuple[Trouble, ...]:
    """Return what is in the way without anybody having been asked."""
    message = _message(found) if found.state.phase == INITIALIZING else ""
    if not message:
        return ()
    return (
        Trouble(verb=WAIT, rule="obstacles", kind="rayjob", name=found.job.name, message=message),
    )


def _message(found: Situation) -> str:
    return batch_scheduling.problem(found) or metadata_problem(found)


def metadata_problem(found: Situation) -> str:
    """Say why no command with metadata can be written; empty if it can."""
    spec = found.job.spec
    cluster = spec.ray_cluster_spec
    written = cluster.ray_version if cluster is not None else None
    commands = spec.submission_mode in (K8S_JOB_MODE, SIDECAR_MODE)
    if not spec.metadata or not written or found.selects or not commands:
        return ""
    version = parse_ray_version(written)
    if version is None:
        return f"failed to parse Ray version: {written}: it is no version"
    if version < _METADATA:
        return "the Ray version must be at least 2.6.0 to use the metadata field"
    return ""
