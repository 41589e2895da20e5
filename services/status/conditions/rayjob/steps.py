"""When a RayJob goes on from phase to phase, and what each step writes.

Names come before anything is made, so that asking twice asks for the same. A phase that removes
ends only after a closed act that saw this very phase, with nothing left and nothing on its way.
"""

from services.status.conditions.rayjob.found import Change, Found, stamp
from shared.aggregates.rayjob import (
    FINALIZER,
    INITIALIZING,
    NEW,
    RUNNING,
    SUSPENDED,
    SUSPENDING,
    WAITING,
    wanted_job,
)
from shared.kernel.manifests import integer_at, text_at
from shared.kernel.suffixes import number_of, suffix
from shared.resources.job_options import INTERACTIVE_MODE, K8S_JOB_MODE

ATTEMPT: Change = dict.fromkeys(
    (
        *("rayClusterStatus", "rayClusterName", "dashboardURL", "jobId", "message", "reason"),
        *("rayJobInfo", "jobStatusCheckFailureStartTime", "jobStatus"),
    )
)
"""What belongs to one attempt and is forgotten with it."""


def begin(found: Found) -> Change | None:
    """Give an attempt its names, once its spec was looked at and our finalizer holds it."""
    job, own = found.job, found.view.own
    if not found.judged or own is None or FINALIZER not in own.meta.finalizers:
        return None
    change: Change = {
        "jobDeploymentStatus": INITIALIZING,
        "rayClusterName": job.spec.selected_cluster or _name(found),
        "startTime": stamp(found.view.now),
        "endTime": None,
    }
    if found.mode != INTERACTIVE_MODE:
        change["jobId"] = job.spec.job_id or _name(found)
    return change


def _name(found: Found) -> str:
    """Return the name that an attempt gives to what it makes."""
    generation = found.view.own.meta.generation if found.view.own else 0
    failures = integer_at(found.status, "failed") or 0
    return f"{found.job.name}-{suffix(number_of('attempt', found.job.uid, generation, failures))}"


def late_id(found: Found) -> Change:
    """Give an attempt an id that began without: its user was to submit it, and changed that."""
    if found.mode == INTERACTIVE_MODE or text_at(found.status, "jobId") or not found.judged:
        return {}
    own = "" if found.job.spec.selected_cluster else text_at(found.status, "rayClusterName")
    return {"jobId": found.job.spec.job_id or own or _name(found)}


def suspend(found: Found) -> Change | None:
    """Begin to remove everything when the user wants it suspended and may want so.

    What was written and not judged yet may be senseless: a job that may not rest must not lose its
    cluster over it.
    """
    wanted = found.job.spec.suspend and found.judged
    return {"jobDeploymentStatus": SUSPENDING} if wanted else None


def cluster_ready(found: Found) -> Change | None:
    """Go on when the cluster is ready, its dashboard is known, and whoever submits is there."""
    want, cluster = wanted_job(found.view), found.state.cluster
    if want is None or cluster is None or text_at(cluster.status, "state") != "ready":
        return None
    change: Change = {"dashboardURL": want.address, "rayClusterStatus": dict(cluster.status)}
    if found.mode == INTERACTIVE_MODE:
        return change | {"jobDeploymentStatus": WAITING}
    if not text_at(found.status, "jobId"):
        return None
    if found.mode == K8S_JOB_MODE and found.state.submitter_job is None:
        return None
    return change | {"jobDeploymentStatus": RUNNING}


def submitted_by_user(found: Found) -> Change | None:
    """Go on when the user named the job that they submitted."""
    if not found.job.spec.job_id or not found.judged:
        return None
    return {"jobDeploymentStatus": RUNNING, "jobId": found.job.spec.job_id}


def removed(found: Found) -> Change | None:
    """Forget the attempt when nothing of it is left."""
    if not found.settled or not (found.job.spec.selected_cluster or found.state.emptied):
        return None
    return dict(ATTEMPT)


def suspended(found: Found) -> Change | None:
    """Rest when nothing of the attempt is left."""
    gone = removed(found)
    return gone | {"jobDeploymentStatus": SUSPENDED} if gone is not None else None


def again(found: Found) -> Change | None:
    """Begin anew when nothing of the failed attempt is left."""
    gone = removed(found)
    return gone | {"jobDeploymentStatus": NEW} if gone is not None else None


def resume(found: Found) -> Change | None:
    """Begin anew when the user no longer wants it suspended."""
    return None if found.job.spec.suspend else {"jobDeploymentStatus": NEW, "jobStatus": None}


def repaired(found: Found) -> Change | None:
    """Go on where it was when the spec makes sense again."""
    if not found.judged:
        return None
    status, name = found.status, text_at(found.status, "rayClusterName")
    change: Change = {"reason": None, "message": None}
    if not name:
        return change | {"jobDeploymentStatus": NEW}
    if found.mode != INTERACTIVE_MODE and not text_at(status, "jobId"):
        return change | {"jobDeploymentStatus": INITIALIZING} | late_id(found)
    if not text_at(status, "dashboardURL"):
        return change | {"jobDeploymentStatus": INITIALIZING}
    waits = found.mode == INTERACTIVE_MODE and not text_at(status, "jobId")
    return change | {"jobDeploymentStatus": WAITING if waits else RUNNING}
