"""One want, asked once: what the dashboard and Kubernetes say, as a fact."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.faults import Refuse
from services.watcher.asking.questions import MESSAGE_MAX, SENTENCE_MAX, Questions
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import StraightDoors
from shared.events.objects import ResourceSeen
from shared.events.told import (
    HealthTold,
    JobTold,
    Looked,
    ServeTold,
    Told,
    WantedHealth,
    WantedJob,
    WantedObject,
    WantedServe,
)
from tests.support.dashboards import SECRET, TOKEN, Script, played, says, token_of
from tests.support.sandbox_cluster import SandboxCluster
from tests.unit.services.watcher.watched import new_cluster, resource

SINCE = datetime(2030, 1, 1, 12, tzinfo=UTC)
EVERY = timedelta(seconds=3)
JOB = "/api/jobs/train-1"
JSON = "application/json"


def cluster_want(name: str = "demo") -> WantedObject:
    return WantedObject(
        name="cluster", because="b", since=SINCE, every=EVERY, kind="raycluster", object=name
    )


async def told(script: Script, *, job_id: str = "train-1", secret: str = "") -> Told | None:
    async with played(script) as (http, address):
        dashboard = RayDashboards(StraightDoors(http, token_of))
        want = WantedJob(
            name="job",
            because="b",
            since=SINCE,
            every=EVERY,
            job_id=job_id,
            address=address,
            service="s",
            secret=secret,
        )
        return await Questions(SandboxCluster(new_cluster()), dashboard).ask("prod", want)


def answering(status: int, text: str) -> Script:
    script = Script()
    script.plays("GET", JOB, says(status, text, JSON if text.startswith("{") else "text/plain"))
    return script


async def test_a_job_is_told_with_its_times() -> None:
    """RayJob checklist 9: milliseconds become moments; nothing stands for zero."""
    script = answering(
        200,
        '{"status": "SUCCEEDED", "message": "ok", "start_time": 1893499200000, '
        '"end_time": 1893499260500, "type": "SUBMISSION"}',
    )

    assert await told(script) == JobTold(
        job_id="train-1",
        since=SINCE,
        answer="found",
        status="SUCCEEDED",
        message="ok",
        started_at=datetime(2030, 1, 1, 12, tzinfo=UTC),
        ended_at=datetime(2030, 1, 1, 12, 1, 0, 500_000, tzinfo=UTC),
    )
    early = answering(200, '{"status": "PENDING", "start_time": 0, "end_time": null}')
    assert await told(early) == JobTold(
        job_id="train-1", since=SINCE, answer="found", status="PENDING"
    )


@pytest.mark.parametrize("moment", ["-5", "9999999999999999"])
async def test_a_moment_without_sense_is_none(moment: str) -> None:
    found = await told(answering(200, f'{{"status": "RUNNING", "start_time": {moment}}}'))

    assert isinstance(found, JobTold)
    assert found.started_at is None


async def test_a_long_traceback_keeps_its_end_which_says_what_is_wrong() -> None:
    trace = "Deploying app 'a' failed:\n" + "  File x\n" * 999 + "ModuleNotFoundError: fruit"
    apps = {"a": {"status": "DEPLOY_FAILED", "message": trace, "deployments": {}}}
    script = Script()
    path = "/api/serve/applications/"
    script.plays("GET", path, says(200, json.dumps({"applications": apps}), JSON))

    async with played(script) as (http, address):
        dashboard = RayDashboards(StraightDoors(http, token_of))
        want = WantedServe(
            name="serve", because="b", since=SINCE, every=EVERY, address=address, service="s"
        )
        found = await Questions(SandboxCluster(new_cluster()), dashboard).ask("prod", want)

    assert isinstance(found, ServeTold)
    message = found.applications["a"].message
    assert len(message) == SENTENCE_MAX
    assert message.startswith("Deploying app 'a' failed:\n")
    assert message.endswith("\nModuleNotFoundError: fruit")


async def test_a_long_message_is_cut() -> None:
    found = await told(answering(200, f'{{"status": "FAILED", "message": "{"x" * 200_000}"}}'))

    assert isinstance(found, JobTold)
    assert len(found.message) == MESSAGE_MAX


async def test_only_the_dashboard_itself_can_say_that_a_job_is_not_there() -> None:
    missing = answering(404, "Job train-1 does not exist")

    assert await told(missing) == JobTold(job_id="train-1", since=SINCE, answer="missing")
    stranger = await told(answering(404, '{"kind": "Status", "message": "no such service"}'))
    assert isinstance(stranger, JobTold)
    assert stranger.answer == "failed"


@pytest.mark.parametrize(
    ("status", "text"), [(200, "<html>"), (500, '{"status": "RUNNING"}'), (503, "away")]
)
async def test_what_nobody_can_tell_is_told_as_that(status: int, text: str) -> None:
    """RayJob checklist 40: no answer of an error is taken for a job, JSON or not."""
    found = await told(answering(status, text))

    assert isinstance(found, JobTold)
    assert (found.answer, found.status) == ("failed", "")
    assert found.failure in ("garbage", "server_error", "unreachable")


async def test_a_token_is_sent_and_never_told() -> None:
    script = answering(200, f'{{"status": "RUNNING", "message": "{TOKEN}"}}')
    found = await told(script, secret=SECRET)

    assert script.asked[0].headers["x-ray-authorization"] == f"Bearer {TOKEN}"
    assert isinstance(found, JobTold)
    assert TOKEN not in found.message


async def test_a_missing_secret_is_nobody_can_tell() -> None:
    found = await told(answering(200, "{}"), secret="gone")

    assert isinstance(found, JobTold)
    assert (found.answer, found.failure) == ("failed", "unauthorized")


async def test_a_job_without_a_name_is_not_asked_about() -> None:
    script = Script()

    assert await told(script, job_id="") is None
    assert script.asked == []


async def looked(cluster: Cluster, want: WantedObject) -> object:
    async with played(Script()) as (http, _):
        dashboard = RayDashboards(StraightDoors(http, token_of))
        return await Questions(SandboxCluster(cluster), dashboard).ask("default", want)


async def test_a_cluster_that_is_not_ours_is_looked_at_by_its_name() -> None:
    """RayJob checklist 89: found, or there is none."""
    cluster = new_cluster()
    cluster.create("rayclusters", resource())
    found = await looked(cluster, cluster_want())

    assert isinstance(found, Looked)
    assert [one.meta.name for one in found.objects] == ["demo"]
    assert await looked(cluster, cluster_want("other")) == Looked(kind="raycluster", since=SINCE)


async def test_a_cluster_that_is_too_large_for_the_log_is_told_without_its_spec() -> None:
    cluster = new_cluster()
    large = resource()
    template = large["spec"]["headGroupSpec"]["template"]
    template["spec"]["containers"][0]["args"] = ["x" * 1000] * 950
    cluster.create("rayclusters", large)

    found = await looked(cluster, cluster_want())

    assert isinstance(found, Looked)
    (seen,) = found.objects
    assert isinstance(seen, ResourceSeen)
    assert (seen.spec, seen.meta.name) == ({}, "demo")
    assert seen.bytes_left_out > 900_000


async def test_a_head_is_looked_for_by_its_labels() -> None:
    cluster = new_cluster()
    for name, kind in (("a", "head"), ("b", "worker")):
        labels = {"ray.io/node-type": kind}
        cluster.create(
            "pods",
            {
                "metadata": {"name": name, "namespace": "default", "labels": labels},
                "spec": {"containers": [{"name": "ray", "image": "ray"}]},
            },
        )
    want = WantedObject(
        name="head",
        because="b",
        since=SINCE,
        every=EVERY,
        kind="pod",
        labels={"ray.io/node-type": "head"},
    )
    found = await looked(cluster, want)

    assert isinstance(found, Looked)
    assert [one.meta.name for one in found.objects] == ["a"]


async def test_a_failed_look_tells_nothing() -> None:
    """Absence is what was seen, never what could not be read."""
    cluster = new_cluster()
    cluster.faults = lambda _: Refuse(error=ApiError.forbidden("rayclusters", "demo", "no"))

    assert await looked(cluster, cluster_want()) is None


@pytest.mark.parametrize(
    ("well", "healthy", "silent"), [(True, True, False), (False, False, False), (None, False, True)]
)
async def test_no_answer_of_a_head_is_told_as_that(
    well: bool | None, *, healthy: bool, silent: bool
) -> None:
    class Proxy:
        async def proxy_is_well(self, *_: object) -> bool | None:
            return well

    want = WantedHealth(
        name="head", because="b", since=SINCE, every=EVERY, pod="p", ip="10.0.0.1", port=8000
    )
    questions = Questions(SandboxCluster(new_cluster()), Proxy())  # type: ignore[arg-type] # heads alone are asked
    said = HealthTold(since=SINCE, pod="p", ip="10.0.0.1", healthy=healthy, silent=silent)

    assert await questions.ask("prod", want) == said
