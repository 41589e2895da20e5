"""What is there, and whose; and what an earlier hand may have done of what is not done now."""

import pytest

from sandbox.errors import ApiError
from sandbox.faults import Refuse
from services.executor.finding import Finder, Presence
from shared.actions.objects import Action, ConfirmObject
from shared.actions.outcomes import AlreadySo, Gone, Occupied, Outcome, Unknown
from shared.ports.cluster import ClusterUnavailable
from tests.support.builders import FORMER_UID, KEY, creation, deletion
from tests.unit.services.executor.acted import World, deletion_of, job_of
from tests.unit.services.executor.acted import version_of as version

CONFIRM = ConfirmObject(kind="pod", name="w1", rule="confirm", because="unseen")
DOWN = (Refuse(error=ApiError.internal("down")),) * 4


async def read(world: World, action: Action) -> Outcome | None:
    return await Finder(world.port).read(job_of(action), action)


async def find(world: World) -> Presence:
    return await Finder(world.port).find(job_of(CONFIRM), "pod", "w1")


async def test_finds_presence_absence_and_strangers() -> None:
    world = World()
    absent = await find(world)
    there = world.pod("w1")
    present = await find(world)
    world.cluster.delete("pods", KEY.namespace, "w1", grace_seconds=0)
    stranger = world.pod("w1", owner=FORMER_UID)

    assert absent == Gone(resource_version=version(there) - 1)
    assert present == AlreadySo(uid=there["metadata"]["uid"], resource_version=version(there))
    assert await find(world) == Occupied(
        uid=stranger["metadata"]["uid"],
        resource_version=version(stranger),
        message="pod w1 exists and belongs to something else",
    )


async def test_a_reading_that_fails_never_means_absence() -> None:
    world = World()
    world.meets("list", *DOWN)

    with pytest.raises(ClusterUnavailable):
        await find(world)


async def test_a_creation_that_is_there_was_done() -> None:
    world = World()
    there = world.pod("w1")

    assert await read(world, creation("w1")) == AlreadySo(
        uid=there["metadata"]["uid"], resource_version=version(there)
    )


async def test_a_creation_that_is_not_there_was_not_done() -> None:
    world = World()
    world.pod("w2", owner=FORMER_UID)

    assert await read(world, creation("w1")) is None
    assert await read(world, creation("w2")) is None


async def test_a_deletion_whose_object_stands_was_not_done() -> None:
    world = World()

    assert await read(world, deletion_of(world.pod("w1"))) is None


async def test_a_deletion_whose_object_is_going_was_done() -> None:
    world = World()
    there = world.pod("w1", finalizers=("test/keep",))
    going = world.cluster.delete("pods", KEY.namespace, "w1")

    assert await read(world, deletion_of(there)) == AlreadySo(
        uid=there["metadata"]["uid"], resource_version=version(going), deleting=True
    )


async def test_a_deletion_whose_object_is_gone_or_another_was_done() -> None:
    world = World()
    there = world.pod("w1")

    assert await read(world, deletion("w1")) == Gone(resource_version=version(there))
    assert await read(world, deletion("w2")) == Gone(resource_version=version(there))


async def test_what_cannot_be_read_is_unknown_and_not_undone() -> None:
    world = World()
    outcomes = []
    for action in (creation("w1"), deletion("w1")):
        world.meets("list", *DOWN)
        outcomes.append(await read(world, action))

    assert [type(outcome) for outcome in outcomes] == [Unknown, Unknown]


async def test_readings_are_not_read_again() -> None:
    assert await read(World(), CONFIRM) is None


async def test_reading_changes_nothing() -> None:
    world = World()
    there = world.pod("w1")
    await read(world, creation("w2"))
    await read(world, deletion_of(there))

    assert {request.verb for request in world.requests} == {"list"}
