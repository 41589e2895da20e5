"""A deleted cluster whose state is in Redis waits for the Job that cleans up, and not for ever."""

import pytest

from tests.e2e.stories.staging import Stage, told
from tests.e2e.stories.test_losses import fault_tolerant
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.timeout(420)]

FINALIZER = "ray.io/gcs-ft-redis-cleanup-finalizer"
TIMEOUT = "ray.io/gcs-ft-deletion-timeout"


def held(stage: Stage) -> bool:
    return FINALIZER in stage.cluster["metadata"].get("finalizers", [])


async def jobs(stage: Stage) -> list[str]:
    return [job["metadata"]["name"] for job in await stage.items("/apis/batch/v1", "jobs")]


def heads_at_the_end(stage: Stage) -> list[bool]:
    """Say of every pod of the Job whether a head was there when it came."""
    here: set[str] = set()
    found = []
    for seen in sorted(stage.world.history, key=lambda seen: seen.version):
        role = seen.body["metadata"].get("labels", {}).get("ray.io/node-type")
        if seen.plural != "pods" or role not in ("head", "redis-cleanup"):
            continue
        if role == "redis-cleanup":
            found.append(bool(here))
        elif seen.gone:
            here.discard(seen.uid)
        else:
            here.add(seen.uid)
    return found


@pytest.mark.parametrize("name", ["ft-succeeds", "ft-fails"])
async def test_it_goes_when_the_job_has_ended_well_or_badly(here: Installation, name: str) -> None:
    async with told(here, name) as stage:
        await stage.create(fault_tolerant(name, 1))
        await stage.settled(1)
        assert held(stage)

        await stage.delete()
        await stage.gone()

        assert heads_at_the_end(stage) != []
        assert not any(heads_at_the_end(stage))


async def test_it_goes_without_the_job_when_the_users_patience_has_ended(
    here: Installation,
) -> None:
    async with told(here, "ft-hangs") as stage:
        wanted = fault_tolerant("ft-hangs", 0)
        wanted["metadata"]["annotations"] = {TIMEOUT: "5"}
        await stage.create(wanted)
        await stage.settled(0)

        await stage.delete()
        await stage.until(lambda: heads_at_the_end(stage), "the Job has a pod")
        assert held(stage)
        await stage.until(lambda: not stage.cluster, "the cluster is gone")

        events = await stage.items("/apis/events.k8s.io/v1", "events")
        assert "ForceDeletedStuckCluster" in {event["reason"] for event in events}
