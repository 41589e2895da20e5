"""Which part of history a log holds, said where somebody asks for a part that it does not."""

import asyncio
from argparse import Namespace
from collections import deque
from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from heliograph.assembly.adapters import open_bus
from heliograph.assembly.capsules import messages_of
from heliograph.assembly.reading import EVERYTHING
from heliograph.cli.run import settings_of
from heliograph.cli.when import bound_of, now_of
from heliograph.views.bounds import Bound, Bounds
from shared.events.envelope import Record
from shared.ports.event_log import FromSequence, Message
from shared.runtime.failures import FatalError
from shared.runtime.settings import BusSettings


class Extent(Struct, frozen=True, kw_only=True):
    """The first and the last record of a log, or of a part of it."""

    first: int
    first_at: datetime
    last: int
    last_at: datetime

    def __str__(self) -> str:
        """Say it to a person."""
        return f"{_place(self.first, self.first_at)} to {_place(self.last, self.last_at)}"


def _place(sequence: int, at: datetime) -> str:
    return f"record {sequence} ({at:%Y-%m-%d %H:%M:%S})"


def covered(args: Namespace, command: str) -> str:
    """Say what the log, or the capsule, covers."""
    found = extent_of(args, command)
    what = "the log" if args.capsule is None else "the capsule"
    return f"{what} covers {found}" if found is not None else f"{what} is empty"


def extent_of(args: Namespace, command: str) -> Extent | None:
    """Return where the log begins and ends; None if it is empty."""
    if args.capsule is None:
        return asyncio.run(_of_bus(settings_of(args).bus, command))
    messages = messages_of(args.capsule, EVERYTHING)
    first = next(messages, None)
    return _extent(first, next(iter(deque(messages, maxlen=1)), first))


async def _of_bus(settings: BusSettings, command: str) -> Extent | None:
    async with open_bus(settings, command) as bus:
        last = await bus.log.last(EVERYTHING[0])
        async for first in bus.log.read(EVERYTHING, FromSequence(1), headers_only=True):
            return _extent(first, last)
    return None


def extent_in(records: Sequence[Record]) -> Extent | None:
    """Return where some records begin and end."""
    return _extent(records[0], records[-1]) if records else None


def _extent(first: Message | Record | None, last: Message | Record | None) -> Extent | None:
    if first is None or last is None:
        return None
    return Extent(first=first.sequence, first_at=first.at, last=last.sequence, last_at=last.at)


def past_of(args: Namespace, command: str, flag: str, text: str | None) -> Bound | None:
    """Read a bound that must not lie ahead: of the future the log knows nothing."""
    found = bound_of(args, flag, text)
    if isinstance(found, datetime):
        now = now_of(args)
        if found > now:
            ends = "it is" if args.capsule is None else "the capsule ends at"
            raise FatalError(f"{flag}: {text} is in the future: {ends} {now:%Y-%m-%d %H:%M:%S} UTC")
    elif found is not None:
        extent = extent_of(args, command)
        if extent is not None and found > extent.last:
            raise FatalError(f"{flag}: there is no record {found} yet: {covered(args, command)}")
    return found


def check_order(
    records: Sequence[Record], bounds: tuple[Bound | None, Bound | None], flags: tuple[str, str]
) -> None:
    """Refuse a range that ends before it begins; of a record and a moment, by what they reach."""
    turned = False
    match bounds:
        case (None, _) | (_, None):
            return
        case (int(first), int(last)):
            turned = first > last
        case (datetime() as since, datetime() as until):
            turned = since > until
        case (begins, ends):
            turned = _reached(records, begins) > _reached(records, ends)
    if turned:
        raise FatalError(f"{flags[0]}: this is after {flags[1]}")


def _reached(records: Sequence[Record], bound: Bound) -> int:
    """Return the last record that a bound reaches; 0 if it is before all."""
    until = Bounds(last=bound)
    reached = (one.sequence for one in records if not until.passed(one.sequence, one.at))
    return max(reached, default=0)
