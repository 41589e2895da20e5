"""A spec that nobody has judged yet moves no RayJob: it may turn out to be senseless."""

import pytest

from shared.aggregates.rayjob import INVALID, RUNNING, SUSPENDED
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec

MODES = ["K8sJobMode", "HTTPMode"]


def left(story: JobStory) -> tuple[list[str], bool]:
    return list(story.clusters), story.submitter is not None


@pytest.mark.parametrize("mode", MODES)
def test_a_job_that_may_not_rest_keeps_its_cluster(mode: str) -> None:
    story = running(job_spec(mode, shutdownAfterJobFinishes=False))
    before = left(story)

    story.wishes(suspend=True)
    story.goes_on()

    assert (story.phase, left(story)) == (INVALID, before)
    assert "not allowed to be suspended" in str(story.status["message"])

    story.wishes(suspend=False)
    story.goes_on()

    assert (story.phase, left(story)) == (RUNNING, before)


@pytest.mark.parametrize("mode", MODES)
def test_a_job_that_may_rest_does_so(mode: str) -> None:
    story = running(job_spec(mode, shutdownAfterJobFinishes=True))

    story.wishes(suspend=True)
    story.goes_on()

    assert (story.phase, left(story)) == (SUSPENDED, ([], False))
