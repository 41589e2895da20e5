"""`heliograph subscriptions check|test|replay|undelivered`: webhooks for lifecycle events.

`check` judges a file as the courier would, `test` sends one example event, `replay` lets the
courier begin again at a moment, `undelivered` shows what a sink did not take and sends it again.
Exit code 1: the file has mistakes, or the sink did not take an event.
"""

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from heliograph.assembly.adapters import CODE, open_bus
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Cell, Colour, Screen, table
from heliograph.cli.run import settings_of
from heliograph.views.clocktime import spoken_moment
from services.courier.again import GONE, forget_oldest, send_again, told
from services.courier.example import example
from services.courier.letters import Letter, letters
from services.courier.loading import Source
from services.courier.round import work_of
from services.courier.sink import Allowed, Sink, open_session
from services.courier.starting import sequence_at, start_of
from services.courier.subscriptions import Subscription
from services.courier.verdict import Retired
from shared.kernel.instants import print_instant
from shared.runtime.clock import SystemClock
from shared.runtime.failures import Exit, FatalError

EXAMPLES = """examples:
  heliograph subscriptions check subscriptions.yaml
  heliograph subscriptions test subscriptions.yaml pager
  heliograph subscriptions replay subscriptions.yaml pager --from 2h
  heliograph subscriptions undelivered pager
  heliograph subscriptions undelivered pager --again --subscriptions subscriptions.yaml"""
DEEDS = "check|test|replay|undelivered"


class Judged(Struct, frozen=True, kw_only=True):
    """A subscription as `check` tells it: what it hears and how, not where it is sent."""

    name: str
    subjects: tuple[str, ...]
    types: tuple[str, ...]
    cel: str
    mode: str
    begins: str
    signed: bool


class Report(Struct, frozen=True, kw_only=True):
    """What a file holds."""

    subscriptions: tuple[Judged, ...]
    problems: tuple[str, ...]


class Waiting(Struct, frozen=True, kw_only=True):
    """An event that a sink did not take."""

    at: datetime
    event: str
    id: str
    tries: int
    because: str


def add_arguments(parser: ArgumentParser) -> None:
    """Name a deed, and what it needs."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    deeds = parser.add_subparsers(dest="deed", required=True, metavar=DEEDS)
    check = deeds.add_parser("check", help="Judge a file.", allow_abbrev=False)
    test = deeds.add_parser("test", help="Send one example event.", allow_abbrev=False)
    replay = deeds.add_parser("replay", help="Send again from a moment on.", allow_abbrev=False)
    left = deeds.add_parser("undelivered", help="What a sink did not take.", allow_abbrev=False)
    for one in (check, test, replay):
        one.add_argument("file", metavar="FILE", help="The subscription file.")
    for one in (test, replay, left):
        one.add_argument("name", metavar="NAME", help="The subscription.")
    replay.add_argument(
        "--from", dest="begin", required=True, metavar="WHEN", help="A moment, or a span ago (2h)."
    )
    way = left.add_mutually_exclusive_group()
    way.add_argument("--again", action="store_true", help="Send them once more, oldest first.")
    way.add_argument(
        "--forget", action="store_true", help="Remove the oldest, which no sink will take."
    )
    for one in (check, left):
        add_output(one)
    add_flags(left, "the sink, for --again", ("subscriptions",))
    for one in (replay, left):
        add_flags(one, "the log", BUS)


def run(args: Namespace) -> int:
    """Do what was asked."""
    match args.deed:
        case "check":
            return _check(args)
        case "test":
            return asyncio.run(_test(args))
        case "replay":
            return asyncio.run(_replay(args))
        case _ if args.forget:
            return asyncio.run(_forget(args))
        case _:
            return asyncio.run(_send_again(args) if args.again else _show(args))


def _check(args: Namespace) -> int:
    read = Source(args.file).read()
    report = Report(
        subscriptions=tuple(map(_judged, read.subscriptions)),
        problems=tuple(map(str, read.problems)),
    )
    if args.output != "table":
        print_value(report, args.output)
    else:
        _write(
            [
                [one.name, ", ".join(one.subjects), ", ".join(one.types), one.cel, one.begins]
                for one in report.subscriptions
            ],
            ("NAME", "SUBJECTS", "TYPES", "CEL", "FROM"),
        )
        for problem in report.problems:
            print(f"heliograph: {problem}", file=sys.stderr)
    return Exit.BROKEN if report.problems else Exit.DONE


def _judged(one: Subscription) -> Judged:
    return Judged(
        name=one.name,
        subjects=one.filter.subjects,
        types=one.filter.types,
        cel=one.filter.cel,
        mode=one.mode,
        begins=one.begin if isinstance(one.begin, str) else print_instant(one.begin),
        signed=bool(one.secret_file),
    )


def _found(path: str, name: str) -> tuple[Source, Subscription]:
    source = Source(path)
    read = source.read()
    for one in read.subscriptions:
        if one.name == name:
            return source, one
    mistakes = "".join(f"; {problem}" for problem in read.problems)
    raise FatalError(f"{path} has no subscription {name!r} that can be served{mistakes}")


async def _test(args: Namespace) -> int:
    source, subscription = _found(args.file, args.name)
    clock = SystemClock()
    async with open_session(CODE) as http:
        sink = Sink(http, source, subscription, clock)
        if subscription.handshake:
            permission = await sink.permission()
            if not isinstance(permission, Allowed):
                raise FatalError(GONE if isinstance(permission, Retired) else permission.because)
        event = example(clock.now(), CODE)
        because = told(await sink.send(event))
    print(f"not taken: {because}" if because else f"taken: {event.type}, id {event.id}")
    return Exit.BROKEN if because else Exit.DONE


async def _replay(args: Namespace) -> int:
    _, subscription = _found(args.file, args.name)
    moment = _moment(args.begin)
    async with open_bus(settings_of(args).bus, "subscriptions") as bus:
        news, consumer = bus.news, subscription.consumer
        first = await sequence_at(news, moment)
        await news.ensure_consumer(work_of(subscription), await start_of(news, subscription.begin))
        await news.rewind(consumer, first)
        backlog = await news.backlog(consumer)
    print(f"{backlog.waiting + backlog.held} events will be sent, from {print_instant(moment)} on")
    return Exit.DONE


def _moment(text: str) -> datetime:
    try:
        return spoken_moment(text, SystemClock().now())
    except ValueError as problem:
        raise FatalError(f"--from: {problem}") from problem


async def _show(args: Namespace) -> int:
    async with open_bus(settings_of(args).bus, "subscriptions") as bus:
        found = [_waiting(letter) async for letter in letters(bus.news, args.name)]
    if args.output != "table":
        print_value(found, args.output)
    elif not found:
        print(f"heliograph: nothing of {args.name} is left undelivered", file=sys.stderr)
    else:
        _write(
            [[print_instant(one.at), one.event, str(one.tries), one.because] for one in found],
            ("GIVEN UP", "EVENT", "TRIES", "BECAUSE"),
        )
    return Exit.DONE


def _waiting(letter: Letter) -> Waiting:
    return Waiting(
        at=letter.at,
        event=letter.subject,
        id=letter.event.id if letter.event else "",
        tries=letter.tries,
        because=letter.because,
    )


async def _send_again(args: Namespace) -> int:
    settings = settings_of(args)
    if not settings.courier.subscriptions:
        raise FatalError("--again needs to know the sink: --subscriptions names the file")
    source, subscription = _found(settings.courier.subscriptions, args.name)
    taken = 0
    async with open_bus(settings.bus, "subscriptions") as bus, open_session(CODE) as http:
        sink = Sink(http, source, subscription, SystemClock())
        async for sent in send_again(bus.news, args.name, sink):
            if sent.because:
                print(f"{taken} taken, then {sent.letter.subject} was not: {sent.because}")
                return Exit.BROKEN
            taken += 1
    print(f"{taken} taken, none left")
    return Exit.DONE


async def _forget(args: Namespace) -> int:
    async with open_bus(settings_of(args).bus, "subscriptions") as bus:
        letter = await forget_oldest(bus.news, args.name)
    if letter is None:
        print(f"heliograph: nothing of {args.name} is left undelivered", file=sys.stderr)
        return Exit.BROKEN
    identity = f", id {letter.event.id}" if letter.event else ""
    print(f"forgotten: {letter.subject}{identity}")
    return Exit.DONE


def _write(rows: Sequence[Sequence[Cell | str]], headings: Sequence[str]) -> None:
    screen = Screen(sys.stdout, os.environ)
    first = [[Cell(str(row[0]), Colour.BOLD), *row[1:]] for row in rows]
    if first:
        screen.write(table(screen, first, headings=headings))
