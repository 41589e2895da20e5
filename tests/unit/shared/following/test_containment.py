"""One resource that breaks its service waits by itself; the others go on."""

import asyncio
from contextlib import suppress

import pytest
from prometheus_client import Gauge

from shared.aggregates.ledger import Ledger
from shared.aggregates.view import View
from shared.events.subjects import partition_of
from shared.following.aside import ASIDE, ASIDE_LONGEST
from shared.following.follower import Follower
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import BusUnavailable
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


async def test_who_wishes_otherwise_is_looked_at_at_once_and_who_says_the_same_again_is_not() -> (
    None
):
    world, broken = World(), Broken()
    await world.see(BAD)
    async with following(world.server.connect("one"), Owning(partition_of(BAD)), broken):
        await asyncio.sleep(ASIDE_LONGEST * 3)
        before = len(broken.looks)
        await world.see(BAD)
        await asyncio.sleep(1)
        same = len(broken.looks)
        await world.see(BAD, generation=2)
        await asyncio.sleep(1)

    assert same == before
    assert len(broken.looks) == before + 1


async def test_a_resource_whose_records_cannot_be_folded_stops_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = Ledger.view

    def view(self: Ledger, key: ResourceKey) -> View:
        if key == BAD:
            raise LookupError("what is this?")
        return usual(self, key)

    monkeypatch.setattr(Ledger, "view", view)
    monkeypatch.setattr(Ledger, "outline", view)
    world, seen = World(), Broken()
    for key in (BAD, GOOD):
        await world.see(key)
    owning = Owning(partition_of(BAD), partition_of(GOOD))
    async with following(world.server.connect("one"), owning, seen):
        await asyncio.sleep(ASIDE_LONGEST)
        await world.see(GOOD, generation=2)
        await asyncio.sleep(1)

    assert seen.looks == ["good", "good"]


async def test_who_cannot_tell_of_it_is_set_aside_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def nobody_hears(_view: View, _error: Exception) -> None:
        raise BusUnavailable("no answer")

    world, broken = World(), Broken()
    await world.see(BAD)
    owning = Owning(partition_of(BAD))
    follower = Follower(world.server.connect("one"), owning, broken.attend, broke=nobody_hears)
    task = asyncio.create_task(follower.run())
    await asyncio.sleep(ASIDE_LONGEST)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert len(broken.looks) <= 10
    lines = [one for one in caplog.records if one.message == "resource set aside"]
    assert len(lines) == len(broken.looks)
    assert {str(one.exc_info[1]) for one in lines if one.exc_info} == {"this one cannot be decided"}


async def test_what_moved_away_is_not_kept_aside() -> None:
    world, broken = World(), Broken()
    await world.see(BAD)
    owning = Owning(partition_of(BAD))
    async with following(world.server.connect("one"), owning, broken):
        await asyncio.sleep(1)
        kept = value_of(ASIDE)
        owning.own()
        await asyncio.sleep(ASIDE_LONGEST)
        left = value_of(ASIDE)

    assert kept - left == 1


def value_of(gauge: Gauge) -> float:
    return sum(sample.value for metric in gauge.collect() for sample in metric.samples)
