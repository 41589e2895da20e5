"""The autoscaler patches replicas and names workers while the user edits the same object."""

import asyncio

import pytest

from tests.e2e.stories.staging import Stage, told
from tests.support.fleet import Json, manifest
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.timeout(420)]

GROUP = "/spec/workerGroupSpecs/0"
IDLE = "/spec/autoscalerOptions/idleTimeoutSeconds"


def autoscaled(name: str) -> Json:
    """Return a cluster whose size is the autoscaler's business."""
    wanted = manifest(name, 1)
    wanted["spec"] |= {
        "enableInTreeAutoscaling": True,
        "autoscalerOptions": {"idleTimeoutSeconds": 60},
    }
    return wanted


async def upscale(stage: Stage) -> None:
    """Ask for one more worker at a time, as the autoscaler does."""
    for replicas in (2, 3, 4):
        await stage.change(("replace", f"{GROUP}/replicas", replicas))
        await asyncio.sleep(0.1)


async def edit(stage: Stage) -> None:
    """Change something else of the spec meanwhile."""
    for seconds in (61, 62, 63):
        await stage.change(("replace", IDLE, seconds))
        await asyncio.sleep(0.15)


async def test_both_are_obeyed_and_nobody_is_overrun(here: Installation) -> None:
    async with told(here, "elastic") as stage:
        await stage.create(autoscaled("elastic"))
        await stage.settled(1)
        head = stage.uids("head")

        await asyncio.gather(upscale(stage), edit(stage))
        await stage.settled(4)
        before = stage.pods("worker")
        leaving = [pod.name for pod in before[1:3]]
        await asyncio.gather(
            stage.change(
                ("replace", f"{GROUP}/replicas", 2),
                ("add", f"{GROUP}/scaleStrategy", {"workersToDelete": leaving}),
            ),
            edit(stage),
        )
        await stage.settled(2)

        assert {pod.name for pod in stage.pods("worker")} == {before[0].name, before[3].name}
        assert stage.uids("head") == head
        assert stage.cluster["spec"]["autoscalerOptions"]["idleTimeoutSeconds"] == 63
        await stage.change(("remove", f"{GROUP}/scaleStrategy", None))
        await stage.settled(2)
        await stage.delete()
