"""A neighbour is probed when its heartbeat is late, and told dead after several probes in a row."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from datetime import timedelta

import pytest

from shared.bus.members import Pulse, membership
from shared.bus.memory import MemoryBus, MemoryServer
from shared.events.subjects import PARTITIONS

PULSE = Pulse(ttl=timedelta(hours=1), beat=timedelta(hours=1), late=timedelta(0))
NO_PROBES = Pulse(ttl=timedelta(hours=1), beat=timedelta(hours=1), late=timedelta(hours=1))
PROBE = PULSE.probe.total_seconds()
NEIGHBOUR = "status.b"


async def deaf(server: MemoryServer, probes: int, times: int) -> None:
    """Let the neighbour miss so many probes in a row, answer one, and so on."""
    await asyncio.sleep(PROBE / 2)
    for _ in range(times):
        link = server.answering.pop(NEIGHBOUR)
        await asyncio.sleep(probes * PROBE)
        server.answering[NEIGHBOUR] = link
        await asyncio.sleep(PROBE)


async def shares(server: MemoryServer) -> AsyncGenerator[int, None]:
    """Yield how many partitions a member has that shares with the neighbour."""
    async with (
        membership(server.connect("b"), "status", "b", pulse=NO_PROBES),
        membership(server.connect("a"), "status", "a", pulse=PULSE) as ours,
    ):
        async for owned in ours:
            yield len(owned)


@pytest.mark.parametrize(("in_a_row", "taken_for_dead"), [(1, False), (2, True)])
async def test_only_probes_that_fail_in_a_row_mean_death(
    in_a_row: int, *, taken_for_dead: bool
) -> None:
    server, seen = MemoryServer(), list[int]()
    async with aclosing(shares(server)) as sizes:
        while PARTITIONS // 2 not in seen:
            seen.append(await anext(sizes))
        hearing = asyncio.create_task(deaf(server, in_a_row, times=3))
        with suppress(TimeoutError):
            async with asyncio.timeout(3 * (in_a_row + 1) * PROBE):
                seen.append(await anext(sizes))
        hearing.cancel()

    assert (PARTITIONS in seen) == taken_for_dead


class Counting(MemoryBus):
    """A client that counts its probes."""

    probes = 0

    async def probe(self, member: str) -> bool:
        self.probes += 1
        return await super().probe(member)


async def test_whoever_beats_is_not_probed() -> None:
    server = MemoryServer()
    pulse = Pulse(beat=timedelta(seconds=0.1), late=timedelta(seconds=5))
    bus = Counting(server)
    async with (
        membership(server.connect("b"), "status", "b", pulse=pulse),
        membership(bus, "status", "a", pulse=pulse) as ours,
    ):
        async for owned in ours:
            if len(owned) < PARTITIONS:
                break
        await asyncio.sleep(3 * PROBE)

    assert bus.probes == 0
