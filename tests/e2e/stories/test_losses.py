"""Pods go without being asked: heads, workers, and one host of several."""

import pytest

from tests.e2e.stories.staging import Stage, told
from tests.support.fleet import Json, manifest
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.timeout(420)]


def fault_tolerant(name: str, workers: int) -> Json:
    """Return a cluster whose state is in Redis."""
    wanted = manifest(name, workers)
    wanted["spec"]["gcsFaultToleranceOptions"] = {"redisAddress": "redis:6379"}
    return wanted


@pytest.mark.parametrize("kept_in_redis", [False, True], ids=["in its head", "in Redis"])
async def test_a_lost_head_is_made_again_beside_its_workers(
    here: Installation, *, kept_in_redis: bool
) -> None:
    name = "ft-succeeds" if kept_in_redis else "headless"
    async with told(here, name) as stage:
        await stage.create((fault_tolerant if kept_in_redis else manifest)(name, 2))
        await stage.settled(2)
        [head] = stage.pods("head")
        workers = stage.uids("worker")

        await stage.delete_pod(head)
        await stage.until(
            lambda: head.uid not in stage.uids() and stage.is_settled(2), "there is another head"
        )

        assert stage.uids("worker") == workers
        await stage.delete()


async def test_a_lost_worker_is_replaced_and_the_others_stay(here: Installation) -> None:
    async with told(here, "robbed") as stage:
        await stage.create(manifest("robbed", 3))
        await stage.settled(3)
        before, lost = stage.uids(), stage.pods("worker")[0]

        await stage.delete_pod(lost)
        await stage.until(
            lambda: lost.uid not in stage.uids() and stage.is_settled(3), "there is another worker"
        )

        assert before - stage.uids() == {lost.uid}
        await stage.delete()


def replicas(stage: Stage) -> dict[str, set[str]]:
    """Return the hosts of each replica, by uid."""
    found: dict[str, set[str]] = {}
    for pod in stage.pods("worker"):
        replica = pod.body["metadata"]["labels"]["ray.io/worker-group-replica-name"]
        found.setdefault(replica, set()).add(pod.uid)
    return found


async def test_with_one_host_its_whole_replica_goes_and_no_other(here: Installation) -> None:
    async with told(here, "slices") as stage:
        wanted = manifest("slices", 2)
        wanted["spec"]["workerGroupSpecs"][0]["numOfHosts"] = 2
        await stage.create(wanted)
        await stage.until(lambda: has_slices(stage), "both replicas are whole")
        before, lost = replicas(stage), stage.pods("worker")[0]
        [broken] = [name for name, hosts in before.items() if lost.uid in hosts]

        await stage.delete_pod(lost)
        await stage.until(
            lambda: not stage.uids() & before[broken] and has_slices(stage),
            "another replica is whole",
        )

        [stayed] = before.keys() - {broken}
        assert replicas(stage)[stayed] == before[stayed]
        await stage.delete()


def has_slices(stage: Stage) -> bool:
    """Whether there are two whole replicas of two hosts, all ready, and the status says so."""
    sizes = sorted(len(hosts) for hosts in replicas(stage).values())
    status = stage.cluster.get("status", {})
    counted = status.get("readyWorkerReplicas"), status.get("state")
    return sizes == [2, 2] and counted == (4, "ready")
