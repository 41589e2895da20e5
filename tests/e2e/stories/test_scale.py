"""A cluster grows and shrinks: who is there stays as long as there is a place."""

import pytest

from tests.e2e.stories.staging import told
from tests.support.fleet import manifest
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.timeout(420)]

REPLICAS = "/spec/workerGroupSpecs/0/replicas"


async def test_it_grows_and_shrinks_and_keeps_its_head(here: Installation) -> None:
    async with told(here, "scaled") as stage:
        await stage.create(manifest("scaled", 1))
        await stage.settled(1)
        head, first = stage.uids("head"), stage.uids("worker")

        await stage.change(("replace", REPLICAS, 4))
        await stage.settled(4)
        grown = stage.uids("worker")
        await stage.change(("replace", REPLICAS, 2))
        await stage.settled(2)

        assert first < grown
        assert stage.uids("worker") < grown
        assert stage.uids("head") == head
        await stage.change(("replace", REPLICAS, 0))
        await stage.settled(0)
        await stage.delete()
