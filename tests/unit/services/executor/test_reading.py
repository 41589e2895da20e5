"""What a later hand says of actions that it does not do: an earlier hand may have done them."""

from sandbox.errors import ApiError
from sandbox.faults import Refuse
from services.executor.performing import Performer
from shared.actions.objects import Action, ConfirmObject
from shared.actions.outcomes import AlreadySo, Gone, Outcome, Unknown
from tests.support.builders import FORMER_UID, KEY, creation, deletion
from tests.unit.services.executor.acted import World, deletion_of, job_of
from tests.unit.services.executor.acted import version_of as version

DOWN = (Refuse(error=ApiError.internal("down")),) * 4


async def read(world: World, action: Action) -> Outcome | None:
    return await Performer(world.port, world.server.clock).read(job_of(action), action)


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
    confirm = ConfirmObject(kind="pod", name="w1", rule="confirm", because="unseen")

    assert await read(World(), confirm) is None


async def test_reading_changes_nothing() -> None:
    world = World()
    there = world.pod("w1")
    await read(world, creation("w2"))
    await read(world, deletion_of(there))

    assert {request.verb for request in world.requests} == {"list"}
