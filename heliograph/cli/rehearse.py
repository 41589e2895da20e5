"""`heliograph rehearse`: what this version would have decided otherwise, told before it decides.

Made for the hook before an upgrade. Exit code 0 if nothing differs, 1 if something differs and does
no harm, 3 if something would newly be deleted, changed or stopped.
"""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator

from heliograph import __version__
from heliograph.assembly.reading import EVERYTHING
from heliograph.assembly.replaying import Read, verdicts
from heliograph.cli.extent import check_order, covered
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Colour, Progress, Screen
from heliograph.cli.replay import add_range
from heliograph.cli.source import add_source, reading
from heliograph.cli.when import bounds_of
from heliograph.views.bounds import Bounds
from heliograph.views.rehearsal import Change, Group, Rehearsal, Rehearsing
from shared.kernel.counting import counted
from shared.ports.event_log import Message
from shared.runtime.failures import Exit

DESTRUCTIVE = 3
TOLD_EVERY = 5000
CHANGES_MAX = 20
"""How many changes of one rule are told; the rest is counted."""
LINES_MAX = 4
EXAMPLES = """examples:
  heliograph rehearse --from 7d                       the last week, on this version
  heliograph rehearse --from 7d -o json               the same, for a program
  heliograph rehearse --capsule incident.capsule      a file, without a bus

Exit code 0: nothing differs. 1: something differs, harmlessly. 2: it could not be
done. 3: something would be deleted, changed or stopped that was not then."""


def add_arguments(parser: ArgumentParser) -> None:
    """Say which part of the log."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    add_range(parser)
    add_output(parser)
    add_source(parser)


def run(args: Namespace) -> int:
    """Decide everything again and list what differs."""
    bounds = bounds_of(args, args.first, args.last)
    check_order((), (bounds.first, bounds.last), ("--from", "--to"))
    rehearsing = Rehearsing()
    with Progress(Screen(sys.stderr, os.environ)) as progress:
        heard = _Heard(progress, live=Screen(sys.stderr, os.environ).live)
        reading(args, "rehearse", lambda read: _rehearse(read, bounds, rehearsing, heard))
        heard.end()
    found = rehearsing.result()
    if not found.decisions and (args.first or args.last):
        sys.stderr.write(f"heliograph: {covered(args, 'rehearse')}\n")
    if args.output == "table":
        screen = Screen(sys.stdout, os.environ)
        screen.write(lines_of(screen, found))
    else:
        print_value(found, args.output)
    return code_of(found)


def code_of(found: Rehearsal) -> int:
    """Return the exit code that a rehearsal leads to."""
    if found.destructive:
        return DESTRUCTIVE
    return Exit.BROKEN if found.different else Exit.DONE


class _Heard:
    """Shows on a terminal how far it is."""

    def __init__(self, progress: Progress, *, live: bool) -> None:
        self._progress = progress
        self._live = live
        self._count = 0

    def __call__(self, message: Message) -> None:
        self._count += 1
        if self._live and self._count % TOLD_EVERY == 0:
            day = message.at.strftime("%Y-%m-%d %H:%M")
            self._progress.show([f"{self._count:,} records, up to {day}"])

    def end(self) -> None:
        """Take the line away."""
        if self._live:
            self._progress.show([])


async def _rehearse(read: Read, bounds: Bounds, rehearsing: Rehearsing, heard: _Heard) -> None:
    async for verdict in verdicts(read, EVERYTHING, bounds, hear=heard):
        rehearsing.take(verdict)


def lines_of(screen: Screen, found: Rehearsal) -> list[str]:
    """Tell a rehearsal to a person; the last line is the verdict."""
    if not found.decisions:
        return ["the log holds no decisions there"]
    resources = counted(found.resources, "resource")
    looked_at = f"{counted(found.decisions, 'decision')} of {resources}"
    lines = [f"heliograph {__version__} decided {looked_at} again"]
    if found.missing:
        lines.append(f"{found.missing} not compared: what they rest on is no longer in the log")
    for group in found.groups:
        lines.extend(_group(screen, group))
    if found.destructive:
        return [*lines, f"{found.different} differ, {found.destructive} of them destructively"]
    return [*lines, f"{found.different} differ, harmlessly" if found.different else "identical"]


def _group(screen: Screen, group: Group) -> Iterator[str]:
    kind = "destructive" if group.destructive else "harmless"
    colour = Colour.RED if group.destructive else Colour.YELLOW
    title = f"{kind}, rule {', '.join(group.rules)}: {len(group.changes)}"
    yield screen.paint(title, colour)
    for change in group.changes[:CHANGES_MAX]:
        yield from (f"  {screen.paint(line, None)}" for line in _change(change))
    if len(group.changes) > CHANGES_MAX:
        yield f"  and {len(group.changes) - CHANGES_MAX} more"


def _change(change: Change) -> Iterator[str]:
    when = f", {change.at:%Y-%m-%d %H:%M:%S}" if change.at else ""
    yield f"{change.resource}, act {change.sequence}{when}"
    lines = (
        *(f"  would {words}" for words in change.destroys),
        *(f"  would also {words}" for words in change.adds),
        *(f"  would not {words}" for words in change.leaves),
    )
    told = lines or tuple(f"  {line}" for line in change.differences)
    yield from told[:LINES_MAX]
    if len(told) > LINES_MAX:
        yield f"  and {len(told) - LINES_MAX} more"
