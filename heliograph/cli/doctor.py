"""`heliograph doctor`: what is wrong with an installation, why it matters, and what to do.

Reads and changes nothing. Exit code 0 if all is well, 1 if there are only warnings, 3 if something
is wrong, 2 if nothing could be looked at.
"""

import asyncio
import logging
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from types import MappingProxyType

from msgspec.structs import replace

from heliograph.assembly.doctor.gathering import NO_KUBECONFIG, Wishes, gather, has_kubeconfig
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Cell, Colour, Progress, Screen
from heliograph.cli.run import settings_of
from heliograph.cli.when import span_of
from heliograph.cli.wrapping import Row, wrapped
from heliograph.views.doctor.checks import Check, Diagnosis, Mark, Verdict
from heliograph.views.doctor.facts import Facts
from heliograph.views.doctor.judging import judged
from shared.runtime.clock import SystemClock
from shared.runtime.failures import Exit, FatalError
from shared.runtime.settings import Settings

WRONG = 3
KUBE = ("kubeconfig", "kube_context", "in_cluster", "watch_namespace")
CHOSEN = ("log_replicas", "log_retention", "events_retention")
CODES: Mapping[Verdict, int] = MappingProxyType(
    {
        Verdict.WELL: Exit.DONE,
        Verdict.WARNINGS: Exit.BROKEN,
        Verdict.WRONG: WRONG,
        Verdict.BLIND: Exit.REFUSED,
    }
)
MARKS: Mapping[Mark, tuple[str, Colour]] = MappingProxyType(
    {
        Mark.WELL: ("ok", Colour.GREEN),
        Mark.WARNING: ("warn", Colour.YELLOW),
        Mark.WRONG: ("WRONG", Colour.RED),
        Mark.UNKNOWN: ("?", Colour.YELLOW),
        Mark.SKIPPED: ("-", Colour.DIM),
    }
)
EXAMPLES = """It looks at NATS and Kubernetes with your own credentials, and changes nothing.
Services are asked about where they are deployed (--namespace); where they are not,
your own rights are looked at.

examples:
  heliograph doctor                       everything
  heliograph doctor --no-kube             NATS, streams and services alone
  heliograph doctor --no-bus              Kubernetes alone: before installing, for example
  heliograph doctor -o json | jq '.checks[] | select(.mark == "wrong")'
  kubectl heliograph doctor               the same, as a plugin of kubectl

exit codes: 0 all is well, 1 warnings only, 2 nothing could be looked at, 3 something
is wrong."""


def add_arguments(parser: ArgumentParser) -> None:
    """Say where to look, how long, and in which form to answer."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("--no-bus", action="store_true", help="Leave NATS alone.")
    parser.add_argument("--no-kube", action="store_true", help="Leave Kubernetes alone.")
    parser.add_argument(
        "-n",
        "--namespace",
        default="heliograph",
        metavar="NAME",
        help="Where the services are deployed (default heliograph).",
    )
    parser.add_argument(
        "--within",
        default="10s",
        metavar="SPAN",
        help="How long each question may take: 5s, 1m (default 10s).",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="Leave out what is well.")
    add_output(parser)
    add_flags(parser, "the log", (*BUS, *CHOSEN))
    add_flags(parser, "Kubernetes", KUBE)


def run(args: Namespace) -> int:
    """Look, judge and tell."""
    settings = settings_of(args)
    wishes = _wishes(args, settings)
    with _silence():
        found = judged(_gathered(settings, wishes))
    if args.quiet:
        found = replace(
            found, checks=tuple(one for one in found.checks if one.mark is not Mark.WELL)
        )
    if args.output == "table":
        screen = Screen(sys.stdout, os.environ)
        screen.write(list(lines_of(screen, found)))
    else:
        print_value(found, args.output)
    return CODES[found.verdict]


@contextmanager
def _silence() -> Iterator[None]:
    """Log nothing meanwhile: every trouble is told as a check."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _wishes(args: Namespace, settings: Settings) -> Wishes:
    if args.no_bus and args.no_kube:
        raise FatalError("--no-bus and --no-kube together leave nothing to look at")
    there = has_kubeconfig(settings.kube, os.environ.get("KUBECONFIG", ""))
    return Wishes(
        namespace=args.namespace,
        within=span_of("--within", args.within).total_seconds(),
        bus="not looked at: --no-bus" if args.no_bus else "",
        cluster="not looked at: --no-kube" if args.no_kube else "" if there else NO_KUBECONFIG,
    )


def _gathered(settings: Settings, wishes: Wishes) -> Facts:
    screen = Screen(sys.stderr, os.environ)
    with Progress(screen) as progress:

        def hear(words: str) -> None:
            if screen.live:
                progress.show([words] if words else [])

        facts = asyncio.run(gather(settings, wishes, SystemClock(), hear))
        hear("")
    return facts


def lines_of(screen: Screen, found: Diagnosis) -> Iterator[str]:
    """Tell a diagnosis to a person, area by area; the last line is the verdict."""
    rows: list[Row] = []
    for area, checks in groupby(found.checks, key=lambda each: each.area):
        rows += [area, *(row for check in checks for row in _rows(check))]
    yield from wrapped(screen, rows)
    if rows:
        yield ""
    yield screen.paint(verdict_words(found), _colour(found.verdict))


def _rows(check: Check) -> Iterator[Row]:
    word, colour = MARKS[check.mark]
    yield [Cell(f"  {word:<5}", colour), check.what, check.says]
    if check.matters:
        yield ["", "", Cell(f"  because {check.matters}", Colour.DIM)]
    for each in check.todo:
        yield ["", "", Cell(f"  do: {each}", Colour.CYAN)]


def verdict_words(found: Diagnosis) -> str:
    """Sum up in one line."""
    wrong = found.counts.get(Mark.WRONG, 0)
    warnings = found.counts.get(Mark.WARNING, 0)
    unknown = found.counts.get(Mark.UNKNOWN, 0)
    parts = [
        f"{count} {words}"
        for count, words in (
            (wrong, "wrong"),
            (warnings, "warning" if warnings == 1 else "warnings"),
            (unknown, "could not be told"),
        )
        if count
    ]
    if found.verdict is Verdict.BLIND:
        return "nothing could be looked at"
    return ", ".join(parts) if parts else f"all is well ({found.counts.get(Mark.WELL, 0)} checks)"


def _colour(verdict: Verdict) -> Colour:
    if verdict is Verdict.WELL:
        return Colour.GREEN
    return Colour.YELLOW if verdict is Verdict.WARNINGS else Colour.RED
