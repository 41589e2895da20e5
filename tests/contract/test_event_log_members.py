"""Members and leases: who is here, who owns what, who alone may write; for every adapter."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta

from shared.bus.leases import ALL_LEASES, Lease, Terms, hold, leases_after
from shared.bus.members import Pulse, membership
from shared.kernel.ownership import owned_by
from shared.ports.event_log import EventLog, FromSnapshot
from tests.support.buses import World

PULSE = Pulse(ttl=timedelta(seconds=1), beat=timedelta(seconds=0.3), probe=timedelta(seconds=0.1))
NO_PROBES = Pulse(ttl=timedelta(seconds=1), beat=timedelta(seconds=0.3), probe=timedelta(hours=1))
TERMS = Terms(ttl=timedelta(seconds=1), renew=timedelta(seconds=0.3))
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
    long = Pulse(ttl=timedelta(seconds=60), beat=PULSE.beat, probe=PULSE.probe)
    other = await world.client("b")
    async with (
        membership(world.bus, "reconciler", "a", pulse=long) as ours,
        membership(other, "reconciler", "b", pulse=long),
    ):
        await until(ours, share("a", "a", "b"))
        await other.close()
        await until(ours, EVERYTHING)


async def test_a_member_that_hangs_expires(world: World) -> None:
    hung = Pulse(ttl=timedelta(seconds=1), beat=timedelta(hours=1), probe=timedelta(hours=1))
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


async def book(presence: EventLog) -> Mapping[str, Lease]:
    """Return all leases as a reader sees them."""
    async with presence.follow([ALL_LEASES], FromSnapshot()) as news:
        return leases_after({}, await anext(news))


async def test_a_lease_is_held_by_one_and_then_by_the_next(world: World) -> None:
    other = await world.client("b")
    order: list[str] = []

    async def reign(presence: EventLog, name: str) -> None:
        async with hold(presence, "pod", name.encode(), terms=TERMS) as held:
            order.append(f"{name} begins")
            await asyncio.sleep(0.5)
            assert held.valid
            order.append(f"{name} ends")

    await asyncio.gather(reign(world.bus.presence, "a"), reign(other.presence, "b"))

    assert order in (
        ["a begins", "a ends", "b begins", "b ends"],
        ["b begins", "b ends", "a begins", "a ends"],
    )


async def test_a_lease_is_renewed_for_as_long_as_it_is_held(world: World) -> None:
    async with hold(world.bus.presence, "pod", b"me", terms=TERMS) as held:
        await asyncio.sleep(1.7)
        leases = await book(world.bus.presence)

        assert held.valid
        assert {kind: lease.value for kind, lease in leases.items()} == {"pod": b"me"}
    assert await book(world.bus.presence) == {}


async def test_a_lease_whose_holder_is_gone_expires_and_is_taken(world: World) -> None:
    other = await world.client("b")
    async with hold(other.presence, "pod", b"old", terms=TERMS) as held:
        await other.close()
        async with hold(world.bus.presence, "pod", b"new", terms=TERMS) as ours:
            assert (held.valid, ours.valid) == (False, True)


async def test_a_holder_without_a_bus_knows_that_its_time_is_over(world: World) -> None:
    async with hold(world.bus.presence, "pod", b"me", terms=TERMS) as held:
        await world.stop()
        async with asyncio.timeout(3):
            await held.lost()
        assert not held.valid
        await world.start()


async def test_a_holder_whose_lease_was_taken_knows_it_at_once(world: World) -> None:
    other = await world.client("b")
    async with hold(world.bus.presence, "pod", b"me", terms=TERMS) as held:
        await other.presence.purge("$KV.raymembers.lease.pod")
        async with hold(other.presence, "pod", b"usurper", terms=TERMS) as taken:
            await held.lost()
            assert (held.valid, taken.valid) == (False, True)
