"""The reconciler on a real log: one act at a time, from views that are prefixes of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import msgspec
import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import RULES, Context
from services.reconciler.decisions.settings import DecisionSettings, digest_of
from services.reconciler.haste import BURST
from services.reconciler.service import Reconciler, as_plain
from shared.actions.objects import CreateObject
from shared.actions.outcomes import Done
from shared.aggregates.ledger import Ledger
from shared.bus.memory import MemoryBus
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.decisions import Answered, Decided, SettingsUsed
from shared.kernel.schedulers import VOLCANO
from shared.ports.event_log import FromSequence
from tests.support.builders import HEAD_NAME, KEY, SERVICE_NAME, SETTINGS, act, head, service
from tests.unit.shared.following.followed import HERE, Owning, World

SESSION = "s1"
MINUTE = 60
WALK = 15
REFRESH = 10 * MINUTE
SHORT = replace(SETTINGS, refresh_after=timedelta(seconds=REFRESH))


@asynccontextmanager
async def reconciling(
    world: World, bus: MemoryBus | None = None, chosen: DecisionSettings = SETTINGS
) -> AsyncIterator[Reconciler]:
    """Run a reconciler for as long as the block lasts; give it a second first."""
    ours = bus or world.server.connect("reconciler")
    reconciler = Reconciler(ours, world.server.clock, Owning(HERE), chosen, "test")
    task = asyncio.create_task(reconciler.run())
    try:
        await asyncio.sleep(1)
        yield reconciler
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def acts(world: World) -> list[Decided]:
    """Every act that the log holds, oldest first."""
    read = world.writer.log.read((subjects.act(KEY),), FromSequence(1))
    found = [decode(message).envelope.body async for message in read]
    return [body for body in found if isinstance(body, Decided)]


async def settings(world: World) -> list[object]:
    read = world.writer.log.read(("ray.settings.*",), FromSequence(1))
    return [decode(message).envelope.body async for message in read]


def created(decided: Decided) -> list[str]:
    return [action.name for action in decided.actions if isinstance(action, CreateObject)]


async def test_decides_for_a_resource_and_says_what_it_rests_on() -> None:
    world = World()
    await world.list_all()
    seen = await world.see()
    async with reconciling(world) as reconciler:
        [decided] = await acts(world)

        assert reconciler.trouble() is None
    assert created(decided) == [SERVICE_NAME, HEAD_NAME]
    assert (decided.fence, decided.based_on, decided.seen.session) == (0, seen, SESSION)


async def test_every_act_is_what_a_replay_decides_from_the_same_prefix() -> None:
    world = World()
    await world.list_all()
    await world.see()
    async with reconciling(world):
        await world.see(generation=2)
        await asyncio.sleep(MINUTE)
    ledger, replayed = Ledger(), []
    async for message in world.writer.log.read((subjects.everything_of(KEY),), FromSequence(1)):
        body = decode(message).envelope.body
        if isinstance(body, Decided):
            again = decide(ledger.view(KEY), Context(settings=SETTINGS, session=SESSION))
            replayed.append((again, body))
        ledger.apply(message)

    assert replayed
    assert all(again == written for again, written in replayed)


async def test_decides_nothing_before_the_watchers_have_listed_everything() -> None:
    world = World()
    await world.see()
    async with reconciling(world) as reconciler:
        assert reconciler.trouble() == "the watchers have not listed everything"
        await world.see(generation=2)
        await asyncio.sleep(MINUTE)
        assert await acts(world) == []
        await world.list_all()
        await asyncio.sleep(1)

        assert reconciler.trouble() is None
        assert [decided.seen.generation for decided in await acts(world)] == [2]


async def test_decides_nothing_before_it_has_read_what_the_watchers_listed() -> None:
    world = World()
    bus, held = world.connect("reconciler")
    await world.see()
    async with reconciling(world, bus):
        held.gate.close()
        await world.write(subjects.observed(KEY, "service", SERVICE_NAME), service())
        await world.write(subjects.observed(KEY, "pod", HEAD_NAME), head())
        await world.list_all()
        await asyncio.sleep(MINUTE)
        assert await acts(world) == []
        held.gate.open()
        await asyncio.sleep(1)

    assert [decided.actions for decided in await acts(world)] == [()]


async def test_a_circle_that_nobody_foresaw_goes_on_at_a_walk() -> None:
    world, acted = World(), asyncio.Event()
    world.server.log.listen(lambda message: acted.set() if ".act" in message.subject else None)

    async def answer_with_news() -> None:
        for generation in range(2, 10_000):
            acted.clear()
            await world.see(generation=generation)
            await acted.wait()

    await world.list_all()
    await world.see()
    async with reconciling(world):
        [first] = await acts(world)
        outcomes = tuple(Done(uid=f"u{n}", resource_version=5) for n in range(len(first.actions)))
        await world.write(subjects.res(KEY), Answered(act=first.id, outcomes=outcomes))
        circle = asyncio.create_task(answer_with_news())
        await asyncio.sleep(WALK)
        circle.cancel()

    assert BURST + WALK - 2 <= len(await acts(world)) <= BURST + WALK + 2


async def test_of_two_reconcilers_one_commits_and_the_other_folds_it() -> None:
    world = World()
    await world.list_all()
    one, two = world.server.connect("one"), world.server.connect("two")
    async with reconciling(world, one), reconciling(world, two):
        await world.see()
        await asyncio.sleep(1)
        [first] = await acts(world)
        outcomes = tuple(Done(uid=f"u{n}", resource_version=5) for n in range(len(first.actions)))
        await world.write(subjects.res(KEY), Answered(act=first.id, outcomes=outcomes))
        await world.see(generation=2)
        await asyncio.sleep(MINUTE)

    fences = [decided.fence for decided in await acts(world)]
    assert len(set(fences)) == len(fences)


async def test_its_own_act_counts_when_the_tail_brings_it() -> None:
    world = World()
    bus, held = world.connect("reconciler")
    await world.list_all()
    async with reconciling(world, bus):
        held.gate.left = 1
        await world.see()
        await asyncio.sleep(1)
        for session in ("s2", "s1"):
            await world.hold("pod", session)
            await asyncio.sleep(1)

        assert held.sent.count(subjects.act(KEY)) == 1


async def test_an_act_that_the_log_has_lost_is_not_waited_for() -> None:
    world = World()
    await world.list_all()
    kept = await world.see()
    async with reconciling(world):
        [lost] = await acts(world)
        world.server.truncate(kept)
        await asyncio.sleep(MINUTE)
        [again] = await acts(world)

    assert again == lost


@pytest.mark.parametrize("rules", [str(int(RULES) + 1), "10"])
async def test_a_resource_under_newer_rules_is_left_alone(rules: str) -> None:
    world = World()
    await world.list_all()
    await world.see()
    newer = replace(act(), rules=rules)
    await world.write(subjects.act(KEY), newer)
    async with reconciling(world):
        await world.see(generation=2)
        await asyncio.sleep(MINUTE)

    assert await acts(world) == [newer]


async def test_a_resource_with_unreadable_records_is_left_alone() -> None:
    world = World()
    await world.list_all()
    await world.see()
    await world.garble()
    async with reconciling(world):
        await world.see(generation=2)
        await asyncio.sleep(MINUTE)

    assert await acts(world) == []


async def test_settings_are_recorded_once_and_named_by_every_act() -> None:
    world = World()
    await world.list_all()
    await world.see()
    bus = world.server.connect("reconciler")
    async with reconciling(world, bus):
        bus.link.break_down()
        bus.link.come_back()
        await world.see(generation=2)
        await asyncio.sleep(MINUTE)
    async with reconciling(world):
        await world.see(generation=3)
        await asyncio.sleep(MINUTE)

    digest = digest_of(SETTINGS)
    plain = msgspec.json.decode(encode(as_plain(SETTINGS)))
    assert await settings(world) == [SettingsUsed(digest=digest, settings=plain)]
    assert {decided.settings for decided in await acts(world)} == {digest}


async def at_rest(world: World) -> None:
    """Have a resource that has all it wants."""
    await world.list_all()
    await world.see()
    await world.write(subjects.observed(KEY, "service", SERVICE_NAME), service())
    await world.write(subjects.observed(KEY, "pod", HEAD_NAME), head())


async def test_settings_are_recorded_again_before_they_age_out_and_not_sooner() -> None:
    world, recorded = World(), []
    await at_rest(world)
    async with reconciling(world, chosen=SHORT):
        for generation, wait in enumerate((0, REFRESH - MINUTE, MINUTE, MINUTE), start=2):
            await asyncio.sleep(wait)
            await world.see(generation=generation)
            await asyncio.sleep(1)
            recorded.append(len(await settings(world)))

    assert recorded == [1, 1, 2, 2]
    first, again = await settings(world)
    assert first == again
    assert [decided.seen.generation for decided in await acts(world)] == [1, 2, 3, 4, 5]


async def test_settings_that_another_reconciler_recorded_age_from_then_on() -> None:
    world, recorded = World(), []
    await at_rest(world)
    async with reconciling(world, chosen=SHORT):
        await asyncio.sleep(REFRESH - 2 * MINUTE)
    async with reconciling(world, chosen=SHORT):
        for generation, wait in ((2, 0), (3, 2 * MINUTE)):
            await asyncio.sleep(wait)
            await world.see(generation=generation)
            await asyncio.sleep(1)
            recorded.append(len(await settings(world)))

    assert recorded == [1, 2]


async def test_every_generation_has_one_act_although_it_asks_for_nothing() -> None:
    world = World()
    await at_rest(world)
    async with reconciling(world), reconciling(world):
        await world.see(generation=2)
        await asyncio.sleep(1)
        await world.see(generation=2)
        await asyncio.sleep(MINUTE)

    decided = await acts(world)
    assert [(each.seen.generation, each.actions) for each in decided] == [(1, ()), (2, ())]


async def test_a_bus_that_is_away_is_waited_for() -> None:
    world = World()
    await world.list_all()
    await world.see()
    bus = world.server.connect("reconciler")
    bus.link.break_down()
    async with reconciling(world, bus) as reconciler:
        assert reconciler.trouble() == "its partitions are not loaded"
        await asyncio.sleep(MINUTE)
        bus.link.come_back()
        await asyncio.sleep(2)

        assert reconciler.trouble() is None
        assert len(await acts(world)) == 1


async def test_at_rest_nothing_is_written() -> None:
    world = World()
    await at_rest(world)
    async with reconciling(world):
        before = (await world.writer.log.end()).last
        world.server.restart()
        await asyncio.sleep(MINUTE)

        assert (await world.writer.log.end()).last == before


async def test_waits_for_the_kinds_that_its_settings_ask_for() -> None:
    world = World()
    await world.list_all()
    await world.see()
    manifests = replace(SETTINGS.manifests, batch_scheduler=VOLCANO)
    async with reconciling(world, chosen=replace(SETTINGS, manifests=manifests)) as reconciler:
        assert await acts(world) == []
        assert reconciler.trouble() == "the watchers have not listed everything"

        await world.hold("volcanopodgroup", SESSION)
        await world.mark("volcanopodgroup", SESSION)
        await asyncio.sleep(1)
        [decided] = await acts(world)

    assert created(decided) == [SERVICE_NAME, "ray-demo-pg"]
