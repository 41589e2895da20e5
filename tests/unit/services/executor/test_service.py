"""The executor on a real log and a real API: each act carried out once, and answered."""

import asyncio

import pytest
from msgspec.structs import replace

from shared.actions.objects import ConfirmObject, Notice, PostNotice, Words
from shared.actions.outcomes import AlreadySo, Done, Gone, Overtaken, Refused, Unknown
from shared.events import subjects
from shared.events.decisions import Answered
from shared.events.objects import ObjectGone, ResourceSeen
from shared.ports.event_log import Entry
from tests.support.builders import (
    FORMER_UID,
    KEY,
    UID,
    act,
    being_deleted,
    creation,
    resource,
    suspending,
    with_status,
)
from tests.unit.services.executor.acted import QUOTA, World, deletion_of, until

SERVICE = replace(creation("demo-head-svc", group=""), manifest="service")
HEAD = creation("demo-head", group="headgroup")
CONFIRM = ConfirmObject(kind="pod", name="w1", rule="confirm", because="unseen for too long")
WORDS = Notice(
    done=Words(reason="Created", message="Created"),
    refused=Words(reason="Failed", message="Failed: "),
)
MINUTE = 60
EVENTS = "events.events.k8s.io"


async def test_carries_an_act_out_and_answers_it() -> None:
    world = World()
    surplus = world.pod("w2")
    await world.ask(creation("w1"), deletion_of(surplus))
    async with world.executing():
        created, deleted = await world.outcomes()

    assert isinstance(created, Done)
    assert isinstance(deleted, Done | Gone)
    assert world.names() == ["w1"]


async def test_one_refusal_does_not_keep_the_rest_from_being_done() -> None:
    world = World()
    world.meets("create", QUOTA)
    await world.ask(creation("w1"), creation("w2"))
    async with world.executing():
        outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [Refused, Done]


async def test_the_service_comes_before_the_head_and_the_head_before_the_workers() -> None:
    world = World()
    workers = [creation(f"w{number}") for number in range(20)]
    await world.ask(SERVICE, HEAD, *workers)
    async with world.executing():
        await world.outcomes()

    made = world.calls("create")
    assert made[:2] == ["demo-head-svc", "demo-head"]
    assert sorted(made[2:]) == sorted(worker.name for worker in workers)


@pytest.mark.parametrize(
    "news",
    [
        resource(generation=2, version=6),
        being_deleted(resource(version=6)),
        resource(version=6, uid=FORMER_UID),
        ObjectGone(kind="raycluster", name="demo", uid=UID, resource_version=6),
        with_status(resource(version=6), suspending(2)),
    ],
)
async def test_nothing_is_done_once_there_is_newer_news(news: ResourceSeen | ObjectGone) -> None:
    world = World()
    surplus = world.pod("w2")
    await world.ask(creation("w1"), deletion_of(surplus))
    await world.write(subjects.own(KEY), news)
    async with world.executing():
        outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [Overtaken, Overtaken]
    assert world.names() == ["w2"]


async def test_reads_and_tells_although_there_is_newer_news() -> None:
    world = World()
    told = PostNotice(warning=True, reason="Odd", action="Look", message="m", rule="r", because="b")
    await world.ask(CONFIRM, told)
    await world.write(subjects.own(KEY), resource(generation=2, version=6))
    async with world.executing():
        absent, posted = await world.outcomes()

    assert isinstance(absent, Gone)
    assert posted == Done()


async def test_news_between_two_batches_stop_the_rest() -> None:
    world = World()
    world.port.seconds = 5
    await world.ask(HEAD, creation("w1"))
    async with world.executing():
        await asyncio.sleep(1)
        await world.write(subjects.own(KEY), resource(generation=2, version=6))
        first, second = await world.outcomes()

    assert isinstance(first, Done)
    assert second == Overtaken(because="its spec was changed")
    assert world.names() == ["demo-head"]


async def test_a_superseded_act_is_not_done_and_not_answered() -> None:
    world = World()
    await world.ask(creation("w1"))
    await world.ask(creation("w2"), id_="act-2")
    async with world.executing():
        await world.outcomes("act-2")
        await asyncio.sleep(MINUTE)

    assert world.names() == ["w2"]
    assert await world.answers() == 1


async def test_an_act_superseded_midway_stops_without_an_answer() -> None:
    world = World()
    world.port.seconds = 5
    await world.ask(HEAD, creation("w1"))
    async with world.executing():
        await asyncio.sleep(1)
        await world.write(subjects.act(KEY), act(id_="act-2"))
        await asyncio.sleep(MINUTE)

    assert world.names() == ["demo-head"]
    assert await world.answers() == 0


async def test_an_answered_act_that_comes_again_is_left_alone() -> None:
    world = World()
    await world.ask(creation("w1"))
    await world.write(subjects.res(KEY), Answered(act="act-1", outcomes=(Done(),)))
    async with world.executing():
        await asyncio.sleep(MINUTE)

    assert world.requests == []
    assert await world.outcomes() == (Done(),)


async def test_the_answer_to_a_former_act_does_not_answer_this_one() -> None:
    world = World()
    await world.write(subjects.res(KEY), Answered(act="act-0", outcomes=(Done(),)))
    await world.ask(creation("w1"))
    async with world.executing():
        assert [type(outcome) for outcome in await world.outcomes()] == [Done]


async def test_an_act_without_actions_needs_no_answer() -> None:
    world = World()
    await world.ask()
    async with world.executing():
        await asyncio.sleep(MINUTE)

    assert (world.requests, await world.answers()) == ([], 0)


async def test_people_are_told_what_was_done_and_what_was_refused() -> None:
    world = World()
    world.meets("create", QUOTA)
    await world.ask(*(replace(creation(name), notice=WORDS) for name in ("w1", "w2")))
    async with world.executing():
        await until(lambda: len(world.names(EVENTS)) == 2)

    notes = [event["note"] for event in world.cluster.list(EVENTS, KEY.namespace).items]
    assert sorted(notes) == [
        "Created",
        'Failed: pods "w1" is forbidden: exceeded quota: pods=4',
    ]


async def test_an_answer_does_not_wait_for_people_to_be_told() -> None:
    world = World()
    world.meets("create", *(None, QUOTA))
    await world.ask(replace(creation("w1"), notice=WORDS))
    async with world.executing():
        outcomes = await world.outcomes()
        await asyncio.sleep(MINUTE)

    assert [type(outcome) for outcome in outcomes] == [Done]
    assert world.names(EVENTS) == []


async def test_an_unreadable_act_is_given_back_for_newer_code() -> None:
    world = World()
    await world.bus.log.append(
        Entry(subject=subjects.act(KEY), id="new", data=b'{"schema": 99, "id": "x"}')
    )
    async with world.executing():
        await asyncio.sleep(1)
    newer = world.server.connect("newer")
    async with newer.log.deliveries("executor", most=1) as deliveries, asyncio.timeout(MINUTE):
        again = await anext(deliveries)

    assert again.attempt == 2
    assert again.message.headers["Nats-Msg-Id"] == "new"


async def test_draining_finishes_what_is_in_hand_and_takes_no_more() -> None:
    world = World()
    world.port.seconds = 5
    await world.ask(creation("w1"))
    async with world.executing() as executor, asyncio.timeout(MINUTE):
        await asyncio.sleep(1)
        executor.drain()
        await asyncio.sleep(1)
        await world.ask(creation("w2"), id_="act-2")
        outcomes = await world.outcomes()
        await asyncio.sleep(MINUTE / 2)

    assert [type(outcome) for outcome in outcomes] == [Done]
    assert world.names() == ["w1"]


async def test_a_lost_connection_is_outlived_by_the_act() -> None:
    world = World()
    world.port.seconds = 5
    await world.ask(creation("w1"))
    async with world.executing():
        await asyncio.sleep(1)
        world.server.restart()
        outcomes = await world.outcomes()

    stored = world.cluster.get("pods", KEY.namespace, "w1")["metadata"]
    version = int(stored["resourceVersion"])
    assert outcomes == (AlreadySo(uid=stored["uid"], resource_version=version),)


async def test_a_cluster_that_does_not_answer_is_an_answer_too() -> None:
    world = World()
    world.meets("create", *world.unavailable(4))
    await world.ask(creation("w1"))
    async with world.executing():
        outcomes = await world.outcomes()

    assert [type(outcome) for outcome in outcomes] == [Unknown]


async def test_leaves_nothing_behind_when_it_is_told_to_end_before_it_knows_what_was_done() -> None:
    world = World()
    bus = world.server.connect("executor")
    bus.link.latency = 10.0
    before = asyncio.all_tasks()
    async with world.executing(bus):
        await asyncio.sleep(1)
        assert len(asyncio.all_tasks()) > len(before)
    await asyncio.sleep(0)

    assert asyncio.all_tasks() == before
