"""What keeps an attempt from beginning although its spec makes sense: it is told, and waits.

The scheduler in use cannot serve such a RayJob, or no command can be written for its version of
Ray. Nothing is made meanwhile; the user's deadlines go on.
"""

from services.reconciler.decisions.rayjob import batch_scheduling
from services.reconciler.decisions.rayjob.situation import Situation
from shared.aggregates.rayjob import INITIALIZING, SUBMITTER
from shared.aggregates.troubles import WAIT
from shared.events.decisions import Trouble
from shared.kernel.manifests import entries_at
from shared.resources.job_options import INTERACTIVE_MODE, K8S_JOB_MODE, SIDECAR_MODE
from shared.resources.versions import parse_ray_version

_METADATA = (2, 6, 0)
"""The first version of Ray whose command takes metadata."""


def hold(found: Situation) -> bool:
    """Whether nothing of the attempt may be made yet."""
    if found.state.phase != INITIALIZING:
        return False
    return bool(_message(found)) or _awaits_id(found) or batch_scheduling.awaits(found)


def _awaits_id(found: Situation) -> bool:
    """Whether the attempt is to get an id first: it began as an interactive one."""
    return found.job.spec.submission_mode != INTERACTIVE_MODE and not found.job_id


def troubles(found: Situation) -> tuple[Trouble, ...]:
    """Return what is in the way without anybody having been asked."""
    message = _message(found) if found.state.phase == INITIALIZING else ""
    if not message:
        return ()
    return (
        Trouble(verb=WAIT, rule="obstacles", kind="rayjob", name=found.job.name, message=message),
    )


def _message(found: Situation) -> str:
    return batch_scheduling.problem(found) or metadata_problem(found) or submitter_problem(found)


def submitter_problem(found: Situation) -> str:
    """Say that nobody submits beside the head, which was made for another mode; empty if not."""
    seen = found.state.cluster
    if found.job.spec.submission_mode != SIDECAR_MODE or seen is None or found.selects:
        return ""
    containers = entries_at(seen.spec, "headGroupSpec", "template", "spec", "containers")
    if any(one.get("name") == SUBMITTER for one in containers):
        return ""
    return (
        f"the head of RayCluster {seen.meta.name} was made without a submitter: submissionMode was "
        "changed to SidecarMode too late; choose another mode, or create the RayJob anew"
    )


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
