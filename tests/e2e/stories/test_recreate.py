"""With `Recreate`, another image means other pods, all of them, one head at a time."""

import pytest

from tests.e2e.stories.staging import Stage, told
from tests.support.fleet import manifest
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.timeout(420)]

NEW = "rayproject/ray:2.53.0"


def images(stage: Stage) -> set[str]:
    return {
        container["image"] for pod in stage.pods() for container in pod.body["spec"]["containers"]
    }


async def test_every_pod_is_made_again_from_the_new_spec(here: Installation) -> None:
    async with told(here, "upgraded") as stage:
        wanted = manifest("upgraded", 2)
        wanted["spec"]["upgradeStrategy"] = {"type": "Recreate"}
        await stage.create(wanted)
        await stage.settled(2)
        before = stage.uids()

        await stage.change(
            ("replace", "/spec/headGroupSpec/template/spec/containers/0/image", NEW),
            ("replace", "/spec/workerGroupSpecs/0/template/spec/containers/0/image", NEW),
        )
        await stage.until(
            lambda: stage.is_settled(2) and not stage.uids() & before, "every pod is another"
        )

        assert images(stage) == {NEW}
        await stage.delete()


async def test_without_the_strategy_what_runs_goes_on(here: Installation) -> None:
    async with told(here, "kept") as stage:
        await stage.create(manifest("kept", 1))
        await stage.settled(1)
        before = stage.uids()

        await stage.change(("replace", "/spec/headGroupSpec/template/spec/containers/0/image", NEW))
        await stage.settled(1)

        assert stage.uids() == before
        await stage.delete()
