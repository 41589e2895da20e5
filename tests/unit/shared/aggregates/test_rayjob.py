"""A view read as a RayJob: its cluster, whoever submits, and which answers count."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from shared.aggregates.rayjob import (
    Submitter,
    end_marks,
    job_submitter,
    rayjob_state,
    sidecar_submitter,
)
from shared.events import subjects
from shared.events.objects import Container
from tests.support.builders import NOON, Raw
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import KEY, cluster, head_with, job_spec, service, submitter


def condition(kind: str, status: str = "True", **more: str) -> Raw:
    return {"type": kind, "status": status, "lastTransitionTime": "2030-01-01T12:00:05Z", **more}


def test_a_submitter_that_runs_has_not_ended() -> None:
    assert job_submitter(None) == job_submitter(submitter(5)) == Submitter()
    early = submitter(5, condition("SuccessCriteriaMet"), condition("FailureTarget"))
    assert job_submitter(early) == Submitter()
    assert job_submitter(submitter(5, condition("Complete", "False"))) == Submitter()


def test_a_submitter_that_ended() -> None:
    done = job_submitter(submitter(5, condition("Complete")))
    failed = job_submitter(submitter(5, condition("Failed", reason="R", message="m")))

    assert done == Submitter(finished_at=NOON + timedelta(seconds=5))
    assert failed == Submitter(
        failed=True,
        because="Job submission has failed. Reason: R. Message: m",
        finished_at=NOON + timedelta(seconds=5),
    )


def beside(**fields: object) -> Container:
    return Container(name="ray-job-submitter", **fields)  # type: ignore[arg-type] # passed through


@pytest.mark.parametrize(
    ("container", "failed"),
    [
        (beside(state="running", restarts=1, crashed_before=True), False),
        (beside(state="running", restarts=2, crashed_before=True), True),
        (beside(state="terminated", exit_code=0, restarts=3, crashed_before=True), False),
        (beside(state="terminated", exit_code=1, restarts=2, crashed_before=True), True),
        (beside(state="running", restarts=2), False),
    ],
)
def test_a_submitter_that_may_restart_wears_out(container: Container, failed: bool) -> None:
    """RayJob checklist 55: one of two restarts is none, two of two is; exit 0 never is."""
    assert sidecar_submitter(head_with(container), restarts=True).failed is failed


@pytest.mark.parametrize(("code", "failed"), [(0, False), (1, True), (None, False)])
def test_a_submitter_that_may_not_restart_fails_with_its_code(
    code: int | None, failed: bool
) -> None:
    container = beside(state="terminated", exit_code=code, finished_at=NOON, reason="Error")
    found = sidecar_submitter(head_with(container), restarts=False)

    assert (found.failed, found.finished_at) == (failed, NOON)


def test_a_head_without_a_submitter_tells_nothing() -> None:
    other = Container(name="other", state="terminated", exit_code=1)

    assert sidecar_submitter(head_with(other), restarts=False) == Submitter()


def test_an_end_has_a_mark_and_a_late_one_another() -> None:
    assert end_marks(None, late=True) == ()
    early, late = end_marks(NOON, late=False), end_marks(NOON, late=True)

    assert set(early) < set(late)
    assert set(end_marks(NOON + timedelta(seconds=1), late=False)).isdisjoint(late)


def test_what_somebody_else_owns_is_not_the_jobs() -> None:
    story = running(job_spec("K8sJobMode"))
    name = story.cluster_name
    strange = replace(submitter(90), meta=replace(submitter(90).meta, owners=()))
    story.sees(strange)
    story.append(
        subjects.observed(KEY, "raycluster", name), cluster(name, {}, version=91, owned=False)
    )
    other = service("train-head-svc", {}, 92)
    story.sees(replace(other, meta=replace(other.meta, owners=())))
    state = rayjob_state(story.view())

    assert (state.cluster, state.submitter_job, state.service) == (None, None, None)


def test_an_answer_counts_only_for_the_want_that_asked() -> None:
    story = running(job_spec())
    assert rayjob_state(story.view()).job is not None
    heard = story.view().told["job"].body
    story.append(subjects.told(KEY, "job"), replace(heard, since=NOON - timedelta(seconds=1)))

    assert rayjob_state(story.view()).job is None


def test_an_answer_about_another_job_does_not_count() -> None:
    story = running(job_spec())
    heard = story.view().told["job"].body
    story.append(subjects.told(KEY, "job"), replace(heard, job_id="other"))

    assert rayjob_state(story.view()).job is None


def test_a_young_job_has_nothing() -> None:
    state = rayjob_state(JobStory(job_spec()).view())

    assert (state.phase, state.cluster_name, state.emptied) == ("", "", True)
