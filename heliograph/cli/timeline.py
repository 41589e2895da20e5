"""`heliograph timeline KIND/NAMESPACE/NAME`: one resource's history, seen, decided, done."""

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from datetime import date, datetime

import yaml
from msgspec import json

from heliograph.cli.asking import add_object, resource_of, unknown
from heliograph.cli.extent import check_order, covered, extent_in
from heliograph.cli.following import follow
from heliograph.cli.printing import add_output
from heliograph.cli.render import Cell, Colour, Screen
from heliograph.cli.source import add_source, records_from
from heliograph.cli.when import WHEN, bound_of, now_of
from heliograph.cli.wrapping import Row, wrapped
from heliograph.views.bounds import Bounds
from heliograph.views.chatter import summed_up
from heliograph.views.discretion import redactor_for
from heliograph.views.timeline import Moment, timeline
from heliograph.views.waits import book_of, usual, wait_words
from shared.events.codec import encode
from shared.events.envelope import Record
from shared.events.subjects import everything_of
from shared.kernel.keys import ResourceKey
from shared.runtime.failures import Exit, FatalError

COLOURS = {
    "seen": Colour.BLUE,
    "decided": Colour.YELLOW,
    "done": Colour.GREEN,
    "told": Colour.CYAN,
    "timer": Colour.DIM,
}
HEADINGS = ("record", "time", "what", "detail")
EXAMPLES = f"""WHEN is {WHEN}.

examples:
  heliograph timeline raycluster/default/first
  heliograph timeline rayjob/default/train --since 2h --pods
  heliograph timeline raycluster/default/first --since 23:00 --until 04:00
  heliograph timeline raycluster/default/first --follow
  heliograph timeline raycluster/default/first --capsule night.capsule -o json | jq .text

exit codes: 0, and 2 if the log knows nothing of it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Name the resource, the range and the form of the answer."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    add_object(parser, "Whose history to tell.")
    parser.add_argument("--since", metavar="WHEN", help="Begin there.")
    parser.add_argument("--until", metavar="WHEN", help="End there.")
    parser.add_argument("--follow", action="store_true", help="Go on with what happens.")
    parser.add_argument(
        "--pods", action="store_true", help="Tell every step of every worker, not sums."
    )
    add_output(parser)
    add_source(parser)


def run(args: Namespace) -> int:
    """Read the history and print it."""
    key = resource_of(args.resource, "timeline")
    bounds = Bounds(
        first=bound_of(args, "--since", args.since), last=bound_of(args, "--until", args.until)
    )
    screen = Screen(sys.stdout, os.environ)
    if args.follow:
        if args.capsule is not None or args.until is not None:
            raise FatalError("--follow goes with a living log and without an end")
        show = Lines(screen, args.output, today=now_of(args).date())
        asyncio.run(follow(args, key, bounds, show.show))
        return Exit.DONE
    records = records_from(args, "timeline", (everything_of(key),))
    if not records:
        raise unknown(args, "timeline", key)
    check_order(records, (bounds.first, bounds.last), ("--since", "--until"))
    told = (one for one in timeline(records) if bounds.holds(one.sequence, one.at))
    moments = tuple(told if args.pods else summed_up(told))
    if not moments:
        _tell_nothing(args, key, records)
    if args.output != "table":
        write_values(moments, args.output)
        return Exit.DONE
    today = now_of(args).date() if args.capsule is None else date.min
    screen.write(rows(screen, moments, today=today) if moments else ())
    if args.until is None:
        _tell_waiting(screen, key, records, now_of(args))
    return Exit.DONE


def _tell_waiting(
    screen: Screen, key: ResourceKey, records: Sequence[Record], now: datetime
) -> None:
    """Say what the resource waits for now, if it waits."""
    book = book_of(key, records)
    for one in book.now()[:1]:
        words = redactor_for(records).text(wait_words(one, now, usual(one.cause, (book,))))
        screen.write(wrapped(screen, [["now", Cell(words, Colour.RED)]]))


def _tell_nothing(args: Namespace, key: ResourceKey, records: Sequence[Record]) -> None:
    """Say on the side that there is nothing to tell, and what there is instead."""
    ranged = args.since is not None or args.until is not None
    nothing = "is in that range" if ranged else "is left to tell"
    sys.stderr.write(
        f"heliograph: nothing of {key} {nothing}: it is known from {extent_in(records)}; "
        f"{covered(args, 'timeline')}\n"
    )


def write_values(moments: Sequence[Moment], form: str) -> None:
    """Print moments for programs: JSON one a line, YAML as entries of one list."""
    for moment in moments:
        text = encode(moment)
        if form == "json":
            sys.stdout.write(text.decode() + "\n")
        else:
            plain = [json.decode(text)]
            yaml.dump(plain, sys.stdout, Dumper=yaml.CSafeDumper, sort_keys=False)
    sys.stdout.flush()


class Lines:
    """Prints moments as they come."""

    def __init__(self, screen: Screen, form: str, *, today: date) -> None:
        self._screen = screen
        self._form = form
        self._day = today

    def show(self, moments: Sequence[Moment]) -> None:
        """Print a few more."""
        if self._form != "table":
            write_values(moments, self._form)
            return
        for moment in moments:
            if moment.at.date() != self._day:
                self._day = moment.at.date()
                self._screen.write([self._screen.paint(_separator(self._day), Colour.BOLD)])
            self._screen.write(wrapped(self._screen, list(_cells(moment))))


def rows(screen: Screen, moments: Sequence[Moment], *, today: date | None = None) -> list[str]:
    """Return a history as lines of a table; reasons stand under what they explain.

    Days are told where there are several, and where the only one is not today.
    """
    days = {moment.at.date() for moment in moments}
    dated = len(days) > 1 or (today is not None and bool(days - {today}))
    lines: list[Row] = []
    day: date | None = None
    for moment in moments:
        if dated and moment.at.date() != day:
            day = moment.at.date()
            lines.append(_separator(day))
        lines.extend(_cells(moment))
    return wrapped(screen, lines, headings=HEADINGS)


def _separator(day: date) -> str:
    return f"--- {day.isoformat()} ---"


def _cells(moment: Moment) -> Iterator[list[Cell | str]]:
    clock = moment.at.strftime("%H:%M:%S.%f")[:-3]
    what = Cell(moment.what, COLOURS[moment.what])
    yield [Cell(str(moment.sequence), Colour.DIM), clock, what, moment.text]
    for reason in moment.because:
        yield ["", "", "", Cell(f"  because {reason}", Colour.DIM)]
