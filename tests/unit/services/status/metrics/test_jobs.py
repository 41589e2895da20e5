"""RayJobs under KubeRay's names: every one, how it is, and how long each attempt took."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from services.status.metrics.attempts import JOBS, JobCollector
from shared.telemetry.metrics import REGISTRY, exposition
from tests.support.builders import resource
from tests.support.history import History
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import KEY, UID, job_spec

IDENTITY = {"name": KEY.name, "namespace": KEY.namespace, "uid": UID}
DURATION = "kuberay_job_execution_duration_seconds"

Samples = dict[str, list[tuple[dict[str, str], float]]]


class Counted(JobStory):
    """A RayJob whose statuses are noted as the status service does."""

    collector: JobCollector

    def writes_status(self, status: dict[str, object], version: int) -> None:
        self.collector.note(self.view(), status, self.view().now)
        super().writes_status(status, version)


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Every test begins with a collector that knows nothing."""
    Counted.collector = JobCollector()


def samples() -> Samples:
    return {
        family.name: [(dict(one.labels), one.value) for one in family.samples]
        for family in Counted.collector.collect()
    }


@contextmanager
def shown(*stories: JobStory) -> Iterator[Samples]:
    with Counted.collector.showing(lambda: [story.view() for story in stories]):
        yield samples()


def counted(mode: str = "HTTPMode", /, **spec: object) -> Counted:
    story = Counted(job_spec(mode, **spec))
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    return story


def took(found: Samples) -> list[tuple[str, str, float]]:
    return [
        (labels["job_deployment_status"], labels["retry_count"], value)
        for labels, value in found[DURATION]
    ]


def test_shows_a_young_job_and_no_duration() -> None:
    """RayJob checklist 62: nothing between states that are not the last."""
    story = JobStory(job_spec())
    with shown(story) as new:
        assert new["kuberay_job_deployment_status"] == [({**IDENTITY, "deployment_status": ""}, 1)]
    with shown(running(job_spec())) as found:
        assert found == {
            "kuberay_job_info": [(IDENTITY, 1)],
            "kuberay_job_deployment_status": [({**IDENTITY, "deployment_status": "Running"}, 1)],
            DURATION: [],
        }


@pytest.mark.parametrize(("status", "phase"), [("SUCCEEDED", "Complete"), ("FAILED", "Failed")])
def test_tells_how_long_it_took(status: str, phase: str) -> None:
    """RayJob checklist 62: Running -> Complete and Failed, with the earlier failures."""
    story = counted()
    story.time_passes(90)
    story.job_is(status)
    story.goes_on()
    story.time_passes(600)

    with shown(story) as found:
        assert took(found) == [(phase, "0", 90)]


def test_tells_of_attempts_that_were_tried_again() -> None:
    """RayJob checklist 62: Running -> Retrying, and the earlier failed count as retry_count."""
    story = counted(backoffLimit=2)
    for seconds in (10, 20, 40):
        story.time_passes(seconds)
        story.job_is("SUCCEEDED" if seconds == 40 else "FAILED")
        story.goes_on()
        if seconds != 40:
            story.cluster_is("ready")
            story.goes_on()

    with shown(story) as found:
        assert took(found) == [("Retrying", "0", 10), ("Retrying", "1", 20), ("Complete", "2", 40)]


def test_a_job_without_sense_took_nothing() -> None:
    story = Counted(job_spec(activeDeadlineSeconds=-1))
    story.goes_on()

    with shown(story) as found:
        assert (story.phase, took(found)) == ("ValidationFailed", [])


def test_what_is_gone_is_forgotten_and_others_stay() -> None:
    """RayJob checklist 93: the series of a deleted RayJob vanish."""
    story = counted(backoffLimit=1)
    story.job_is("FAILED")
    story.goes_on()
    other = running(job_spec())
    with shown(story, other) as found:
        assert len(found["kuberay_job_info"]) == 2
    with shown(story) as found:
        assert len(took(found)) == 1
    story.is_deleted()
    story.goes_on()
    with shown(story) as found:
        assert set(map(len, found.values())) == {0}
    with shown(other) as found:
        assert len(found["kuberay_job_info"]) == 1
        assert took(found) == [], "its attempts are forgotten with it"


def test_a_cluster_is_no_job() -> None:
    history = History()
    history.sees(resource())
    with Counted.collector.showing(lambda: [history.view()]):
        assert set(map(len, samples().values())) == {0}


def test_the_families_are_known_without_anybody_serving() -> None:
    assert b"# TYPE kuberay_job_info gauge" in exposition()
    assert {family.name for family in JOBS.describe()} <= {
        family.name for family in REGISTRY.collect()
    }
