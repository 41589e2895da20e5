"""Whether the watchers have listed everything."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from shared.bus.memory import MemoryBus
from shared.events import subjects
from shared.following.sessions import DOUBT, Sessions
from tests.unit.shared.following.followed import World

KINDS = ("raycluster", "pod")
ALL_OF_ONE = "s1"
MINUTE = 60


class Changes:
    def __init__(self) -> None:
        self.count = 0

    def changed(self) -> None:
        self.count += 1


@asynccontextmanager
async def sessions_of(
    world: World, changes: Changes | None = None
) -> AsyncIterator[tuple[Sessions, MemoryBus]]:
    bus = world.server.connect("sessions")
    sessions = Sessions(bus, KINDS, (changes or Changes()).changed)
    task = asyncio.create_task(sessions.run())
    try:
        await asyncio.sleep(1)
        yield sessions, bus
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def state(sessions: Sessions, changes: Changes) -> tuple[str | None, int]:
    return sessions.current, changes.count


async def told(world: World, kind: str, session: str) -> None:
    await world.hold(kind, session)
    await world.mark(kind, session)
    await asyncio.sleep(1)


async def test_nothing_rests_on_anything_before_it_runs() -> None:
    world = World()

    assert Sessions(world.writer, KINDS, lambda: None).current is None


async def test_every_kind_must_be_listed_by_the_session_that_holds_its_lease() -> None:
    world, changes = World(), Changes()
    async with sessions_of(world, changes) as (sessions, _):
        assert sessions.current is None
        await told(world, "raycluster", "s1")
        assert sessions.current is None
        await world.hold("pod", "s1")
        await asyncio.sleep(1)
        assert state(sessions, changes) == (None, 0)
        last = await world.mark("pod", "s1")
        await asyncio.sleep(1)

        assert state(sessions, changes) == (ALL_OF_ONE, 1)
        assert sessions.listed_at == last


async def test_a_mark_of_a_former_session_does_not_count() -> None:
    world = World()
    for kind in KINDS:
        await world.mark(kind, "s1")
        await world.hold(kind, "s2")
    async with sessions_of(world) as (sessions, _):
        assert sessions.current is None


async def test_a_renewed_tenancy_changes_nothing() -> None:
    world, changes = World(), Changes()
    await world.list_all()
    async with sessions_of(world, changes) as (sessions, _):
        for _ in range(5):
            await world.stay("s1")
            await asyncio.sleep(1)

        assert state(sessions, changes) == (ALL_OF_ONE, 1)


async def test_a_tenancy_that_ends_by_itself_ends_it() -> None:
    world, changes = World(), Changes()
    await world.list_all()
    async with sessions_of(world, changes) as (sessions, _):
        await world.stay("s1", ttl=timedelta(seconds=2))
        assert sessions.current == ALL_OF_ONE
        await asyncio.sleep(3)

        assert state(sessions, changes) == (None, 2)


async def test_a_new_session_counts_once_it_has_listed() -> None:
    world = World()
    await world.list_all()
    async with sessions_of(world) as (sessions, _):
        await world.hold("pod", "s2")
        await asyncio.sleep(1)
        assert sessions.current is None
        await world.mark("pod", "s2")
        await asyncio.sleep(1)

        assert sessions.current == "s1=raycluster s2=pod"


async def test_what_rested_on_other_sessions_no_longer_does() -> None:
    world = World()
    await world.list_all()
    async with sessions_of(world) as (sessions, _):
        before = sessions.current
        assert before is not None
        assert sessions.still(before)
        await told(world, "pod", "s2")

        between = sessions.current
        assert between == "s1=raycluster s2=pod"
        assert (sessions.still(before), sessions.still(between)) == (False, True)
        await told(world, "raycluster", "s2")
        assert (sessions.still(between), sessions.still("s2")) == (False, True)


async def test_kinds_that_others_do_not_name_are_no_matter_between_two_versions() -> None:
    world = World()
    await world.mark("pod", "s2")
    await world.hold("pod", "s2")
    await told(world, "raycluster", "s1")
    async with sessions_of(world) as (sessions, _):
        assert sessions.still("s1=raycluster,route s2=service")
        assert not sessions.still("s2=raycluster,route s1=service")


async def test_nothing_rests_on_sessions_of_which_nobody_knows() -> None:
    world = World()
    await world.list_all()

    assert not Sessions(world.writer, KINDS, lambda: None).still("s1")


async def test_nothing_counts_between_two_connections() -> None:
    world = World()
    await world.list_all()
    async with sessions_of(world) as (sessions, bus):
        bus.link.break_down()
        bus.link.come_back()
        assert sessions.current is None
        await asyncio.sleep(1)

        assert sessions.current is None


async def test_sessions_from_before_a_reconnection_count_once_they_outlived_a_lease() -> None:
    world = World()
    await world.list_all()
    async with sessions_of(world) as (sessions, bus):
        bus.link.break_down()
        bus.link.come_back()
        for _ in range(round(DOUBT.total_seconds()) + 1):
            for kind in KINDS:
                await world.hold(kind, "s1")
            await asyncio.sleep(1)

        assert sessions.current == ALL_OF_ONE


async def test_a_new_session_counts_at_once_after_a_reconnection() -> None:
    world = World()
    await world.list_all()
    async with sessions_of(world) as (sessions, bus):
        bus.link.break_down()
        bus.link.come_back()
        for kind in KINDS:
            await told(world, kind, "s2")
        await asyncio.sleep(1)

        assert sessions.current == ALL_OF_ONE.replace("s1", "s2")


async def test_marks_that_the_log_has_lost_no_longer_count() -> None:
    world = World()
    await world.list_all()
    async with sessions_of(world) as (sessions, _):
        world.server.wipe(first_sequence=100)
        await asyncio.sleep(10)

        assert (sessions.current, sessions.listed_at) == (None, 0)


async def test_leases_that_are_read_anew_do_not_make_it_forget_the_marks() -> None:
    world = World()
    await world.list_all()
    async with sessions_of(world) as (sessions, bus):
        bus.link.silence()
        world.server.presence.wipe()
        await asyncio.sleep(MINUTE)
        assert sessions.current is None
        for kind in KINDS:
            await world.hold(kind, "s1")
        await asyncio.sleep(1)

        assert sessions.current == ALL_OF_ONE


async def test_what_cannot_be_read_is_no_mark() -> None:
    world = World()
    await world.list_all()
    await world.append(subjects.sync("pod"), b'{"schema": 99}', "newer")
    async with sessions_of(world) as (sessions, _):
        assert sessions.current is None
