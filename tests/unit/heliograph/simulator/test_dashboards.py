"""The scripted Ray as the port of dashboards: what it answers, and how it fails."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from heliograph.simulator.dashboards import SandboxDashboards
from heliograph.simulator.loop import VirtualLoop
from sandbox.cluster import Cluster
from sandbox.controllers.rayrules import AnswerRule, JobRule, RayScript
from sandbox.controllers.scenario import Scenario
from shared.bus.memory_clock import LoopClock
from shared.ports.dashboard import DashboardFailed, Failure, Place

HEAD = {
    "metadata": {
        "name": "demo-head",
        "namespace": "default",
        "labels": {"ray.io/cluster": "demo", "ray.io/node-type": "head"},
    },
    "spec": {"containers": [{"name": "ray", "image": "ray:2"}]},
}
SERVICE = {
    "metadata": {"name": "demo-head-svc", "namespace": "default"},
    "spec": {
        "selector": {"ray.io/cluster": "demo"},
        "ports": [{"name": "dashboard", "port": 8265}],
    },
}
PLACE = Place(
    namespace="default",
    address="demo-head-svc.default.svc.cluster.local:8265",
    service="demo-head-svc",
)
Work = Callable[[SandboxDashboards, Cluster], Awaitable[None]]


def at_a_head(work: Work, script: RayScript) -> None:
    """Run work against the dashboard of a head that is up."""

    async def run() -> None:
        cluster = Cluster(LoopClock().now, scenario=Scenario(ray=script))
        cluster.create("pods", HEAD)
        cluster.create("services", SERVICE)
        for _ in range(10):
            cluster.step()
            await asyncio.sleep(0.2)
        await work(SandboxDashboards(cluster, lambda: None), cluster)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(run())


def test_a_job_is_submitted_once_and_runs_to_its_end() -> None:
    async def work(dashboards: SandboxDashboards, _: Cluster) -> None:
        assert await dashboards.job(PLACE, "one") is None
        assert await dashboards.submit(PLACE, "one", {"entrypoint": "true"}) == "one"
        with pytest.raises(DashboardFailed) as taken:
            await dashboards.submit(PLACE, "one", {"entrypoint": "true"})
        assert taken.value.failure is Failure.TAKEN
        await asyncio.sleep(6)
        (job,) = await dashboards.jobs(PLACE)
        assert job.status == "SUCCEEDED"
        assert await dashboards.stop(PLACE, "one") is False
        assert await dashboards.delete(PLACE, "one") is True

    at_a_head(work, RayScript(jobs=(JobRule(runs_for=5.0),)))


def test_serve_runs_what_it_is_told() -> None:
    config = {"applications": [{"name": "fruit", "import_path": "fruit:app"}]}

    async def work(dashboards: SandboxDashboards, cluster: Cluster) -> None:
        await dashboards.check(PLACE)
        assert (await dashboards.applications(PLACE)).applications == {}
        await dashboards.configure(PLACE, config)
        await asyncio.sleep(2)
        found = (await dashboards.applications(PLACE)).applications
        assert found["fruit"].status == "RUNNING"
        ip = str(cluster.get("pods", "default", "demo-head")["status"]["podIP"])
        assert await dashboards.proxy_is_well("default", "demo-head", ip, 8000)

    at_a_head(work, RayScript())


@pytest.mark.parametrize(
    ("rule", "failure"),
    [
        (AnswerRule(refuse=True), Failure.UNREACHABLE),
        (AnswerRule(delay=60.0), Failure.TIMEOUT),
        (AnswerRule(status=500), Failure.SERVER_ERROR),
    ],
)
def test_what_goes_wrong_has_its_class(rule: AnswerRule, failure: Failure) -> None:
    async def work(dashboards: SandboxDashboards, _: Cluster) -> None:
        with pytest.raises(DashboardFailed) as failed:
            await dashboards.job(PLACE, "one")
        assert failed.value.failure is failure

    at_a_head(work, RayScript(answers=(rule,)))
