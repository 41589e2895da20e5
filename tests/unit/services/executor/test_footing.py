"""Acts are carried out under the sessions that they were decided under, or not at all."""

import asyncio
from datetime import timedelta

from msgspec.structs import replace

from services.executor.service import ExecutorSettings
from shared.actions.outcomes import Done, Overtaken
from shared.events import subjects
from shared.events.decisions import WAKE, Timer
from tests.support.builders import KEY, creation, resource
from tests.support.leases import claim, listed
from tests.unit.services.executor.acted import World, asking

KINDS = ("raycluster", "pod")
LISTED_FIRST = ExecutorSettings(kinds=KINDS)
THEIRS, LATER = "session-1", "session-2"
"""Acts of `builders` are decided under the first."""
ANEW = Overtaken(because="the watchers have listed everything anew")
A_WHILE = 5.0
LONG = 60.0


async def begin(world: World, session: str, *kinds: str) -> None:
    """Let a session hold and list kinds."""
    for kind in kinds or KINDS:
        await claim(world.bus, kind, session)
        await world.write(subjects.sync(kind), listed(kind, session))


async def test_an_act_is_carried_out_under_its_own_sessions() -> None:
    world = World()
    await begin(world, THEIRS)
    await world.ask(creation("w1"))
    async with world.executing(wishes=LISTED_FIRST):
        outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [Done]


async def test_nothing_is_done_before_everything_has_been_listed() -> None:
    world = World()
    await begin(world, THEIRS, "raycluster")
    await world.ask(creation("w1"))
    async with world.executing(wishes=LISTED_FIRST):
        await asyncio.sleep(A_WHILE)
        assert (world.names(), await world.answers()) == ([], 0)
        await begin(world, THEIRS, "pod")
        outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [Done]


async def test_what_was_decided_under_former_sessions_is_overtaken() -> None:
    """The log lost its tail, and with it the news that would have overtaken an old act."""
    world = World()
    await begin(world, THEIRS)
    await world.ask(creation("w1"))
    await begin(world, LATER)
    async with world.executing(wishes=LISTED_FIRST):
        assert await world.outcomes() == (ANEW,)

    assert world.names() == []


async def test_sessions_that_an_act_knows_sooner_than_its_executor_are_waited_for() -> None:
    world = World()
    await begin(world, "session-0")
    for kind in KINDS:
        await world.write(subjects.sync(kind), listed(kind, THEIRS))
    await world.ask(creation("w1"))
    async with world.executing(wishes=LISTED_FIRST):
        await asyncio.sleep(A_WHILE)
        assert (world.names(), await world.answers()) == ([], 0)
        for kind in KINDS:
            await claim(world.bus, kind, THEIRS)
        outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [Done]


async def test_an_act_that_waits_in_vain_is_over_when_its_time_is() -> None:
    world = World()
    wake = Timer(name=WAKE, due_at=world.server.clock.now() + timedelta(seconds=LONG), because="")
    await world.write(subjects.own(KEY), resource())
    await world.write(subjects.act(KEY), replace(asking(creation("w1")), timers=(wake,)))
    async with world.executing(wishes=LISTED_FIRST):
        assert await world.outcomes() == (Overtaken(because="its time is over"),)

    assert world.names() == []


async def test_who_leaves_does_not_wait_for_watchers() -> None:
    world = World()
    await world.ask(creation("w1"))
    async with world.executing(wishes=LISTED_FIRST) as executor:
        await asyncio.sleep(1)
        executor.drain()
        await asyncio.sleep(A_WHILE)
        await begin(world, THEIRS)
        await asyncio.sleep(LONG)
        assert (world.names(), await world.answers()) == ([], 0)
        async with world.executing(world.server.connect("next"), wishes=LISTED_FIRST):
            outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [Done]
