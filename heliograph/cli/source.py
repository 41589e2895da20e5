"""Where a command reads history from: a living bus, or a capsule file."""

import asyncio
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from heliograph.assembly.adapters import open_bus
from heliograph.assembly.capsules import read_capsule
from heliograph.assembly.reading import read_records
from heliograph.assembly.replaying import Read, capsuled
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.run import settings_of
from shared.events.envelope import Record
from shared.ports.event_log import FromSequence
from shared.runtime.settings import BusSettings

T = TypeVar("T")


def add_source(parser: ArgumentParser) -> None:
    """Give a command the flags that say where history is."""
    parser.add_argument(
        "--capsule", metavar="FILE", type=Path, help="Read this capsule instead of a bus."
    )
    add_flags(parser, "the log", BUS)


def records_from(args: Namespace, command: str, filters: Sequence[str]) -> tuple[Record, ...]:
    """Read what the filters name, oldest first."""
    if args.capsule is not None:
        return read_capsule(args.capsule, filters)
    return asyncio.run(_read(settings_of(args).bus, command, filters))


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
