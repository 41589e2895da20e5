"""`heliograph parity`: what a shadow would have done, beside what the other operator did.

Exit code 0 if everything matches, 1 if something differs, 2 if there is nothing to compare.
"""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from heliograph.assembly.capsules import UNJUDGED, read_manifest
from heliograph.assembly.reading import EVERYTHING
from heliograph.assembly.replaying import ALL_SETTINGS, Read, settings_of_old
from heliograph.cli.asking import resource_of
from heliograph.cli.extent import covered
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Cell, Colour, Screen, table
from heliograph.cli.source import add_source, reading
from heliograph.cli.when import moment_of, now_of, span_of
from heliograph.cli.wrapping import wrapped
from heliograph.views.course import Parted
from heliograph.views.parity import WITHIN, Comparing, Parity, RuleParity
from heliograph.views.supposing import would_with
from shared.events.subjects import ALL_SYNCS, MODE, everything_of
from shared.kernel.counting import counted
from shared.runtime.failures import Exit, FatalError

SHOWN_MAX = 20
ALL = 100.0
EXAMPLES = """Needs the log of a shadow: heliograph run all --shadow, beside the operator that acts.

examples:
  heliograph parity                                   everything since the shadow was started
  heliograph parity --since 1h                        the last hour
  heliograph parity rayjob/default/train -o json      one resource, for a program
  heliograph parity --within 2m                       let the other operator take its time
  heliograph parity --capsule trial.capsule           a file, without a bus

Exit code 0: everything matches. 1: something differs. 2: there was nothing to
compare, or it could not be done."""


def add_arguments(parser: ArgumentParser) -> None:
    """Say which resource, which part of the log, and how much patience there is."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument(
        "resource", nargs="?", metavar="KIND/NAMESPACE/NAME", help="One resource; all if left out."
    )
    parser.add_argument(
        "--since", metavar="WHEN", help="Compare from here on: a moment, or how long ago (2h, 7d)."
    )
    parser.add_argument(
        "--within",
        metavar="SPAN",
        default=f"{WITHIN.total_seconds():.0f}s",
        help="How long what we want may take to appear, and the other way round (%(default)s).",
    )
    add_output(parser)
    add_source(parser)


def run(args: Namespace) -> int:
    """Compare and say how it went."""
    since, within = moment_of(args, "--since", args.since), span_of("--within", args.within)
    filters: Sequence[str] = EVERYTHING
    if args.resource:
        key = resource_of(args.resource, "parity")
        filters = (everything_of(key), *ALL_SETTINGS, ALL_SYNCS, MODE)
    comparing = reading(args, "parity", lambda read: _compare(read, filters, within, since))
    _refuse_acting(args, shadow=comparing.shadow)
    found = comparing.result(now_of(args))
    if found.percent is None:
        sys.stderr.write(f"heliograph: {covered(args, 'parity')}\n")
    if args.output == "table":
        screen = Screen(sys.stdout, os.environ)
        screen.write(lines_of(screen, found))
    else:
        print_value(found, args.output)
    return code_of(found)


def _refuse_acting(args: Namespace, *, shadow: bool | None) -> None:
    """Compare only what a shadow thought: whoever acts agrees with itself."""
    if shadow is None and args.capsule is not None:
        shadow = read_manifest(args.capsule).shadow
    if shadow is None:
        raise FatalError(_unmarked(args))
    if not shadow:
        raise FatalError(
            "this log is of an installation that acts, and what it wants it does itself: "
            "parity compares a shadow (heliograph run all --shadow) with another operator"
        )


def _unmarked(args: Namespace) -> str:
    """Say that nobody can tell whose log this is, and what to do."""
    if args.capsule is None:
        return (
            "this log does not say whether it is of a shadow: no installation that says so has "
            "run on it yet (heliograph run all --shadow)"
        )
    return (
        f"{args.capsule}: this capsule does not say whether its log is of a shadow, as those of "
        "older versions do not: save it again from the log, with this version"
    )


def code_of(found: Parity) -> int:
    """Return the exit code that a comparison leads to."""
    if found.percent is None:
        return Exit.REFUSED
    return Exit.BROKEN if found.differences else Exit.DONE


async def _compare(
    read: Read, filters: Sequence[str], within: timedelta, since: datetime | None
) -> Comparing:
    comparing = Comparing(would_with(await settings_of_old(read)), within, since)
    async for message in read(filters):
        comparing.hear(message, base=bool(message.headers.get(UNJUDGED)))
    return comparing


def lines_of(screen: Screen, found: Parity) -> list[str]:
    """Tell a comparison to a person; the last line is the verdict."""
    fresh = f"{found.undecided} too fresh to tell" if found.undecided else ""
    if found.percent is None:
        return ["nothing to compare yet", *([fresh] if fresh else [])]
    lines = table(
        screen,
        [_row(rule) for rule in found.rules],
        headings=("rule", "parity", "matched", "missing", "extra"),
    )
    if found.differences:
        lines += ["", *wrapped(screen, list(_differences(found.differences)))]
        left = len(found.differences) - SHOWN_MAX
        lines += [f"and {left} more (-o json tells all)"] if left > 0 else []
    lines += ["", *([fresh] if fresh else [])]
    decisions = counted(found.matched + found.missing + found.extra, "decision")
    verdict = f"{_percent(found.percent)} of {decisions} about "
    return [*lines, f"{verdict}{counted(found.resources, 'resource')}"]


def _row(rule: RuleParity) -> list[Cell | str]:
    colour = Colour.GREEN if rule.percent == ALL else Colour.RED
    counts = (str(count) for count in (rule.matched, rule.missing, rule.extra))
    return [rule.rule, Cell(_percent(rule.percent), colour), *counts]


def _percent(percent: float) -> str:
    return f"{percent:g} %"


def _differences(parted: Sequence[Parted]) -> Iterator[list[Cell | str]]:
    for one in parted[:SHOWN_MAX]:
        clock = one.at.strftime("%Y-%m-%d %H:%M:%S")
        verdict = Cell(one.verdict, Colour.RED)
        yield [clock, verdict, Cell(one.rule, Colour.BOLD), f"{one.resource}: {one.what}"]
        yield ["", "", "", Cell(f"  because {one.because}", Colour.DIM)]
