"""One log, one mode: whoever comes second with the other one does not start."""

import asyncio
from contextlib import suppress

import pytest

from heliograph.assembly.modes import claim_mode, keep_mode
from shared.actions.outcomes import Done, Outcome, Overtaken
from shared.bus.memory import MemoryBus, MemoryServer
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.decisions import Answered
from shared.events.envelope import SCHEMA, Envelope
from shared.events.modes import NOT_DONE, ModeChosen
from shared.ports.event_log import Entry
from shared.runtime.failures import FatalError
from shared.runtime.settings import KubeSettings, Settings
from tests.support.builders import KEY, NOON, UID

ACTS = Settings()
LOOKS_ON = Settings(kube=KubeSettings(shadow=True))


async def mode_in(bus: MemoryBus) -> tuple[int, bool]:
    last = await bus.log.last(subjects.MODE)
    assert last is not None
    body = decode(last).envelope.body
    assert isinstance(body, ModeChosen)
    return last.sequence, body.shadow


@pytest.mark.parametrize("settings", [ACTS, LOOKS_ON])
async def test_the_first_marks_the_log_and_its_like_may_follow(settings: Settings) -> None:
    server = MemoryServer()
    bus = server.connect("test")
    for _ in range(2):
        await claim_mode(bus, server.clock, settings)

    assert await mode_in(bus) == (1, settings.kube.shadow)


@pytest.mark.parametrize(("first", "second"), [(ACTS, LOOKS_ON), (LOOKS_ON, ACTS)])
async def test_the_other_mode_is_refused(first: Settings, second: Settings) -> None:
    server = MemoryServer()
    bus = server.connect("test")
    await claim_mode(bus, server.clock, first)

    with pytest.raises(FatalError, match="needs a NATS server or account of its own"):
        await claim_mode(bus, server.clock, second)


async def answered(bus: MemoryBus, outcome: Outcome) -> None:
    """Write an answer of a time without marks."""
    body = Answered(act="act-1", outcomes=(outcome,))
    envelope = Envelope(
        schema=SCHEMA, id="a", body=body, code="test", written_at=NOON, key=KEY, uid=UID
    )
    await bus.log.append(Entry(subject=subjects.res(KEY), id="a", data=encode(envelope)))


async def test_a_shadows_own_log_that_lost_its_mark_is_its_own_still() -> None:
    server = MemoryServer()
    bus = server.connect("test")
    await answered(bus, Overtaken(because=NOT_DONE))
    await claim_mode(bus, server.clock, LOOKS_ON)

    assert (await mode_in(bus))[1] is True


async def test_a_log_with_deeds_from_before_there_were_marks_is_no_shadows() -> None:
    server = MemoryServer()
    bus = server.connect("test")
    await answered(bus, Done())

    with pytest.raises(FatalError, match="is of an installation that acts"):
        await claim_mode(bus, server.clock, LOOKS_ON)
    await claim_mode(bus, server.clock, ACTS)
    assert (await mode_in(bus))[1] is False


async def test_a_mark_that_is_gone_is_written_again() -> None:
    server = MemoryServer()
    bus = server.connect("test")
    with suppress(TimeoutError):
        async with asyncio.timeout(0.1):
            await keep_mode(bus, server.clock, LOOKS_ON)

    assert (await mode_in(bus))[1] is True
