"""`heliograph replay`: decide recorded history again with the installed code and compare.

Exit code 0 if every decision is byte for byte the same, 1 if one differs.
"""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from heliograph.assembly.reading import EVERYTHING
from heliograph.assembly.replaying import Read, verdicts
from heliograph.cli.asking import resource_of
from heliograph.cli.extent import check_order, covered
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Screen
from heliograph.cli.source import add_source, reading
from heliograph.cli.stepping import show_steps
from heliograph.cli.when import bounds_of
from heliograph.views.bounds import Bounds
from heliograph.views.deciding import deciding as deciding  # noqa: PLC0414 - others look for it here
from heliograph.views.replay import Verdict
from heliograph.views.steps import Step, Stepping
from shared.events.codec import UnreadableRecordError, decode
from shared.events.subjects import everything_of
from shared.kernel.counting import counted
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message
from shared.runtime.failures import Exit, FatalError

SHOWN_MAX = 12
HELD_MAX = 1000
"""How many different decisions are told one by one."""
EXAMPLES = """examples:
  heliograph replay                                   everything in the log
  heliograph replay raycluster/default/first --step   one cluster, decision after decision
  heliograph replay --all --from 2h -o json           the last two hours, for a program
  heliograph replay --from 4711 --to 4800             a range of records
  heliograph replay --capsule incident.capsule        a file, without a bus

Exit code 0: identical. 1: something differs. 2: it could not be done."""


class Difference(Struct, frozen=True, kw_only=True):
    """A decision that would not be the same."""

    resource: str
    sequence: int
    differences: tuple[str, ...]


class Summary(Struct, frozen=True, kw_only=True):
    """How a replay went."""

    decisions: int
    resources: int
    identical: int
    missing: int
    different: int
    differences: tuple[Difference, ...] = ()
    """The first of them; not all if there are very many."""


def add_arguments(parser: ArgumentParser) -> None:
    """Name a resource, or ask for all, and say which part of the log."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument(
        "resource",
        nargs="?",
        metavar="KIND/NAMESPACE/NAME",
        help="Whose decisions; all if left out.",
    )
    parser.add_argument("--all", action="store_true", help="All resources (the default).")
    add_range(parser)
    parser.add_argument(
        "--step", action="store_true", help="Decision after decision; Enter goes on."
    )
    add_output(parser)
    add_source(parser)


def add_range(parser: ArgumentParser) -> None:
    """Let people choose a part of the log."""
    what = "a sequence, a moment (2030-01-01T12:00Z) or how long ago (2h, 7d)"
    parser.add_argument("--from", dest="first", metavar="WHEN", help=f"First decision: {what}.")
    parser.add_argument("--to", dest="last", metavar="WHEN", help="Last decision, likewise.")


def run(args: Namespace) -> int:
    """Replay and say whether anything differs."""
    one = resource_of(args.resource, "replay") if args.resource else None
    filters = (everything_of(one),) if one else EVERYTHING
    bounds = bounds_of(args, args.first, args.last)
    check_order((), (bounds.first, bounds.last), ("--from", "--to"))
    if args.step:
        steps = reading(args, "replay", lambda read: _steps(read, filters, bounds))
        _refuse_nothing(args, one, len(steps))
        show_steps(steps, args.output)
        return _code(any(step.differences for step in steps))
    counting = Counting()
    reading(args, "replay", lambda read: _count(read, filters, bounds, counting))
    summary = counting.summary()
    _refuse_nothing(args, one, summary.decisions)
    if args.output == "table":
        Screen(sys.stdout, os.environ).write(lines_of(summary))
    else:
        print_value(summary, args.output)
    return _code(summary.different > 0)


def _refuse_nothing(args: Namespace, one: ResourceKey | None, count: int) -> None:
    """Say that a part that was asked for holds no decision, and what the log covers."""
    if not count and (one or args.first or args.last):
        of = f" of {one}" if one else ""
        covers = covered(args, "replay")
        raise FatalError(f"there are no decisions{of} in that part of the log: {covers}")


def _code(differs: bool) -> int:  # noqa: FBT001 - one question
    return Exit.BROKEN if differs else Exit.DONE


async def _count(read: Read, filters: Sequence[str], bounds: Bounds, counting: "Counting") -> None:
    async for verdict in verdicts(read, filters, bounds):
        counting.take(verdict)


async def _steps(read: Read, filters: Sequence[str], bounds: Bounds) -> list[Step]:
    stepping = Stepping()

    def hear(message: Message) -> None:
        try:
            stepping.hear(decode(message))
        except UnreadableRecordError:
            return

    return [
        step
        async for verdict in verdicts(read, filters, bounds, hear=hear)
        for step in stepping.step(verdict)
    ]


class Counting:
    """Counts verdicts as they come; holds differences and nothing else."""

    def __init__(self) -> None:
        self._resources: set[str] = set()
        self._decisions = self._missing = self._different = 0
        self._held: list[Difference] = []

    def take(self, verdict: Verdict) -> None:
        """Count one."""
        self._decisions += 1
        self._missing += verdict.missing
        self._resources.add(str(verdict.key))
        if verdict.differences:
            self._different += 1
            if len(self._held) < HELD_MAX:
                self._held.append(
                    Difference(
                        resource=str(verdict.key),
                        sequence=verdict.sequence,
                        differences=verdict.differences,
                    )
                )

    def summary(self) -> Summary:
        """Return how it went."""
        return Summary(
            decisions=self._decisions,
            resources=len(self._resources),
            identical=self._decisions - self._missing - self._different,
            missing=self._missing,
            different=self._different,
            differences=tuple(self._held),
        )


def report(found: Iterable[Verdict]) -> list[str]:
    """Say how it went, the first difference explained; the last line is the verdict."""
    counting = Counting()
    for verdict in found:
        counting.take(verdict)
    return lines_of(counting.summary())


def lines_of(summary: Summary) -> list[str]:
    """Tell a summary to a person."""
    if not summary.decisions:
        return ["the log holds no decisions"]
    of = f"{counted(summary.decisions, 'decision')} of {counted(summary.resources, 'resource')}"
    lines = [f"{summary.identical} of {of} are identical"]
    if summary.missing:
        lines.append(f"{summary.missing} not compared: what they rest on is no longer in the log")
    for one in summary.differences[:1]:
        lines.append(f"first difference: {one.resource}, act {one.sequence}")
        lines.extend(f"  {line}" for line in one.differences[:SHOWN_MAX])
        left = len(one.differences) - SHOWN_MAX
        lines.extend([f"  and {left} more"] if left > 0 else [])
    if summary.different:
        return [*lines, f"{summary.different} differ"]
    return [*lines, "identical" if summary.identical else "nothing could be compared"]
