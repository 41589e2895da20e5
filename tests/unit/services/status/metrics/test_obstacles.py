"""Since when something is in the way, in the metrics: of the cluster, and of the job above it."""

from services.status.metrics.obstacles import OBSTACLES
from shared.aggregates.view import View
from shared.telemetry.metrics import REGISTRY
from tests.support.builders import NOON, Raw, cluster_spec, resource, with_status
from tests.support.history import History
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec

BLOCKED: Raw = {
    "type": "Blocked",
    "status": "True",
    "reason": "Quota",
    "message": "group small: exceeded quota",
    "lastTransitionTime": "2030-01-01T12:00:00Z",
}


def shown(*views: View) -> list[tuple[str, str, str, float]]:
    with OBSTACLES.showing(lambda: views):
        (family,) = [
            one for one in REGISTRY.collect() if one.name == "heliograph_blocked_since_seconds"
        ]
    return [
        (one.labels["kind"], one.labels["name"], one.labels["cause"], one.value)
        for one in family.samples
    ]


def cluster(*conditions: Raw) -> View:
    history = History()
    history.sees(with_status(resource(cluster_spec()), {"conditions": list(conditions)}))
    return history.view()


def test_a_cluster_with_something_in_its_way_tells_cause_and_moment() -> None:
    assert shown(cluster(BLOCKED)) == [("raycluster", "demo", "Quota", NOON.timestamp())]


def test_nothing_in_the_way_is_not_shown() -> None:
    assert shown(cluster(), cluster({**BLOCKED, "status": "False"})) == []


def test_a_job_tells_what_is_in_the_way_of_its_cluster_until_it_is_over() -> None:
    story = JobStory(job_spec())
    story.goes_on()
    story.cluster_is("", conditions=[BLOCKED])
    story.goes_on()
    during = shown(story.view())
    over = running(job_spec())
    over.cluster_is("ready", conditions=[BLOCKED])
    over.job_is("SUCCEEDED")
    over.goes_on()

    assert during == [("rayjob", "train", "Quota", NOON.timestamp())]
    assert shown(over.view()) == []
