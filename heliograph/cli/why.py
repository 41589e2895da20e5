"""`heliograph why KIND/NAMESPACE/NAME`: the cause in one sentence, then the way back to it."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence

from heliograph.cli.asking import add_object, key_of, unknown
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Cell, Colour, Screen
from heliograph.cli.source import add_source, records_from
from heliograph.cli.timeline import COLOURS
from heliograph.cli.when import now_of
from heliograph.cli.wrapping import broken, wrapped
from heliograph.views.chronicle import gather
from heliograph.views.findings import Link, Why
from heliograph.views.why import why
from shared.events.envelope import Record
from shared.runtime.failures import Exit

EXAMPLES = """Any object: a Ray resource, a pod, a service, a job; also one that is gone.

examples:
  heliograph why raycluster/default/first              why is it like this?
  heliograph why pod/default/first-small-worker-5nk6n  why is it there, or gone?
  heliograph why rayjob/default/train -o json | jq -r .cause
  heliograph why raycluster/default/first --capsule night.capsule

exit codes: 0, and 2 if the log knows nothing of it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Name the object and the form of the answer."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    add_object(parser, "What to ask about.")
    add_output(parser)
    add_source(parser)


def run(args: Namespace) -> int:
    """Read what concerns the object, and answer."""
    key = key_of(args.resource)

    def read(filters: Sequence[str]) -> tuple[Record, ...]:
        return records_from(args, "why", filters)

    found = why(gather(read, key), key, now_of(args))
    if found is None:
        raise unknown(args, "why", key)
    if args.output != "table":
        print_value(found, args.output)
        return Exit.DONE
    screen = Screen(sys.stdout, os.environ)
    screen.write(list(answer_lines(screen, found)))
    return Exit.DONE


def answer_lines(screen: Screen, found: Why) -> Iterator[str]:
    """Yield the sentence, the chain, what is waited for, and what else there is to say."""
    for line in broken(f"{found.sentence.rstrip('.')}.", screen.width):
        yield screen.paint(line, Colour.BOLD)
    yield screen.paint(f"cause: {found.cause}", Colour.RED)
    if found.links:
        yield ""
        others = {link.resource for link in found.links} - {found.about}
        yield from wrapped(screen, [row for link in found.links for row in _rows(link, others)])
    notes = [*(one.text for one in found.waits), *found.hints]
    if notes:
        yield ""
        yield from wrapped(screen, [["note:", one] for one in notes])
    for one in found.former:
        yield ""
        yield from answer_lines(screen, one)


def _rows(link: Link, others: set[str]) -> Iterator[list[Cell | str]]:
    clock = link.at.strftime("%Y-%m-%d %H:%M:%S")
    what = Cell(link.what, COLOURS[link.what])
    whose = f" [{link.resource}]" if len(others) > 1 else ""
    yield [Cell(str(link.sequence), Colour.DIM), clock, what, f"{link.text}{whose}"]
    for reason in link.because:
        yield ["", "", "", Cell(f"  because {reason}", Colour.DIM)]
    if link.code:
        rule = f"rule {link.rule}, " if link.rule else ""
        yield ["", "", "", Cell(f"  by {rule}{link.code}", Colour.DIM)]
