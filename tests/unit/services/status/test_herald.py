"""Lifecycle events through a whole status service: each once, in order, and by whoever is there."""

import asyncio
from datetime import timedelta

import pytest

from services.status.service import StatusSettings
from shared.bus.memory_link import Loss
from shared.events import subjects
from shared.events.cloudevents import CloudEvent, read
from shared.events.lifecycle import LifeTold
from shared.ports.event_log import FromSequence
from tests.unit.services.status.serving import Place, Writer, served, settle, telling
from tests.unit.services.watcher.watched import DEMO, watching


async def told(place: Place) -> list[str]:
    bodies = [record.envelope.body for record in await place.records()]
    return [body.what for body in bodies if isinstance(body, LifeTold)]


async def heard(place: Place) -> list[CloudEvent]:
    """Return what a subscriber gets."""
    news = place.server.connect("subscriber").news.read(("pub.>",), FromSequence(1))
    return [read(message.headers, message.data) async for message in news]


async def test_tells_a_life_once_and_in_order() -> None:
    place = Place()
    async with served(place, Writer(place.cluster)):
        await settle()
        place.add_head()
        await settle()
        place.make_head_ready()
        await settle()
        place.cluster.delete("rayclusters", DEMO.namespace, DEMO.name)
        await settle()

    events = await heard(place)
    assert await told(place) == ["provisioning", "ready", "deleted"]
    assert [event.type.split(".")[-2] for event in events] == await told(place)
    assert [int(event.sequence) for event in events] == [1, 2, 3]
    assert len({event.id for event in events}) == 3
    assert {event.partitionkey for event in events} == {str(DEMO)}


async def test_two_status_services_tell_as_much_as_one() -> None:
    place = Place()
    async with served(place, Writer(place.cluster), Writer(place.cluster)):
        await settle()
        place.add_head()
        place.make_head_ready()
        await settle()

    assert await told(place) == ["provisioning", "ready"]


async def test_a_new_service_goes_on_where_the_former_stopped() -> None:
    place = Place()
    async with watching(place.cluster, place.server):
        async with telling(place):
            await settle()
        place.add_head()
        place.make_head_ready()
        await settle()
        before = await told(place)
        async with telling(place, member="status-1"):
            await settle()

    assert (before, await told(place)) == (["provisioning"], ["provisioning", "ready"])


async def test_nothing_is_told_in_a_steady_state() -> None:
    place = Place()
    async with served(place, Writer(place.cluster)):
        await settle()
        before = await told(place)
        place.touch()
        await settle(600)

    assert await told(place) == before


async def test_a_resource_of_another_operator_is_not_told_of() -> None:
    place = Place(managedBy="kueue.x-k8s.io/multikueue")
    async with served(place, Writer(place.cluster)):
        await settle()

    assert await told(place) == []


@pytest.mark.parametrize("losses", [1, 2])
async def test_an_answer_that_is_lost_tells_nothing_twice(losses: int) -> None:
    place = Place()
    async with served(place, Writer(place.cluster)):
        await settle()
        place.server.clients["status-0"].link.lose(*[Loss.ANSWER] * losses)
        place.add_head()
        place.make_head_ready()
        await settle()

    assert await told(place) == ["provisioning", "ready"]


async def test_goes_on_telling_when_the_log_has_forgotten_what_was_told() -> None:
    """Events age out like all records: that a RayJob of eight days has ended must be told."""
    place = Place()
    async with served(place, Writer(place.cluster)):
        await settle()
        place.server.log.purge(subjects.whole_life(DEMO))
        place.add_head()
        place.make_head_ready()
        await settle()

    assert await told(place) == ["ready"]
    assert int((await heard(place))[-1].sequence) == 2


async def test_tells_a_state_again_before_the_log_forgets_it() -> None:
    place, soon = Place(), StatusSettings(refresh_after=timedelta(minutes=10))
    async with watching(place.cluster, place.server), telling(place, wishes=soon):
        await settle()
        await asyncio.sleep(soon.refresh_after.total_seconds() + 1)
        place.cluster.patch(
            "rayclusters", DEMO.namespace, DEMO.name, {"metadata": {"annotations": {"a": "b"}}}
        )
        await settle()

    events = await heard(place)
    assert [event.type.split(".")[-2] for event in events] == ["provisioning", "snapshot"]
    assert [int(event.sequence) for event in events] == [1, 2]
