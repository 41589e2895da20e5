"""One log, one mode: whoever acts and whoever only looks on never share one.

An executor that looks on answers acts that another one should carry out, and the other carries out
what was only thought. So the first installation on a log marks it, and every process compares.
"""

import asyncio

from heliograph.assembly.adapters import CODE, shown
from shared.aggregates.shadows import left_undone
from shared.bus.commit import Committed, commit
from shared.events.codec import UnreadableRecordError, decode, encode
from shared.events.decisions import Answered
from shared.events.envelope import SCHEMA, Envelope
from shared.events.modes import ModeChosen
from shared.events.subjects import ALL_ANSWERS, MODE
from shared.kernel.ids import content_id
from shared.ports.clock import Clock
from shared.ports.event_log import Bus, BusUnavailable, Entry, FromSequence, Message
from shared.runtime.failures import FatalError
from shared.runtime.settings import Settings


async def claim_mode(bus: Bus, clock: Clock, settings: Settings) -> None:
    """Mark the log as of our mode; raise FatalError if it is of the other."""
    try:
        last = await bus.log.last(MODE)
        if last is None:
            await _refuse_old_log(bus, settings)
            last = await _mark(bus, clock, settings, fence=0)
    except BusUnavailable as problem:
        raise FatalError(f"nobody can tell whose log this is: {problem}") from problem
    if last is not None:
        _compare(last, settings)


async def keep_mode(bus: Bus, clock: Clock, settings: Settings) -> None:
    """Write the mark again before it ages out, until cancelled."""
    refresh_after = settings.bus.log_retention / 3
    while True:
        last = await bus.log.last(MODE)
        if last is not None:
            _compare(last, settings)
        if last is None or clock.now() >= last.at + refresh_after:
            other = await _mark(bus, clock, settings, fence=last.sequence if last else 0)
            if other is not None:
                _compare(other, settings)
        await asyncio.sleep(refresh_after.total_seconds() / 2)


async def _refuse_old_log(bus: Bus, settings: Settings) -> None:
    """Leave a log alone that an installation of before there were marks has acted on.

    A shadow's own log may have lost its mark to age; its answers tell it apart.
    """
    if not settings.kube.shadow:
        return
    answered = False
    async for message in bus.log.read((ALL_ANSWERS,), FromSequence(1)):
        answered = True
        if _looked_on(message):
            return
    if answered:
        raise FatalError(_other(settings, "acts"))


def _looked_on(message: Message) -> bool:
    try:
        body = decode(message).envelope.body
    except UnreadableRecordError:
        return False
    return isinstance(body, Answered) and any(map(left_undone, body.outcomes))


async def _mark(bus: Bus, clock: Clock, settings: Settings, *, fence: int) -> Message | None:
    """Write our mode; return what stands there if somebody else was first."""
    body = ModeChosen(shadow=settings.kube.shadow)
    identity = content_id(MODE, fence, str(body.shadow))
    envelope = Envelope(schema=SCHEMA, id=identity, body=body, code=CODE, written_at=clock.now())
    entry = Entry(subject=MODE, id=identity, data=encode(envelope), fence=fence)
    answer = await commit(bus.log, entry)
    return None if isinstance(answer, Committed) else answer.message


def _compare(last: Message, settings: Settings) -> None:
    try:
        found = decode(last).envelope.body
    except UnreadableRecordError as problem:
        raise FatalError(f"nobody can tell whose log this is: {problem}") from problem
    if isinstance(found, ModeChosen) and found.shadow != settings.kube.shadow:
        raise FatalError(_other(settings, "only looks on (--shadow)" if found.shadow else "acts"))


def _other(settings: Settings, does: str) -> str:
    ours = "a shadow" if settings.kube.shadow else "an installation that acts"
    return (
        f"the log on {shown(settings.bus.nats_url)} is of an installation that {does}: {ours} "
        "needs a NATS server or account of its own (--nats-url, --nats-creds)"
    )
