"""Holding leases while answers get lost, tails fall silent and processes hang."""

import asyncio
from contextlib import AsyncExitStack

from shared.bus.declarations import MEMBER_ROOT
from shared.bus.leases import TENANCY
from shared.bus.memory import MemoryServer
from shared.bus.memory_link import Loss
from tests.support.leases import holding, tenant

TERM_SECONDS = 5.0
"""How long a tenancy lasts unrenewed."""


async def test_a_claim_whose_answers_were_lost_is_made_again() -> None:
    server = MemoryServer()
    bus = server.connect("a")
    async with tenant(bus, "a") as us:
        async with us.hold("pod", "first"):
            pass
        bus.link.lose(*[Loss.ANSWER] * 6)
        async with asyncio.timeout(TERM_SECONDS), us.hold("service", "second") as held:
            assert held.valid


async def test_a_few_lost_renewals_do_no_harm() -> None:
    bus = MemoryServer().connect("a")
    async with holding(bus, "pod", "a") as held:
        bus.link.lose(*[Loss.REQUEST] * 12)
        await asyncio.sleep(3 * TERM_SECONDS)

        assert held.valid


async def test_a_renewal_whose_answer_comes_late_counts_from_when_it_was_first_asked_for() -> None:
    bus = MemoryServer().connect("a")
    loop = asyncio.get_running_loop()
    async with holding(bus, "pod", "a") as held:
        bus.link.latency = 0.05
        await asyncio.sleep(1.06)
        bus.link.break_down()
        landed = loop.time()
        await asyncio.sleep(3)
        bus.link.come_back()
        await asyncio.sleep(0.9)
        bus.link.break_down()
        await held.lost()

        assert loop.time() <= landed + TERM_SECONDS


async def test_a_process_that_is_cut_off_stops_before_another_begins() -> None:
    server = MemoryServer()
    one, two = server.connect("one"), server.connect("two")
    async with holding(one, "pod", "one") as former:
        one.link.break_down()
        begun = asyncio.get_running_loop().time()
        async with holding(two, "pod", "two") as held:
            assert (former.valid, held.valid) == (False, True)
            assert asyncio.get_running_loop().time() - begun <= TERM_SECONDS + 1


async def test_whoever_comes_back_after_its_tenancy_begins_another_and_waits() -> None:
    server = MemoryServer()
    one, two = server.connect("one"), server.connect("two")
    async with tenant(one, "one") as us, AsyncExitStack() as stack:
        async with us.hold("pod", "1") as former:
            one.link.break_down()
            await former.lost()
        await stack.enter_async_context(holding(two, "pod", "two"))
        one.link.come_back()
        waiting = asyncio.create_task(stack.enter_async_context(us.hold("pod", "2")))
        await asyncio.sleep(10 * TERM_SECONDS)

        assert not waiting.done()
        waiting.cancel()


async def test_whoever_was_away_for_so_long_that_nothing_tells_of_it_holds_again() -> None:
    bus = MemoryServer().connect("a")
    async with tenant(bus, "a") as us:
        async with us.hold("pod", "1") as former:
            bus.link.break_down()
            await former.lost()
        await asyncio.sleep(300)
        bus.link.come_back()
        async with asyncio.timeout(TERM_SECONDS), us.hold("pod", "2") as held:
            assert held.valid


async def test_an_end_of_which_no_news_came_is_found_out() -> None:
    server = MemoryServer()
    one, two = server.connect("one"), server.connect("two")
    async with AsyncExitStack() as stack:
        us = await stack.enter_async_context(tenant(two, "two"))
        async with holding(one, "pod", "one"):
            waiting = asyncio.create_task(stack.enter_async_context(us.hold("pod", "two")))
            await asyncio.sleep(1)
            one.link.break_down()
            server.presence.purge(f"{MEMBER_ROOT}.{TENANCY}.one-0")
        async with asyncio.timeout(3 * TERM_SECONDS):
            held = await waiting

        assert held.valid


async def test_a_presence_stream_that_was_lost_ends_every_lease() -> None:
    server = MemoryServer()
    bus = server.connect("a")
    async with tenant(bus, "a") as us:
        async with us.hold("pod", "1") as held:
            server.presence.wipe()
            server.restart()
            async with asyncio.timeout(TERM_SECONDS):
                await held.lost()
        async with asyncio.timeout(TERM_SECONDS), us.hold("pod", "2") as again:
            assert again.valid


async def test_while_its_tail_is_silent_nobody_claims_what_another_holds() -> None:
    server = MemoryServer()
    one, two = server.connect("one"), server.connect("two")
    async with tenant(two, "two") as they, AsyncExitStack() as stack:
        async with they.hold("service", "warm"):
            pass
        two.link.silence()
        held = await stack.enter_async_context(holding(one, "pod", "one"))
        waiting = asyncio.create_task(stack.enter_async_context(they.hold("pod", "two")))
        await asyncio.sleep(4 * TERM_SECONDS)

        assert (held.valid, waiting.done()) == (True, False)
        waiting.cancel()


async def test_who_holds_nothing_and_wants_nothing_writes_nothing() -> None:
    server = MemoryServer()
    async with tenant(server.connect("a"), "a"):
        await asyncio.sleep(60)

    assert server.presence.last_sequence == 0
