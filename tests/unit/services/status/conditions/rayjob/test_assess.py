"""The status of a RayJob, look by look: one step at a time, and nothing beside it."""

import pytest

from services.status.assessing import must_not_wait
from services.status.conditions.rayjob.assess import assess_rayjob
from services.status.conditions.rayjob.endings import NEVER_RETRIED
from services.status.conditions.rayjob.table import TABLE, UNTOUCHED_BY_INVALIDITY
from services.status.patch import difference
from services.status.reading import readable_job
from shared.aggregates.rayjob import FAILED, INVALID, OVER, PHASES
from tests.support.builders import Raw
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec


def assessed(story: JobStory) -> Raw:
    view = story.view()
    return assess_rayjob(view, readable_job(view))


def patch(story: JobStory) -> Raw:
    return difference(story.view().status, assessed(story))


def test_every_phase_has_its_row_and_only_ends_have_no_way_out() -> None:
    assert set(TABLE) == set(PHASES)
    assert {phase for phase, ways in TABLE.items() if not ways} == OVER
    assert {to for ways in TABLE.values() for way in ways for to in way.to} <= set(PHASES)


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode", "InteractiveMode"])
def test_what_is_told_needs_no_telling(mode: str) -> None:
    """RayJob checklist 15: an unchanged world gives no patch; another phase gives one."""
    story = running(job_spec(mode))
    assert patch(story) == {}
    story.wishes(activeDeadlineSeconds=-1)
    story.reconciler_decides()

    assert patch(story)["jobDeploymentStatus"] == INVALID


def test_nothing_begins_before_its_spec_was_judged_and_its_finalizer_is_there() -> None:
    story = JobStory(job_spec())
    assert patch(story) == {}
    story.reconciler_decides()

    assert patch(story)["jobDeploymentStatus"] == "Initializing"


def test_one_look_is_one_step() -> None:
    story = JobStory(job_spec(suspend=True, shutdownAfterJobFinishes=True))
    seen = []
    for _ in range(8):
        story.status_tells()
        seen.append(story.phase)
        story.reconciler_decides()

    assert list(dict.fromkeys(seen)) == ["", "Initializing", "Suspending", "Suspended"]


def test_a_status_of_another_operator_goes_on_from_where_it_is() -> None:
    """What KubeRay has told is read as if we had told it."""
    story = running(job_spec())
    before = {key: value for key, value in story.status.items() if key != "observedGeneration"}
    story.writes_status(before, next(story.versions))

    assert patch(story) == {"observedGeneration": 1}


def test_an_unknown_phase_is_left_as_it_is() -> None:
    story = running(job_spec())
    odd = {**story.status, "jobDeploymentStatus": "Dancing"}
    story.writes_status(odd, next(story.versions))

    assert patch(story) == {}


def test_a_spec_that_cannot_be_read_moves_nothing() -> None:
    story = running(job_spec())
    view = story.view()

    assert assess_rayjob(view, None) == dict(view.status)


def test_what_ray_says_is_stored_as_it_is() -> None:
    story = running(job_spec())
    story.job_is("DANCING", "on the table")
    story.goes_on()

    assert (story.phase, story.status["jobStatus"]) == ("Running", "DANCING")
    assert story.status["message"] == "on the table"


@pytest.mark.parametrize("limit", [None, 0])
def test_without_tries_a_failure_is_the_end(limit: int | None) -> None:
    story = running(job_spec(backoffLimit=limit))
    story.job_is("FAILED")
    story.goes_on()

    assert (story.phase, story.status["failed"]) == (FAILED, 1)


def test_what_is_never_tried_again_is_said_by_its_reason() -> None:
    assert {"DeadlineExceeded", "JobStatusCheckTimeoutExceeded"} == NEVER_RETRIED
    assert UNTOUCHED_BY_INVALIDITY >= OVER


def test_only_the_mirror_of_the_cluster_may_wait() -> None:
    view = running(job_spec()).view()

    assert not must_not_wait(view, {"rayClusterStatus": {}, "observedGeneration": 2})
    assert must_not_wait(view, {"rayClusterStatus": {}, "jobStatus": "RUNNING"})
