"""Following owned partitions."""

import asyncio

import pytest

from shared.aggregates.view import View
from shared.events import subjects
from shared.following.follower import PAUSE, REST_FROM, REST_LONGEST, rest_for
from shared.ports.event_log import BusUnavailable
from tests.support.builders import KEY, worker
from tests.unit.shared.following.followed import (
    HERE,
    OTHER,
    THERE,
    Gate,
    Owning,
    Seen,
    World,
    following,
    untold,
)

MINUTE = 60


class Reluctant(Seen):
    """Somebody whom the bus does not answer at first."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    async def attend(self, view: View) -> None:
        if self.failures:
            self.failures -= 1
            raise BusUnavailable("nobody answers")
        await super().attend(view)


class Slow(Seen):
    """Somebody who takes a while, and notices who else is at it."""

    def __init__(self) -> None:
        super().__init__()
        self.at_it: list[str] = []

    async def attend(self, view: View) -> None:
        assert view.key.name not in self.at_it
        self.at_it.append(view.key.name)
        await asyncio.sleep(10)
        self.at_it.remove(view.key.name)
        await super().attend(view)


async def test_looks_once_at_every_resource_of_its_partitions() -> None:
    world, seen = World(), Seen()
    await world.see(generation=1)
    await world.see(generation=2)
    await world.see(OTHER)
    async with following(world.server.connect("f"), Owning(HERE), seen) as follower:
        assert (follower.synced, follower.owned) == (True, frozenset({HERE}))
        assert seen.take() == [("demo", 2)]


async def test_news_are_attended_to_as_they_come() -> None:
    world, seen = World(), Seen()
    async with following(world.server.connect("f"), Owning(HERE), seen):
        for generation in (1, 2):
            await world.see(generation=generation)
            await asyncio.sleep(1)

    assert seen.take() == [("demo", 1), ("demo", 2)]


async def test_a_resource_is_in_one_hand_at_a_time_and_its_news_come_together() -> None:
    world, seen = World(), Slow()
    async with following(world.server.connect("f"), Owning(HERE, THERE), seen):
        await world.see(OTHER)
        for generation in (1, 2, 3):
            await world.see(generation=generation)
            await asyncio.sleep(1)
        await asyncio.sleep(MINUTE)

    assert sorted(seen.take()) == [("demo", 1), ("demo", 3), ("other", 1)]


async def test_gained_partitions_are_loaded_and_looked_at() -> None:
    world, seen, owning = World(), Seen(), Owning(HERE)
    await world.see(OTHER)
    async with following(world.server.connect("f"), owning, seen) as follower:
        assert seen.take() == []
        owning.own(HERE, THERE)
        await asyncio.sleep(1)

        assert follower.owned == {HERE, THERE}
        assert seen.take() == [("other", 1)]


async def test_lost_partitions_are_forgotten() -> None:
    world, seen, owning = World(), Seen(), Owning(HERE, THERE)
    await world.see()
    await world.see(OTHER)
    async with following(world.server.connect("f"), owning, seen) as follower:
        seen.take()
        owning.own(HERE)
        await asyncio.sleep(1)
        await world.see(OTHER, generation=2)
        follower.look_at(OTHER)
        follower.look_at_everything()
        await asyncio.sleep(1)
        assert seen.take() == [("demo", 1)]
        owning.own(HERE, THERE)
        await asyncio.sleep(1)

        assert sorted(seen.take()) == [("demo", 1), ("other", 2)]


async def test_what_a_tail_brings_of_a_lost_partition_is_not_folded() -> None:
    world, seen, owning = World(), Seen(), Owning(HERE, THERE)
    bus, held = world.connect("f")
    await world.see()
    async with following(bus, owning, seen) as follower:
        owning.own(THERE)
        await asyncio.sleep(1)
        held.gate = Gate(passes=1)
        owning.own(HERE, THERE)
        await asyncio.sleep(1)
        await world.write(subjects.observed(KEY, "pod", "w1"), worker("w1"))
        follower.look_at(KEY)
        await asyncio.sleep(1)
        assert [sorted(view.children) for view in seen.views] == [[], [], []]
        held.gate.open()
        await asyncio.sleep(1)

    assert sorted(seen.views[-1].children) == [("pod", "w1")]


async def test_no_view_is_given_out_before_its_partition_is_loaded() -> None:
    world, seen = World(), Seen()
    bus, held = world.connect("f")
    held.gate.close()
    await world.see()
    async with following(bus, Owning(HERE), seen) as follower:
        follower.look_at(KEY)
        follower.look_at_everything()
        await asyncio.sleep(1)
        assert (follower.synced, seen.take()) == (False, [])
        held.gate.open()
        await asyncio.sleep(1)

        assert (follower.synced, seen.take()) == (True, [("demo", 1)])


async def test_who_owns_nothing_is_synced_once_told_so() -> None:
    world, owning = World(), Owning()
    bus = world.server.connect("f")
    async with following(bus, owning, Seen()) as follower:
        assert (follower.synced, follower.owned) == (True, frozenset())
        bus.link.break_down()
        bus.link.come_back()
        assert not follower.synced


async def test_who_does_not_know_what_is_owned_is_not_synced() -> None:
    async with following(World().server.connect("f"), untold, Seen()) as follower:
        assert not follower.synced


async def test_a_reconnection_loads_everything_anew() -> None:
    world, seen = World(), Seen()
    bus = world.server.connect("f")
    await world.see()
    async with following(bus, Owning(HERE), seen) as follower:
        seen.take()
        bus.link.break_down()
        bus.link.come_back()
        follower.look_at(KEY)
        assert (follower.synced, seen.take()) == (False, [])
        await asyncio.sleep(1)

        assert (follower.synced, seen.take()) == (True, [("demo", 1)])


async def test_what_the_log_has_lost_is_in_no_view_any_more() -> None:
    world, seen = World(), Seen()
    kept = await world.see()
    async with following(world.server.connect("f"), Owning(HERE), seen) as follower:
        await world.see(generation=2)
        await world.see(OTHER)
        await asyncio.sleep(1)
        losses = follower.losses
        world.server.truncate(kept)
        seen.take()
        await asyncio.sleep(1)

        assert seen.take() == [("demo", 1)]
        assert follower.losses > losses


async def test_a_reset_on_the_same_connection_forgets_as_well() -> None:
    world, seen = World(), Seen()
    bus = world.server.connect("f")
    for _ in range(3):
        await world.see(generation=2)
    async with following(bus, Owning(HERE), seen) as follower:
        seen.take()
        generation = bus.generation
        bus.link.silence()
        world.server.log.wipe()
        await world.see(generation=1)
        await asyncio.sleep(MINUTE)

        assert (bus.generation, follower.synced) == (generation, True)
        assert seen.take() == [("demo", 1)]


async def test_what_was_known_before_a_reconnection_is_forgotten_without_being_told() -> None:
    world, seen = World(), Seen()
    bus, held = world.connect("f")
    kept = await world.see()
    async with following(bus, Owning(HERE), seen):
        await world.see(generation=2)
        await asyncio.sleep(1)
        held.gate.close()
        held.gate = Gate()
        seen.take()
        world.server.truncate(kept)
        await asyncio.sleep(1)

    assert seen.take() == [("demo", 1)]


@pytest.mark.parametrize("failures", [1, 3])
async def test_what_could_not_be_attended_to_is_tried_again(failures: int) -> None:
    world, seen = World(), Reluctant(failures)
    await world.see()
    async with following(world.server.connect("f"), Owning(HERE), seen):
        await asyncio.sleep(failures * PAUSE)

    assert seen.take() == [("demo", 1)]


async def test_resources_with_unreadable_records_are_left_alone() -> None:
    world, seen = World(), Seen()
    await world.see()
    await world.see(OTHER)
    await world.garble()
    async with following(world.server.connect("f"), Owning(HERE, THERE), seen) as follower:
        follower.look_at(KEY)
        await asyncio.sleep(1)

        assert set(seen.take()) == {("other", 1)}


async def test_an_unreadable_record_that_the_log_has_lost_is_forgotten() -> None:
    world, seen = World(), Seen()
    async with following(world.server.connect("f"), Owning(HERE), seen):
        await world.garble()
        await asyncio.sleep(1)
        world.server.wipe(first_sequence=100)
        await asyncio.sleep(10)
        await world.see()
        await asyncio.sleep(1)

        assert seen.take() == [("demo", 1)]


async def test_knows_whether_a_session_mark_has_been_read() -> None:
    world, seen = World(), Seen()
    bus, held = world.connect("f")
    await world.see()
    async with following(bus, Owning(HERE), seen) as follower:
        held.gate.close()
        seen.take()
        mark = await world.mark("pod", "s1")
        await asyncio.sleep(1)
        assert not follower.has_read(KEY, mark)
        held.gate.open()
        await asyncio.sleep(1)

        assert follower.has_read(KEY, mark)
        assert not follower.has_read(KEY, mark + 1)
        assert not follower.has_read(OTHER, mark)
        assert seen.take() == [("demo", 1)]


async def test_a_large_resource_rests_while_its_news_gather() -> None:
    world, seen = World(), Seen()
    await world.see()
    for number in range(2 * REST_FROM):
        pod = worker(f"w{number}")
        await world.write(subjects.observed(KEY, "pod", pod.meta.name), pod)
    async with following(world.connect("one")[0], Owning(HERE), seen):
        first = seen.take()
        for generation in range(2, 12):
            await world.see(generation=generation)
            await asyncio.sleep(0)
        await asyncio.sleep(1)

    assert first == [(KEY.name, 1)]
    assert seen.take() == [(KEY.name, 2), (KEY.name, 11)]


async def test_a_small_resource_does_not_rest() -> None:
    world, seen = World(), Seen()
    await world.see()
    async with following(world.connect("one")[0], Owning(HERE), seen):
        seen.take()
        for generation in range(2, 5):
            await world.see(generation=generation)
            await asyncio.sleep(0.001)

    assert seen.take() == [(KEY.name, 2), (KEY.name, 3), (KEY.name, 4)]


def test_a_rest_is_in_proportion_and_never_long() -> None:
    assert rest_for(REST_FROM - 1) == 0
    assert rest_for(2000) == pytest.approx(2 * rest_for(1000))
    assert rest_for(10**9) == REST_LONGEST


async def test_outlines_tell_of_what_is_owned_and_loaded() -> None:
    world, seen = World(), Seen()
    for key in (KEY, OTHER):
        await world.see(key)
    pod = worker("w1")
    await world.write(subjects.observed(KEY, "pod", pod.meta.name), pod)
    owning = Owning(HERE)
    async with following(world.connect("one")[0], owning, seen) as follower:
        outlines = list(follower.outlines())
        owning.own(THERE)
        await asyncio.sleep(1)
        others = list(follower.outlines())

    assert [(one.key, dict(one.children)) for one in outlines] == [(KEY, {})]
    assert [one.key for one in others] == [OTHER]
