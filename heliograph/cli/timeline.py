"""`heliograph timeline KIND/NAMESPACE/NAME`: one resource's history, seen, decided, done."""

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from heliograph.assembly.adapters import open_bus
from heliograph.assembly.reading import read_records
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.render import Cell, Colour, Screen, table
from heliograph.cli.run import settings_of
from heliograph.views.timeline import Moment, timeline
from shared.events.codec import encode
from shared.events.envelope import Record
from shared.events.subjects import everything_of
from shared.kernel.keys import ResourceKey, parse_key
from shared.runtime.failures import Exit, FatalError
from shared.runtime.settings import BusSettings

COLOURS = {
    "seen": Colour.BLUE,
    "decided": Colour.YELLOW,
    "done": Colour.GREEN,
    "told": Colour.CYAN,
    "timer": Colour.DIM,
}


def add_arguments(parser: ArgumentParser) -> None:
    """Name the resource and the form of the answer."""
    parser.add_argument("resource", metavar="KIND/NAMESPACE/NAME", help="Whose history to tell.")
    parser.add_argument(
        "-o", "--output", choices=("table", "json"), default="table", help="How to print it."
    )
    parser.epilog = "Example: heliograph timeline raycluster/default/first"
    add_flags(parser, "the log", BUS)


def run(args: Namespace) -> int:
    """Read the history and print it."""
    key = key_of(args.resource)
    records = asyncio.run(_read(settings_of(args).bus, key))
    if not records:
        raise FatalError(f"the log knows nothing of {key}")
    moments = tuple(timeline(records))
    if args.output == "json":
        sys.stdout.writelines(encode(moment).decode() + "\n" for moment in moments)
    else:
        screen = Screen(sys.stdout, os.environ)
        screen.write(rows(screen, moments))
    return Exit.DONE


def key_of(text: str) -> ResourceKey:
    """Read a resource as people write it."""
    try:
        return parse_key(text)
    except ValueError as problem:
        raise FatalError(str(problem)) from problem


async def _read(settings: BusSettings, key: ResourceKey) -> tuple[Record, ...]:
    async with open_bus(settings, "timeline") as bus:
        return await read_records(bus.log, (everything_of(key),))


def rows(screen: Screen, moments: Sequence[Moment]) -> list[str]:
    """Return a history as lines of a table; reasons stand under what they explain."""
    lines: list[list[Cell | str]] = []
    for moment in moments:
        clock = moment.at.strftime("%H:%M:%S.%f")[:-3]
        what = Cell(moment.what, COLOURS[moment.what])
        lines.append([Cell(str(moment.sequence), Colour.DIM), clock, what, moment.text])
        lines.extend(
            ["", "", "", Cell(f"  because {reason}", Colour.DIM)] for reason in moment.because
        )
    return table(screen, lines, headings=("record", "time", "what", "detail"))
