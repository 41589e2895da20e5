"""One resource that breaks its service waits by itself; the others go on."""

import asyncio

from shared.aggregates.view import View
from shared.events.subjects import partition_of
from shared.following.follower import ASIDE_LONGEST
from shared.kernel.keys import ResourceKey
from tests.unit.shared.following.followed import Owning, Seen, World, following

BAD = ResourceKey("raycluster", "prod", "bad")
GOOD = ResourceKey("raycluster", "prod", "good")


class Broken(Seen):
    """Somebody whom one resource breaks."""

    def __init__(self) -> None:
        super().__init__()
        self.looks: list[str] = []

    async def attend(self, view: View) -> None:
        self.looks.append(view.key.name)
        if view.key == BAD:
            raise RuntimeError("this one cannot be decided")


async def test_a_resource_that_breaks_its_service_does_not_stop_the_others() -> None:
    world, broken = World(), Broken()
    for key in (BAD, GOOD):
        await world.see(key)
    owning = Owning(partition_of(BAD), partition_of(GOOD))
    async with following(world.server.connect("one"), owning, broken):
        await asyncio.sleep(ASIDE_LONGEST * 3)
        await world.see(GOOD, generation=2)
        await asyncio.sleep(1)

    assert broken.looks.count("good") == 2
    assert 9 <= broken.looks.count("bad") <= 12
