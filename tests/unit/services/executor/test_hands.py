"""Two hands for one act: a sleeper, a successor, and what must not happen between them."""

import asyncio

from shared.actions.outcomes import AlreadySo, Done, Overtaken
from shared.bus.memory_link import Loss
from shared.events import subjects
from shared.events.codec import decode
from shared.events.decisions import Answered
from shared.ports.event_log import FromSequence
from tests.support.builders import KEY, act, creation, resource
from tests.unit.services.executor.acted import SlowCluster, World, until

MINUTE = 60
HEAD = creation("demo-head", group="headgroup")


async def bodies(world: World) -> list[Answered]:
    """Every answer that the log ever took."""
    read = world.bus.log.read((subjects.res(KEY),), FromSequence(1))
    found = [decode(message).envelope.body async for message in read]
    return [body for body in found if isinstance(body, Answered)]


async def test_a_slow_call_keeps_the_act_in_one_hand() -> None:
    world = World()
    world.port.seconds = MINUTE
    other = SlowCluster(world.cluster)
    await world.ask(creation("w1"))
    async with world.executing(), world.executing(world.server.connect("second"), other):
        outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [Done]
    assert world.calls("create") == ["w1"]


async def test_no_call_begins_while_the_bus_is_silent() -> None:
    world = World()
    world.port.seconds = 5
    bus = world.server.connect("executor")
    await world.ask(HEAD, creation("w1"))
    async with world.executing(bus):
        await asyncio.sleep(1)
        bus.link.break_down(noticed=False)
        await asyncio.sleep(MINUTE)

    assert world.names() == ["demo-head"]
    assert await world.answers() == 0


async def test_a_retry_that_comes_too_late_does_not_begin() -> None:
    world = World()
    bus = world.server.connect("executor")
    world.port.seconds = 9
    world.meets("create", None, *world.unavailable(3))
    await world.ask(HEAD, creation("w1"))
    async with world.executing(bus):
        await asyncio.sleep(7.9)
        world.port.seconds = 4.5
        bus.link.up = False  # one sign of life is lost
        await asyncio.sleep(0.2)
        bus.link.up = True
        await asyncio.sleep(1.4)
        bus.link.break_down(noticed=False)
        await asyncio.sleep(MINUTE)

    assert world.calls("create") == ["demo-head", "w1"]


async def test_the_next_hand_finds_what_the_first_had_done() -> None:
    world = World()
    world.port.seconds = 5
    bus = world.server.connect("first")
    await world.ask(creation("w1"))
    async with world.executing(bus):
        await asyncio.sleep(1)
        bus.link.break_down(noticed=False)
        async with world.executing(world.server.connect("second")):
            outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [AlreadySo]
    assert world.names() == ["w1"]


async def test_the_next_hand_reads_what_it_does_not_do_itself() -> None:
    world = World()
    bus = world.server.connect("first")
    world.port.seconds = 1
    await world.ask(creation("w1"))
    async with world.executing(bus):
        await asyncio.sleep(0.5)
        bus.link.break_down(noticed=False)
        await until(lambda: world.names() == ["w1"])
        await world.write(subjects.own(KEY), resource(generation=2, version=6))
        async with world.executing(world.server.connect("second")):
            outcomes = await world.outcomes()

    stored = world.cluster.get("pods", KEY.namespace, "w1")["metadata"]
    version = int(stored["resourceVersion"])
    assert outcomes == (AlreadySo(uid=stored["uid"], resource_version=version),)


async def test_the_next_hand_says_overtaken_where_nothing_was_done() -> None:
    world = World()
    bus = world.server.connect("first")
    world.port.seconds = 1
    world.meets("create", *world.unavailable(4))
    await world.ask(creation("w1"))
    async with world.executing(bus):
        await asyncio.sleep(0.5)
        bus.link.break_down(noticed=False)
        await world.write(subjects.own(KEY), resource(generation=2, version=6))
        async with world.executing(world.server.connect("second")):
            outcomes = await world.outcomes()

    assert outcomes == (Overtaken(because="its spec was changed"),)
    assert world.names() == []


async def test_a_late_answer_never_covers_the_answer_to_a_newer_act() -> None:
    world = World()
    world.port.seconds = 5
    await world.ask(creation("w1"))
    async with world.executing():
        await asyncio.sleep(1)
        await world.write(subjects.act(KEY), act(id_="act-2"))
        await world.write(subjects.res(KEY), Answered(act="act-2", outcomes=()))
        await asyncio.sleep(MINUTE)

    assert world.names() == ["w1"]
    assert [body.act for body in await bodies(world)] == ["act-2"]


async def test_the_late_answer_to_an_older_act_does_not_keep_ours_away() -> None:
    world = World()
    world.port.seconds = 5
    await world.ask(creation("w1"))
    async with world.executing():
        await asyncio.sleep(1)
        await world.write(subjects.res(KEY), Answered(act="act-0", outcomes=()))
        await world.outcomes()

    assert [body.act for body in await bodies(world)] == ["act-0", "act-1"]


async def test_an_answer_is_not_sent_over_a_new_connection() -> None:
    world = World()
    bus = world.server.connect("executor")
    await world.ask(creation("w1"))
    world.port.seconds = 5
    async with world.executing(bus):
        await asyncio.sleep(4)
        world.server.wipe()
        world.server.restart()
        await asyncio.sleep(MINUTE)

    assert world.names() == ["w1"]
    assert await bodies(world) == []


async def test_an_answer_whose_acknowledgement_was_lost_stands_once() -> None:
    world = World()
    bus = world.server.connect("executor")
    bus.link.lose(Loss.ANSWER)
    await world.ask(creation("w1"))
    async with world.executing(bus):
        await world.outcomes()
        await asyncio.sleep(MINUTE)

    assert len(await bodies(world)) == 1
