"""A submitter that is at work and submits nothing is told of, until Ray has the job."""

import pytest

from shared.aggregates.blame import waits
from shared.events.decisions import Decided
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec

TEMPLATE = {"spec": {"containers": [{"name": "own", "image": "mine", "command": ["sh"]}]}}


def late(**spec: object) -> JobStory:
    story = running(job_spec("K8sJobMode", **spec))
    story.time_passes(61)
    return story


def words(story: JobStory) -> str:
    return (
        f"Ray does not know job {story.job_id}: its submitter, Job train, has not submitted it "
        "within 60 s; see its pods"
    )


def test_says_nothing_while_the_submitter_may_still_be_starting() -> None:
    story = running(job_spec("K8sJobMode"))
    story.time_passes(59)

    assert (story.phase, story.status.get("message")) == ("Running", None)


def test_tells_where_to_look_when_nothing_was_submitted_in_time() -> None:
    story = late()

    assert (story.phase, story.status["message"]) == ("Running", words(story))
    assert [(one.cause, one.what) for one in waits(story.view())] == [("Unsubmitted", "job train")]


def test_names_the_template_that_the_user_wrote() -> None:
    story = late(submitterPodTemplate=TEMPLATE)

    assert story.status["message"] == f"{words(story)} and spec.submitterPodTemplate"


def test_is_taken_back_when_ray_has_the_job() -> None:
    story = late()
    story.job_is("RUNNING")
    story.goes_on()
    during = story.status.get("message")
    story.time_passes(60)

    assert during is None
    assert waits(story.view()) == ()
    assert story.act.because == (f"no longer: {words(story)}",)


def test_a_submitter_that_is_deleted_gets_its_time_anew() -> None:
    story = late(submitterPodTemplate=TEMPLATE)
    story.wishes(submitterPodTemplate=None)
    story.submitter_vanishes()
    story.goes_on()
    anew = story.status.get("message")
    story.time_passes(61)

    assert anew is None
    assert story.status["message"] == words(story)


def test_what_ray_says_after_the_submitter_ended_counts_as_ever() -> None:
    story = late()
    story.submitter_ends("Complete")
    story.goes_on()

    assert (story.phase, story.status["message"]) == (
        "Failed",
        "Submitter completed but Ray job not found in RayCluster.",
    )


def test_a_deadline_of_the_users_goes_on() -> None:
    story = late(activeDeadlineSeconds=90)
    story.time_passes(30)

    assert (story.phase, story.status["reason"]) == ("Failed", "DeadlineExceeded")


@pytest.mark.parametrize("mode", ["HTTPMode", "SidecarMode"])
def test_a_submitter_of_ours_is_not_waited_for_with_this_timer(mode: str) -> None:
    assert "submission" not in running(job_spec(mode)).timers()


def test_a_job_that_is_submitted_in_time_costs_no_further_decision() -> None:
    """The timer comes with the act that makes the service of the head."""
    story = running(job_spec("K8sJobMode"))
    acts = [one.envelope.body for one in story.records if isinstance(one.envelope.body, Decided)]

    with_timer = [act for act in acts if "submission" in {one.name for one in act.timers}]
    assert [act.because for act in with_timer] == [("the job has no head service",)]
