"""What a cluster's life costs the API server: the whole system, counted on virtual time."""

import asyncio

import pytest

from sandbox.controllers.scenario import PodRule
from tests.support.fleet import manifest
from tests.support.whole import Whole, whole

STATUS = "patch rayclusters.ray.io/status"
STATUS_WRITES_MOST = 3
QUICK = PodRule()
SLOW = PodRule(schedule_after=0.5, run_after=3, ready_after=2, terminate_after=2)


async def come_up(here: Whole, workers: int) -> None:
    wanted = manifest("demo", workers)
    wanted["metadata"]["namespace"] = "default"
    wanted["spec"]["workerGroupSpecs"][0]["maxReplicas"] = workers
    here.cluster.create("rayclusters", wanted)
    await here.until(lambda: here.state("demo") == "ready")


@pytest.mark.parametrize("rule", [QUICK, SLOW], ids=["quick", "slow"])
async def test_coming_up_takes_few_status_writes_and_going_takes_none(rule: PodRule) -> None:
    async with whole(rule) as here:
        await come_up(here, 3)
        await asyncio.sleep(30)
        up = dict(here.asked)
        here.count()
        here.cluster.delete("rayclusters", "default", "demo")
        await here.until(lambda: not here.left("pods"))
        await asyncio.sleep(30)
        down = dict(here.asked)

    assert up.pop(STATUS) <= STATUS_WRITES_MOST
    assert up["create pods"] == 4
    assert down == {"delete rayclusters": 1}


async def test_a_large_cluster_comes_up_with_exactly_its_pods_and_few_status_writes() -> None:
    async with whole(SLOW) as here:
        await come_up(here, 150)
        await asyncio.sleep(30)

    assert here.asked["create pods"] == 151
    assert here.asked[STATUS] <= STATUS_WRITES_MOST
    assert len(here.left("pods")) == 151
