"""What keeps an attempt from beginning although its spec makes sense."""

import pytest

from shared.actions.objects import CreateObject
from tests.support.builders import cluster_spec, group
from tests.support.jobstory import JobStory
from tests.support.rayjobs import job_spec

OLD = "the Ray version must be at least 2.6.0 to use the metadata field"
NONE = "failed to parse Ray version: latest: it is no version"


def begun(mode: str, version: str, /, **more: object) -> JobStory:
    spec = cluster_spec(group(), rayVersion=version)
    story = JobStory(job_spec(mode, rayClusterSpec=spec, metadata={"k": "v"}, **more))
    story.goes_on()
    return story


@pytest.mark.parametrize("mode", ["K8sJobMode", "SidecarMode"])
@pytest.mark.parametrize(("version", "message"), [("2.5.0", OLD), ("latest", NONE)])
def test_metadata_needs_a_version_that_has_it(mode: str, version: str, message: str) -> None:
    """RayJob checklist 36: 2.5.0, and what is no version, are refused; the status says why."""
    story = begun(mode, version, activeDeadlineSeconds=60)

    assert (story.phase, story.status["message"]) == ("Initializing", message)
    assert [one for one in story.done if isinstance(one, CreateObject)] == []
    story.time_passes(60)
    assert (story.phase, story.status["reason"]) == ("Failed", "DeadlineExceeded")


def test_a_repaired_version_lets_it_begin() -> None:
    story = begun("K8sJobMode", "2.5.0")
    story.wishes(rayClusterSpec=cluster_spec(group(), rayVersion="2.9.0"))
    story.goes_on()

    assert len(story.clusters) == 1
    assert "message" not in story.status


@pytest.mark.parametrize(("mode", "version"), [("HTTPMode", "2.5.0"), ("K8sJobMode", "2.6.0")])
def test_nothing_is_in_the_way_of_these(mode: str, version: str) -> None:
    assert len(begun(mode, version).clusters) == 1
