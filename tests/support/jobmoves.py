"""What the world may do to a RayJob, one move at a time."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from shared.events.decisions import WAKE
from shared.events.objects import Container
from tests.support.jobstory import JobStory
from tests.support.rayjobs import head_with

Move = Callable[[JobStory], bool]
"""Changes the world; False if it cannot happen now."""

ENDLESS = frozenset({"refresh", WAKE, "retry"})
"""Timers that the world's own moves stand for."""


def _cluster_ready(story: JobStory) -> bool:
    seen = story.clusters.get(story.cluster_name)
    if seen is None or seen.status.get("state") == "ready":
        return False
    story.cluster_is("ready", head={"serviceName": f"{story.cluster_name}-head-svc"})
    if story.own is not None and story.own.spec.get("submissionMode") == "SidecarMode":
        story.heads = (head_with(Container(name="ray-job-submitter", state="running")),)
    return True


def _cluster_lost(story: JobStory) -> bool:
    if story.cluster_name not in story.clusters:
        return False
    story.cluster_vanishes()
    return True


def _job(status: str) -> Move:
    def move(story: JobStory) -> bool:
        known = story.dashboard.jobs.get(story.job_id)
        ready = story.clusters.get(story.cluster_name)
        ended = known is not None and known.status in ("SUCCEEDED", "FAILED", "STOPPED")
        if not story.job_id or ready is None or not ready.status or ended:
            return False
        if known is not None and known.status == status:
            return False
        story.job_is(status)
        return True

    return move


def _job_forgotten(story: JobStory) -> bool:
    known = bool(story.dashboard.jobs)
    story.dashboard.jobs.clear()
    return known


def _dashboard(answers: bool) -> Move:
    def move(story: JobStory) -> bool:
        changed = story.dashboard.answers != answers
        story.dashboard.answers = answers
        return changed

    return move


def _refuses(text: str) -> Move:
    def move(story: JobStory) -> bool:
        changed = story.dashboard.refuses != text
        story.dashboard.refuses = text
        return changed and _submits_itself(story)

    return move


def _submits_itself(story: JobStory) -> bool:
    return story.own is not None and story.own.spec.get("submissionMode") == "HTTPMode"


def _submitter_deleted(story: JobStory) -> bool:
    if story.submitter is None:
        return False
    story.submitter_vanishes()
    return True


def _submitter(kind: str) -> Move:
    def move(story: JobStory) -> bool:
        if story.submitter is not None and not story.submitter.status:
            story.submitter_ends(kind, "BackoffLimitExceeded")
            return True
        sidecars = [head for head in story.heads if head.containers[1].state == "running"]
        if not sidecars:
            return False
        container = Container(
            name="ray-job-submitter",
            state="terminated",
            exit_code=0 if kind == "Complete" else 1,
            finished_at=story.now,
        )
        story.heads = (head_with(container),)
        return True

    return move


def _suspend(wished: bool) -> Move:
    def move(story: JobStory) -> bool:
        own = story.own
        if own is None or own.meta.deleted_at or bool(own.spec.get("suspend")) == wished:
            return False
        story.wishes(suspend=wished or None)
        return True

    return move


def _breaks_spec(story: JobStory) -> bool:
    own = story.own
    if own is None or own.meta.deleted_at or "activeDeadlineSeconds" in own.spec:
        return False
    story.wishes(activeDeadlineSeconds=-1)
    return True


def _repairs_spec(story: JobStory) -> bool:
    own = story.own
    if own is None or own.meta.deleted_at or own.spec.get("activeDeadlineSeconds") != -1:
        return False
    story.wishes(activeDeadlineSeconds=None)
    return True


def _names_job(story: JobStory) -> bool:
    own = story.own
    if own is None or own.meta.deleted_at or own.spec.get("jobId"):
        return False
    if own.spec.get("submissionMode") != "InteractiveMode":
        return False
    story.wishes(jobId="by-hand")
    return True


def _delete(story: JobStory) -> bool:
    if story.own is None or story.own.meta.deleted_at:
        return False
    story.is_deleted()
    return True


def _timer(story: JobStory) -> bool:
    view = story.view()
    due = sorted(
        (timer.due_at, timer.name)
        for timer in (view.act.timers if view.act else ())
        if timer.name not in view.woken and timer.name not in ENDLESS
    )
    if not due or view.act is None:
        return False
    story.fires(view.act, due[0][1])
    return True


MOVES: Mapping[str, Move] = MappingProxyType(
    {
        "the cluster is ready": _cluster_ready,
        "the cluster is lost": _cluster_lost,
        "the job runs": _job("RUNNING"),
        "the job succeeds": _job("SUCCEEDED"),
        "the job fails": _job("FAILED"),
        "the job is stopped": _job("STOPPED"),
        "Ray forgets the job": _job_forgotten,
        "the dashboard hangs": _dashboard(answers=False),
        "the dashboard is back": _dashboard(answers=True),
        "the submitter ends": _submitter("Complete"),
        "the submitter gives up": _submitter("Failed"),
        "the submitter is deleted": _submitter_deleted,
        "Ray refuses jobs": _refuses("the head is full"),
        "Ray takes jobs": _refuses(""),
        "the user suspends": _suspend(wished=True),
        "the user resumes": _suspend(wished=False),
        "the user breaks the spec": _breaks_spec,
        "the user repairs the spec": _repairs_spec,
        "the user names the job": _names_job,
        "the user deletes": _delete,
        "a timer goes off": _timer,
    }
)
