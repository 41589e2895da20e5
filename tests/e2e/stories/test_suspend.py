"""A suspended cluster has no pods and says so; resumed, it comes back with others."""

import pytest

from tests.e2e.stories.staging import Stage, told
from tests.support.fleet import manifest
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.timeout(420)]


def is_suspended(stage: Stage) -> bool:
    status = stage.cluster.get("status", {})
    conditions = {one["type"]: one["status"] for one in status.get("conditions", [])}
    return (
        status.get("state") == "suspended"
        and conditions.get("RayClusterSuspended") == "True"
        and conditions.get("RayClusterSuspending") == "False"
        and not stage.pods()
    )


async def test_it_sleeps_without_pods_and_wakes_with_new_ones(here: Installation) -> None:
    async with told(here, "sleeper") as stage:
        await stage.create(manifest("sleeper", 2))
        await stage.settled(2)
        before = stage.uids()

        await stage.change(("add", "/spec/suspend", True))
        await stage.until(lambda: is_suspended(stage), "the cluster is suspended")
        assert "sleeper-head-svc" in stage.world.now["services"]
        await stage.change(("replace", "/spec/suspend", False))
        await stage.settled(2)

        assert stage.uids() & before == set()
        await stage.delete()


async def test_a_cluster_can_be_deleted_in_its_sleep(here: Installation) -> None:
    async with told(here, "dreamer") as stage:
        wanted = manifest("dreamer", 1)
        wanted["spec"]["suspend"] = True
        await stage.create(wanted)
        await stage.until(lambda: is_suspended(stage), "the cluster is suspended")

        assert not [seen for seen in stage.world.history if seen.owner and seen.plural == "pods"]
        await stage.delete()
