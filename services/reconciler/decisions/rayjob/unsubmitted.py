"""A submitter that is at work and has submitted nothing: it is told, and left alone.

A pod that cannot start, or a command of the user's that does something else, would leave the job
Running without a word for ever. Whether Ray knows the job is Ray's to say: nothing is told before
it was asked, and whatever it says later counts. The user's deadlines go on.
"""

from collections.abc import Iterator
from datetime import timedelta

from services.reconciler.decisions.rayjob.situation import Situation
from shared.aggregates.rayjob import SUBMISSION, job_submitter
from shared.aggregates.troubles import WAIT
from shared.events import told
from shared.events.decisions import Timer, Trouble
from shared.kernel.manifests import text_at
from shared.resources.job_options import K8S_JOB_MODE

SUBMIT_WITHIN = timedelta(seconds=60)
"""Time enough for a pod that starts at once: whoever pulls an image may be told of and go on."""


def timer(found: Situation) -> Iterator[Timer]:
    """Yield when the submitter has had time enough, until Ray knows the job or it has ended."""
    job = found.state.submitter_job
    if job is None or job.meta.created_at is None or not _awaited(found):
        return
    yield Timer(
        name=SUBMISSION,
        due_at=job.meta.created_at + SUBMIT_WITHIN,
        because="the job is to be submitted",
    )


def troubles(found: Situation) -> Iterator[Trouble]:
    """Yield that the time is over and Ray, which was asked, does not know the job."""
    answer = found.state.job
    if SUBMISSION not in found.view.woken or not _awaited(found):
        return
    if answer is None or answer.answer != told.MISSING:
        return
    given = found.job.spec.submitter_pod_template is not None
    places = "its pods and spec.submitterPodTemplate" if given else "its pods"
    limit = int(SUBMIT_WITHIN.total_seconds())
    message = (
        f"Ray does not know job {found.job_id}: its submitter, Job {found.job.name}, "
        f"has not submitted it within {limit} s; see {places}"
    )
    yield Trouble(verb=WAIT, rule=SUBMISSION, kind="job", name=found.job.name, message=message)


def _awaited(found: Situation) -> bool:
    """Whether somebody is at work to submit what Ray never knew."""
    job = found.state.submitter_job
    known = text_at(found.view.status, "jobStatus")
    by_job = found.job.spec.submission_mode == K8S_JOB_MODE and job is not None
    return by_job and not known and job_submitter(job).finished_at is None
