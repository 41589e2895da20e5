"""Where a command reads history from: a living bus, or a capsule file."""

import asyncio
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from heliograph.assembly.adapters import open_bus
from heliograph.assembly.capsules import read_capsule, read_manifest
from heliograph.assembly.reading import EVERYTHING, read_records
from heliograph.assembly.replaying import Read, capsuled
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.run import settings_of
from heliograph.views.bounds import Bound, Bounds
from heliograph.views.clocktime import spoken_bound
from shared.events.envelope import Record
from shared.ports.event_log import FromSequence
from shared.runtime.clock import SystemClock
from shared.runtime.failures import FatalError
from shared.runtime.settings import BusSettings

T = TypeVar("T")


def add_source(parser: ArgumentParser) -> None:
    """Give a command the flags that say where history is."""
    parser.add_argument(
        "--capsule", metavar="FILE", type=Path, help="Read this capsule instead of a bus."
    )
    add_flags(parser, "the log", BUS)


def records_from(
    args: Namespace,
    command: str,
    filters: Sequence[str] = EVERYTHING,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> tuple[Record, ...]:
    """Read what the filters name, oldest first; bounds are moments of the log's own time."""
    if args.capsule is not None:
        found = read_capsule(args.capsule, filters)
    else:
        found = asyncio.run(_read(settings_of(args).bus, command, filters))
    return tuple(record for record in found if _within(record, since, until))


def _within(record: Record, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or record.at >= since) and (until is None or record.at <= until)


async def _read(settings: BusSettings, command: str, filters: Sequence[str]) -> tuple[Record, ...]:
    async with open_bus(settings, command) as bus:
        return await read_records(bus.log, filters)


def reading(args: Namespace, command: str, work: Callable[[Read], Awaitable[T]]) -> T:
    """Run work that reads history, as often as it wants, message by message."""
    return asyncio.run(_reading(args, command, work))


async def _reading(args: Namespace, command: str, work: Callable[[Read], Awaitable[T]]) -> T:
    if args.capsule is not None:
        path = args.capsule
        return await work(lambda filters: capsuled(path, filters))
    async with open_bus(settings_of(args).bus, command) as bus:
        return await work(lambda filters: bus.log.read(filters, FromSequence(1)))


def bounds_of(args: Namespace, first: str | None, last: str | None) -> Bounds:
    """Read where a range begins and ends; in a capsule, now is when it ends."""
    if first is None and last is None:
        return Bounds()
    now = _now(args)
    return Bounds(first=_bound("--from", first, now), last=_bound("--to", last, now))


def moment_of(args: Namespace, flag: str, text: str | None) -> datetime | None:
    """Read a flag that takes a moment; in a capsule, now is when it ends."""
    if text is None:
        return None
    found = _bound(flag, text, _now(args))
    if isinstance(found, int):
        raise FatalError(f"{flag}: {text!r} is a sequence, and a moment is asked for")
    return found


def _now(args: Namespace) -> datetime:
    path = getattr(args, "capsule", None)
    ended = read_manifest(path).span.ended_at if path is not None else None
    return ended or SystemClock().now()


def _bound(flag: str, text: str | None, now: datetime) -> Bound | None:
    if text is None:
        return None
    try:
        return spoken_bound(text, now)
    except ValueError as problem:
        raise FatalError(f"{flag}: {problem}") from problem
