"""Write once, although answers get lost.

An append whose answer did not come may have landed, and a refusal may be our own first try talking
back. Both are settled by one look: does the last message of the subject carry our id? Only then
is the entry sent again, with the same id. With a fence, nothing is sent again over a new
connection: sequences may repeat after a break, and an old fence could fit by accident.
"""

from collections.abc import Callable
from random import Random

from msgspec import Struct

from shared.bus.wire import id_of
from shared.ports.event_log import Appended, BusUnavailable, Entry, EventLog, Message
from shared.runtime.chance import SYSTEM_CHANCE
from shared.runtime.retry import BRIEFLY, retry


class Committed(Struct, frozen=True):
    """It is in the log, written by us, now or before."""

    sequence: int


class Lost(Struct, frozen=True):
    """Somebody else wrote first; `message` is what stands there now."""

    message: Message | None


class _Stale(Struct, frozen=True):
    pass


def _always() -> bool:
    return True


async def commit(
    log: EventLog,
    entry: Entry,
    *,
    still: Callable[[], bool] = _always,
    chance: Random = SYSTEM_CHANCE,
) -> Committed | Lost:
    """Append and make sure of the answer; raise `BusUnavailable` if nobody can tell.

    `still` says whether the entry's fence is of this connection; when it no longer is, nothing is
    sent any more.
    """
    outcome = await retry(
        BRIEFLY, lambda: _attempt(log, entry, still), on=BusUnavailable, chance=chance
    )
    if isinstance(outcome, _Stale):
        raise BusUnavailable("the fence is of an earlier connection")
    return outcome


async def _attempt(
    log: EventLog, entry: Entry, still: Callable[[], bool]
) -> Committed | Lost | _Stale:
    if not still():
        landed = await _landed(log, entry)
        return landed if isinstance(landed, Committed) else _Stale()
    try:
        answer = await log.append(entry)
    except BusUnavailable:
        landed = await _landed(log, entry)
        if isinstance(landed, Committed):
            return landed
        raise
    if isinstance(answer, Appended):
        return Committed(answer.sequence)
    landed = await _landed(log, entry)
    if isinstance(landed, Lost) and _standing(landed) == entry.fence:
        raise BusUnavailable("refused, yet nobody else has written: a write is in flight")
    return landed


def _standing(lost: Lost) -> int:
    return lost.message.sequence if lost.message is not None else 0


async def _landed(log: EventLog, entry: Entry) -> Committed | Lost:
    """Look whose the last message of what the fence covers is."""
    stands = await log.last(entry.fence_over or entry.subject)
    if stands is not None and id_of(stands) == entry.id:
        return Committed(stands.sequence)
    return Lost(stands)
