"""`heliograph subscribe`: lifecycle events as everybody may hear them, from now or any past moment.

It listens to RAYPUB as any subscriber would, so what is seen here is what a program gets. An event
is shown once, also when the stream begins anew. A durable one keeps its place in the server: an
event counts as heard when it was shown, one after the other, so that a crash repeats one at most.
Ctrl-C ends it.
"""

import asyncio
import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from contextlib import aclosing
from datetime import datetime

from msgspec import Struct

from heliograph.assembly.news import Incomings, keep_place, listen, open_news, take
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.printing import add_output
from heliograph.cli.render import Colour, Screen, fit
from heliograph.cli.run import settings_of
from heliograph.views.clocktime import spoken_moment
from shared.events.cloudevents import CloudEvent, life_in
from shared.events.codec import encode
from shared.events.lifecycle import DELETED, EVENTS
from shared.events.subjects import encode_token
from shared.ports.event_log import EventLog, FromSequence, FromTime, Start
from shared.runtime.clock import SystemClock
from shared.runtime.failures import Exit, FatalError

BEGINNING = "beginning"
TAKEN = "courier-"
"""How the names of webhooks' own consumers begin."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")
WORDS = tuple(dict.fromkeys(what for events in EVENTS.values() for what in events))
GOOD = frozenset(
    {"ready", "succeeded", "promoted", "resumed", "head-replaced", "fired", "released"}
)
BAD = frozenset(
    {"degraded", "head-lost", "workers-failed", "failed", "invalid", "unready", "timed-out"}
    | {"rolled-back", "retrying", "stopped", "skipped", "held"}
)
EXAMPLES = """examples:
  heliograph subscribe                                   everything, from now on
  heliograph subscribe --kind rayjob --event failed --since 7d
  heliograph subscribe --since beginning --count 10 -o json
  heliograph subscribe --durable mine                    goes on where it stood
  heliograph subscribe -o cloudevents | while read -r event; do ...; done

Ctrl-C ends it, with exit code 130."""


class Heard(Struct, frozen=True, kw_only=True):
    """An event in few words."""

    at: datetime
    event: str
    resource: str
    because: str
    number: int
    id: str


Show = Callable[[CloudEvent], None]


def add_arguments(parser: ArgumentParser) -> None:
    """Say what to listen to."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("--kind", type=str.lower, choices=tuple(EVENTS), help="Of this kind.")
    parser.add_argument("--namespace", metavar="NAMESPACE", help="Of this namespace.")
    parser.add_argument("--name", metavar="NAME", help="Of resources of this name.")
    parser.add_argument("--event", metavar="EVENT", help=f"Of this event: {', '.join(WORDS)}.")
    parser.add_argument(
        "--since",
        metavar="WHEN",
        help=f"Begin at a moment, a time of day (03:12), a span ago (7d), or the {BEGINNING}.",
    )
    parser.add_argument(
        "--durable",
        metavar="NAME",
        type=_durable,
        help="Keep the place under this name; once it is there, --since is of no account.",
    )
    parser.add_argument("--count", metavar="N", type=_count, help="End after so many events.")
    add_output(parser, ("table", "json", "cloudevents"))
    add_flags(parser, "the log", BUS)


def run(args: Namespace) -> int:
    """Listen until told to stop, or until enough was heard."""
    check_event(args)
    asyncio.run(_subscribe(args, printer(args.output)))
    return Exit.DONE


def check_event(args: Namespace) -> None:
    """Refuse an event that the kind, or no kind, has."""
    known = tuple(EVENTS[args.kind]) if args.kind else WORDS
    if args.event is not None and args.event not in known:
        of = f"a {args.kind} has" if args.kind else "there are"
        raise FatalError(f"--event: {args.event!r} is no event: {of} {', '.join(known)}")


def filter_of(args: Namespace) -> str:
    """Return the subjects to listen to."""
    words = (args.namespace, args.kind, args.name, args.event)
    return ".".join(("pub", *(encode_token(word) if word else "*" for word in words)))


def printer(form: str) -> Show:
    """Return what shows an event in one of the forms."""
    if form == "table":
        screen = Screen(sys.stdout, os.environ)
        return lambda event: screen.write([line_of(screen, heard_of(event))])
    if form == "json":
        return lambda event: _print(heard_of(event))
    return _print


def heard_of(event: CloudEvent) -> Heard:
    """Say an event in few words."""
    told = life_in(event)
    return Heard(
        at=event.time,
        event=told.what,
        resource=event.partitionkey,
        because=str(told.data.get("because", "")),
        number=told.number,
        id=event.id,
    )


def line_of(screen: Screen, heard: Heard) -> str:
    """Return an event as one line for people."""
    at = heard.at.strftime("%Y-%m-%d %H:%M:%S")
    parts = (
        screen.paint(at, Colour.DIM),
        screen.paint(f"{heard.event:<15}", _colour(heard.event)),
        screen.paint(heard.resource, Colour.BOLD),
        screen.paint(heard.because, None),
    )
    return fit("  ".join(parts), screen.width)


def _colour(event: str) -> Colour:
    if event in BAD:
        return Colour.RED
    if event in GOOD:
        return Colour.GREEN
    return Colour.DIM if event == DELETED else Colour.BLUE


def _print(value: Heard | CloudEvent) -> None:
    sys.stdout.write(encode(value).decode() + "\n")
    sys.stdout.flush()


async def _subscribe(args: Namespace, show: Show) -> None:
    async with (
        open_news(settings_of(args).bus, "subscribe") as news,
        aclosing(await _events(news, args)) as events,
    ):
        heard = 0
        async for incoming in events:
            show(incoming.event)
            await incoming.done()
            heard += 1
            if heard == args.count:
                return


async def _events(news: EventLog, args: Namespace) -> Incomings:
    subjects, start = filter_of(args), await start_of(news, args.since)
    if args.durable is None:
        return listen(news, subjects, start)
    await keep_place(news, args.durable, subjects, start)
    return take(news, args.durable)


async def start_of(news: EventLog, since: str | None) -> Start:
    """Read where to begin."""
    if since is None:
        return FromSequence((await news.end()).last + 1)
    if since == BEGINNING:
        return FromSequence(1)
    try:
        return FromTime(spoken_moment(since, SystemClock().now()))
    except ValueError as problem:
        raise FatalError(f"--since: {problem}; or say {BEGINNING}") from problem


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ArgumentTypeError(f"{text!r} is no count like 10")
    return int(text)


def _durable(text: str) -> str:
    if not _NAME.fullmatch(text) or text.startswith(TAKEN):
        raise ArgumentTypeError(
            f"{text!r} cannot be used: letters, digits, - and _, not beginning with {TAKEN}"
        )
    return text
