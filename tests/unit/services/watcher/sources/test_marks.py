"""Session marks: numbered, written once, never going back."""

from datetime import UTC, datetime

import pytest

from services.watcher.publishing import SessionOverError
from services.watcher.sources.marks import NO_MARK, Mark, last_mark, token, write_mark
from shared.bus.memory import MemoryServer
from shared.events.records import KindListed
from shared.ports.event_log import EventLog

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def listed(number: int, member: str = "one") -> KindListed:
    return KindListed(
        kind="pod", session=token(number, member), number=number, resource_version=7, count=1
    )


async def write(log: EventLog, mark: KindListed, *, refresh: bool = False) -> Mark:
    return await write_mark(log, mark, code="test", now=NOON, refresh=refresh)


async def test_a_log_without_sessions_has_no_mark() -> None:
    assert await last_mark(MemoryServer().connect("one").log, "pod") == NO_MARK


async def test_a_mark_names_its_session() -> None:
    server = MemoryServer()
    log = server.connect("one").log

    await write(log, listed(1))

    assert await last_mark(log, "pod") == Mark(
        sequence=1, number=1, session="1:one", at=server.clock.now()
    )


async def test_marking_twice_writes_once() -> None:
    log = MemoryServer().connect("one").log
    for _ in range(2):
        await write(log, listed(1))

    assert (await log.end()).last == 1


async def test_a_refresh_is_written_again() -> None:
    log = MemoryServer().connect("one").log
    await write(log, listed(1))

    assert (await write(log, listed(1), refresh=True)).sequence == 2


async def test_a_newer_session_follows_an_older_one() -> None:
    log = MemoryServer().connect("one").log
    await write(log, listed(1))

    await write(log, listed(2, "two"))

    assert (await last_mark(log, "pod")).session == "2:two"


async def test_a_mark_never_goes_back() -> None:
    log = MemoryServer().connect("one").log
    await write(log, listed(2, "two"))

    with pytest.raises(SessionOverError):
        await write(log, listed(1))

    assert (await last_mark(log, "pod")).session == "2:two"
