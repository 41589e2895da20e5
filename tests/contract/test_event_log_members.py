"""Members and leases: who is here, who owns what, who alone may write; for every adapter."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta

from shared.bus.leases import ALL_LEASES, Book, Terms
from shared.bus.members import Pulse, membership
from shared.kernel.ownership import owned_by
from shared.ports.event_log import Bus, EventLog, FromSnapshot
from tests.support.buses import World
from tests.support.leases import holding, tenant

PULSE = Pulse(ttl=timedelta(seconds=1), beat=timedelta(seconds=0.3), late=timedelta(seconds=0.4))
NO_PROBES = Pulse(ttl=timedelta(seconds=1), beat=timedelta(seconds=0.3), late=timedelta(hours=1))
TERMS = Terms(ttl=timedelta(seconds=2), renew=timedelta(seconds=0.3))
EVERYTHING = frozenset(range(64))


async def until(owned: AsyncIterator[frozenset[int]], wanted: frozenset[int]) -> None:
    """Wait for an ownership."""
    async with asyncio.timeout(6):
        async for partitions in owned:
            if partitions == wanted:
                return


def share(member: str, *members: str) -> frozenset[int]:
    return owned_by(member, 64, members)


async def test_a_lone_member_owns_everything(world: World) -> None:
    async with membership(world.bus, "reconciler", "a", pulse=PULSE) as owned:
        await until(owned, EVERYTHING)


async def test_two_members_share_and_the_one_that_stays_gets_all_back(world: World) -> None:
    other = await world.client("b")
    async with membership(world.bus, "reconciler", "a", pulse=NO_PROBES) as ours:
        async with membership(other, "reconciler", "b", pulse=NO_PROBES) as theirs:
            await until(ours, share("a", "a", "b"))
            await until(theirs, share("b", "a", "b"))
        await until(ours, EVERYTHING)


async def test_members_of_other_services_do_not_count(world: World) -> None:
    other = await world.client("b")
    async with (
        membership(world.bus, "reconciler", "a", pulse=PULSE) as ours,
        membership(other, "status", "b", pulse=PULSE) as theirs,
    ):
        await until(ours, EVERYTHING)
        await until(theirs, EVERYTHING)


async def test_a_dead_member_is_found_by_its_neighbour(world: World) -> None:
    long = Pulse(ttl=timedelta(seconds=60), beat=PULSE.beat, late=PULSE.late)
    other = await world.client("b")
    async with (
        membership(world.bus, "reconciler", "a", pulse=long) as ours,
        membership(other, "reconciler", "b", pulse=long),
    ):
        await until(ours, share("a", "a", "b"))
        await other.close()
        await until(ours, EVERYTHING)


async def test_a_member_that_hangs_expires(world: World) -> None:
    hung = Pulse(ttl=timedelta(seconds=1), beat=timedelta(hours=1), late=timedelta(hours=1))
    other = await world.client("b")
    async with (
        membership(world.bus, "reconciler", "a", pulse=NO_PROBES) as ours,
        membership(other, "reconciler", "b", pulse=hung),
    ):
        await until(ours, share("a", "a", "b"))
        await until(ours, EVERYTHING)


async def test_members_find_each_other_again_after_a_restart(world: World) -> None:
    other = await world.client("b")
    async with (
        membership(world.bus, "reconciler", "a", pulse=NO_PROBES) as ours,
        membership(other, "reconciler", "b", pulse=NO_PROBES),
    ):
        await until(ours, share("a", "a", "b"))
        await world.stop()
        await asyncio.sleep(1.2)
        await world.start()
        third = await world.client("c")
        async with membership(third, "reconciler", "c", pulse=NO_PROBES):
            await until(ours, share("a", "a", "b", "c"))


async def held_by(presence: EventLog) -> dict[str, str]:
    """Return who holds what, as a reader sees it."""
    book = Book()
    async with presence.follow(ALL_LEASES, FromSnapshot()) as news:
        while not book.synced:
            book.learn(await anext(news))
    return {kind: claim.value for kind, claim in book.held().items()}


async def test_a_lease_is_held_by_one_and_then_by_the_next(world: World) -> None:
    other = await world.client("b")
    order: list[str] = []

    async def reign(bus: Bus, name: str) -> None:
        async with holding(bus, "pod", name, terms=TERMS) as held:
            order.append(f"{name} begins")
            await asyncio.sleep(0.5)
            assert held.valid
            order.append(f"{name} ends")

    await asyncio.gather(reign(world.bus, "a"), reign(other, "b"))

    assert order in (
        ["a begins", "a ends", "b begins", "b ends"],
        ["b begins", "b ends", "a begins", "a ends"],
    )


async def test_a_lease_is_renewed_for_as_long_as_it_is_held(world: World) -> None:
    async with holding(world.bus, "pod", "me", terms=TERMS) as held:
        await asyncio.sleep(2.7)

        assert held.valid
        assert await held_by(world.bus.presence) == {"pod": "me"}
    assert await held_by(world.bus.presence) == {}


async def test_many_leases_cost_no_more_than_one(world: World) -> None:
    terms = Terms(ttl=timedelta(seconds=4), renew=timedelta(seconds=1))
    async with tenant(world.bus, "me", terms=terms) as us, AsyncExitStack() as stack:
        for kind in "abcdefgh":
            await stack.enter_async_context(us.hold(kind, "me"))
        before = (await world.bus.presence.end()).last
        await asyncio.sleep(2.5)
        written = (await world.bus.presence.end()).last - before

        assert len(await held_by(world.bus.presence)) == 8
        assert 1 <= written <= 3


async def test_everything_that_a_process_held_is_taken_when_it_is_gone(world: World) -> None:
    other = await world.client("b")
    async with (
        tenant(other, "old", terms=TERMS) as they,
        they.hold("pod", "old"),
        they.hold("service", "old"),
    ):
        await other.close()
        async with (
            tenant(world.bus, "new", terms=TERMS) as us,
            us.hold("pod", "new"),
            us.hold("service", "new"),
        ):
            assert await held_by(world.bus.presence) == {"pod": "new", "service": "new"}


async def test_a_process_that_begins_again_waits_for_the_end_of_its_former_tenancy(
    world: World,
) -> None:
    other = await world.client("b")
    async with tenant(other, "me", terms=TERMS) as former, former.hold("pod", "1") as old:
        await other.close()
        async with tenant(world.bus, "me", terms=TERMS) as us, us.hold("pod", "2") as held:
            assert (old.valid, held.valid) == (False, True)


async def test_a_lease_given_back_long_ago_can_be_claimed(world: World) -> None:
    async with tenant(world.bus, "me", terms=TERMS) as us:
        async with us.hold("pod", "1"):
            pass
        await asyncio.sleep(2.5)
        async with asyncio.timeout(3), us.hold("pod", "2"):
            assert await held_by(world.bus.presence) == {"pod": "2"}


async def test_a_lease_whose_holder_is_gone_expires_and_is_taken(world: World) -> None:
    other = await world.client("b")
    async with holding(other, "pod", "old", terms=TERMS) as held:
        await other.close()
        async with holding(world.bus, "pod", "new", terms=TERMS) as ours:
            assert (held.valid, ours.valid) == (False, True)


async def test_a_holder_without_a_bus_knows_that_its_time_is_over(world: World) -> None:
    async with holding(world.bus, "pod", "me", terms=TERMS) as held:
        await world.stop()
        async with asyncio.timeout(3):
            await held.lost()
        assert not held.valid
        await world.start()


async def test_a_holder_whose_lease_was_taken_knows_it_at_once(world: World) -> None:
    other = await world.client("b")
    async with holding(world.bus, "pod", "me", terms=TERMS) as held:
        await other.presence.purge("$KV.raymembers.lease.pod")
        async with holding(other, "pod", "usurper", terms=TERMS) as taken:
            await held.lost()
            assert (held.valid, taken.valid) == (False, True)
