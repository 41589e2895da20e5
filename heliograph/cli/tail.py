"""`heliograph tail`: what happens, in people's words, as it happens. Ctrl-C ends it.

A resource is told in the light of its own past, which is read when it is first heard of; how many
pasts are held is bounded, and the one that was quiet for longest goes first.
"""

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from datetime import datetime

from msgspec import Struct

from heliograph.assembly.adapters import open_bus
from heliograph.cli.asking import KINDS, cron_gate, kind_of
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.printing import add_output
from heliograph.cli.render import Colour, Screen, fit
from heliograph.cli.run import settings_of
from heliograph.cli.timeline import COLOURS
from heliograph.cli.when import moment_of
from heliograph.views.timeline import Moment, Teller
from shared.events.codec import UnreadableRecordError, decode, encode
from shared.events.subjects import encode_token, everything_of, place_of
from shared.kernel.features import CRON_JOB
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import EventLog, FromSequence, FromTime, Message, Reset, Start
from shared.runtime.failures import Exit, FatalError

HELD_MAX = 256
"""How many resources' pasts are held."""
FACETS = ("obs", "act", "res", "status", "dash", "fire", "life", "park")
EXAMPLES = """examples:
  heliograph tail                                     everything, from now on
  heliograph tail --kind rayjob --namespace team-a
  heliograph tail --name first --since 10m
  heliograph tail --facet act -o json | jq .text      decisions only, for a program

Ctrl-C ends it, with exit code 130."""


class Told(Struct, frozen=True, kw_only=True):
    """A line of what happens, and to which resource."""

    resource: str
    sequence: int
    at: datetime
    what: str
    text: str
    because: tuple[str, ...] = ()


def add_arguments(parser: ArgumentParser) -> None:
    """Say what to listen to."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("--kind", metavar="KIND", help="Resources of this kind, such as rayjob.")
    parser.add_argument("--namespace", metavar="NAMESPACE", help="Resources of this namespace.")
    parser.add_argument("--name", metavar="NAME", help="Resources of this name.")
    parser.add_argument("--facet", choices=FACETS, help="Records of this facet.")
    parser.add_argument("--since", metavar="WHEN", help="Begin at a moment, or a span ago (10m).")
    add_output(parser, ("table", "json"))
    add_flags(parser, "the log", BUS)


def run(args: Namespace) -> int:
    """Listen until told to stop."""
    check_kind(args)
    screen = Screen(sys.stdout, os.environ)
    show = as_json if args.output == "json" else lambda told: screen.write(lines_of(screen, told))
    asyncio.run(_tail(args, moment_of(args, "--since", args.since), show))
    return Exit.DONE


async def _tail(args: Namespace, since: datetime | None, show: Callable[[Told], None]) -> None:
    async with open_bus(settings_of(args).bus, "tail") as bus:
        start = await _start(bus.log, since)
        await _tell_gate(bus.log, args)
        tellers = Tellers(bus.log)
        async with bus.log.follow((filter_of(args),), start) as news:
            async for each in news:
                if isinstance(each, Reset):
                    await tellers.begin_anew()
                    continue
                for message in each.messages:
                    async for told in tellers.tell(message, args.facet):
                        show(told)


def check_kind(args: Namespace) -> None:
    """Refuse a kind of which nothing would ever be heard."""
    if args.kind is not None and kind_of(args.kind) not in KINDS:
        raise FatalError(
            f"--kind: a {kind_of(args.kind)} has no records of its own, it is told of with the "
            f"resource that owns it: {', '.join(KINDS)}"
        )


async def _tell_gate(log: EventLog, args: Namespace) -> None:
    """Say on the side why nothing may ever be heard of RayCronJobs."""
    if args.kind is None or kind_of(args.kind) != CRON_JOB.lower():
        return
    told = await cron_gate(lambda filters: log.read(filters, FromSequence(1)))
    if told:
        sys.stderr.write(f"heliograph: {told}\n")


async def _start(log: EventLog, since: datetime | None) -> Start:
    if since is None:
        return FromSequence((await log.end()).last + 1)
    return FromTime(since)


def filter_of(args: Namespace) -> str:
    """Return the subjects to listen to."""
    kind = kind_of(args.kind) if args.kind else None
    words = (kind, args.namespace, args.name)
    return ".".join(("ray.*", *(encode_token(word) if word else "*" for word in words), ">"))


class Tellers:
    """The pasts of the resources that were heard of last."""

    def __init__(self, log: EventLog, most: int = HELD_MAX) -> None:
        self._log = log
        self._most = most
        self._known: OrderedDict[ResourceKey, Teller] = OrderedDict()
        self._told = 0

    def __len__(self) -> int:
        return len(self._known)

    async def begin_anew(self) -> None:
        """Drop all pasts: they may have changed. What was told comes again, and is not repeated."""
        self._known.clear()
        if (await self._log.end()).last < self._told:
            self._told = 0

    async def tell(self, message: Message, facet: str | None = None) -> AsyncIterator[Told]:
        """Tell a message in the light of its resource's past; one facet, or all."""
        place = place_of(message.subject)
        if place is None or message.gone or message.sequence <= self._told:
            return
        self._told = message.sequence
        teller = self._known.get(place.key)
        if teller is None:
            teller = await self._past(place.key, before=message.sequence)
        self._known[place.key] = teller
        self._known.move_to_end(place.key)
        for moment in _moments(teller, message):
            if facet in (None, place.facet):
                yield _told(place.key, moment)

    async def _past(self, key: ResourceKey, *, before: int) -> Teller:
        if len(self._known) >= self._most:
            self._known.popitem(last=False)
        teller = Teller()
        async for message in self._log.read((everything_of(key),), FromSequence(1)):
            if message.sequence >= before:
                break
            _moments(teller, message)
        return teller


def _moments(teller: Teller, message: Message) -> tuple[Moment, ...]:
    try:
        return tuple(teller.tell(decode(message)))
    except UnreadableRecordError:
        return ()


def _told(key: ResourceKey, moment: Moment) -> Told:
    return Told(
        resource=str(key),
        sequence=moment.sequence,
        at=moment.at,
        what=moment.what,
        text=moment.text,
        because=moment.because,
    )


def as_json(told: Told) -> None:
    """Print what happened for programs, one object a line."""
    sys.stdout.write(encode(told).decode() + "\n")
    sys.stdout.flush()


def lines_of(screen: Screen, told: Told) -> list[str]:
    """Return what happened as lines; reasons stand under what they explain."""
    clock = told.at.strftime("%H:%M:%S.%f")[:-3]
    head = f"{clock}  {screen.paint(f'{told.what:<7}', COLOURS[told.what])}  "
    line = f"{head}{screen.paint(told.resource, Colour.BOLD)}  {screen.paint(told.text, None)}"
    reasons = (screen.paint(f"{'':23}because {reason}", Colour.DIM) for reason in told.because)
    return [fit(each, screen.width) for each in (line, *reasons)]
