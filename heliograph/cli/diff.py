"""`heliograph diff KIND/NAMESPACE/NAME --from WHEN`: what changed between two moments."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

from heliograph.cli.asking import add_object, resource_of, unknown
from heliograph.cli.extent import check_order, past_of
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Cell, Colour, Screen
from heliograph.cli.source import add_source, records_from
from heliograph.cli.when import WHEN
from heliograph.cli.wrapping import broken, wrapped
from heliograph.views.diff import Diff, diff
from shared.events.subjects import everything_of
from shared.runtime.failures import Exit, FatalError

EXAMPLES = f"""Field by field, with the last record that changed each. Secrets are replaced.
WHEN is {WHEN}.

examples:
  heliograph diff raycluster/default/first --from 2h
  heliograph diff raycluster/default/first --from 23:00 --to 04:00
  heliograph diff rayjob/default/train --from 4711 --to 4810 -o json

exit codes: 0, and 2 if the log knows nothing of it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Name the resource, the moments and the form of the answer."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    add_object(parser, "What to compare.")
    parser.add_argument(
        "--from", dest="first", metavar="WHEN", required=True, help="As it was then."
    )
    parser.add_argument("--to", dest="last", metavar="WHEN", help="With how it was then (now).")
    add_output(parser)
    add_source(parser)


def run(args: Namespace) -> int:
    """Fold the records up to both moments and compare."""
    key = resource_of(args.resource, "diff")
    first = past_of(args, "diff", "--from", args.first)
    last = past_of(args, "diff", "--to", args.last)
    records = records_from(args, "diff", (everything_of(key),))
    if not records:
        raise unknown(args, "diff", key)
    check_order(records, (first, last), ("--from", "--to"))
    found = diff(key, records, first, last)
    if found is None:
        raise FatalError(f"the log knew nothing of {key} then")
    if args.output != "table":
        print_value(found, args.output)
        return Exit.DONE
    screen = Screen(sys.stdout, os.environ)
    screen.write(list(diff_lines(screen, found)))
    return Exit.DONE


def diff_lines(screen: Screen, found: Diff) -> Iterator[str]:
    """Yield a comparison as a page."""
    span = f"from {_place(found.first, found.first_at)} to {_place(found.last, found.last_at)}"
    for line in broken(f"{found.resource} {span}", screen.width):
        yield screen.paint(line, Colour.BOLD)
    if not found.differences:
        yield "nothing changed"
        return
    rows: list[list[Cell | str]] = []
    for _, together in groupby(found.differences, key=lambda one: one.record):
        for one in together:
            record = str(one.record) if one.record else ""
            clock = one.at.strftime("%H:%M:%S") if one.at else ""
            rows.append([Cell(record, Colour.DIM), clock, one.text])
        if one.by:
            rows.append(["", "", Cell(f"  by {one.by}", Colour.DIM)])
    yield from wrapped(screen, rows, headings=("record", "time", "change"))


def _place(record: int, at: datetime | None) -> str:
    return f"record {record} ({at:%Y-%m-%d %H:%M:%S})" if at is not None else "before its first"
