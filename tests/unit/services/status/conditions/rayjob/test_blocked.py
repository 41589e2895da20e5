"""A RayJob has no conditions: its message says what is in the way of it and of its cluster."""

from msgspec.structs import replace

from services.status.assessing import assessed
from services.status.patch import difference
from shared.kernel.features import Features
from tests.support.builders import Raw
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec

PULL: Raw = {
    "type": "Blocked",
    "status": "True",
    "reason": "ImagePull",
    "message": "pod x-head: container ray, ErrImagePull (and 2 more)",
    "lastTransitionTime": "2030-01-01T12:00:00Z",
}


def begun() -> JobStory:
    story = JobStory(job_spec())
    story.goes_on()
    return story


def suspend(story: JobStory, *, wanted: bool) -> None:
    """Somebody writes into the cluster itself, as Kueue does."""
    seen = story.clusters[story.cluster_name]
    meta = replace(seen.meta, resource_version=next(story.versions))
    spec = {**seen.spec, "suspend": wanted}
    story.clusters[story.cluster_name] = replace(seen, meta=meta, spec=spec)
    story.sees_cluster(story.cluster_name)


def at_rest(story: JobStory) -> bool:
    told = assessed(story.view(), Features()) or {}
    return not difference(story.view().status, told)


def test_a_job_that_merely_begins_says_nothing() -> None:
    story = begun()

    assert "message" not in story.status
    assert at_rest(story)


def test_what_is_in_the_way_of_the_cluster_is_told_and_taken_back() -> None:
    story = begun()
    story.cluster_is("", conditions=[PULL])
    story.goes_on()
    during = story.status["message"]
    resting = at_rest(story)
    story.cluster_is("", conditions=[])
    story.goes_on()

    name = story.cluster_name
    words = "container ray, ErrImagePull (and 2 more)"
    assert during == f"pod x-head of raycluster {name}: {words}"
    assert resting
    assert "message" not in story.status


def test_a_cluster_that_somebody_suspended_is_told_of_until_it_is_resumed() -> None:
    story = begun()
    name = story.cluster_name
    suspend(story, wanted=True)
    story.goes_on()
    during, resting = story.status["message"], at_rest(story)
    suspend(story, wanted=False)
    story.goes_on()

    words = "it is suspended, and only its own spec.suspend lets it go on"
    assert during == f"raycluster {name}: {words}"
    assert resting
    assert "message" not in story.status


def test_a_dashboard_that_stops_answering_is_told_with_its_class() -> None:
    story = running(job_spec())
    story.job_is("RUNNING", "it works")
    story.goes_on()
    story.dashboard.answers = False
    story.goes_on()
    during, resting = str(story.status["message"]), at_rest(story)
    story.dashboard.answers = True
    story.goes_on()

    assert during.startswith("dashboard ")
    assert during.endswith(": it cannot be asked: unreachable")
    assert resting
    assert story.status["message"] == "it works"
