"""`heliograph get KIND/NAMESPACE/NAME`: a resource as it was at any moment of the log."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping

import yaml
from msgspec import json

from heliograph.cli.asking import add_object, resource_of, unknown
from heliograph.cli.extent import past_of
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Colour, Screen, harmless
from heliograph.cli.source import add_source, records_from
from heliograph.cli.when import WHEN, now_of
from heliograph.cli.wrapping import broken, wrapped
from heliograph.views.moment import Snapshot, snapshot_at
from shared.events.codec import encode
from shared.events.subjects import everything_of
from shared.runtime.failures import Exit, FatalError

EXAMPLES = f"""Spec, children, status, and what the operator has in mind. Secrets are replaced.
WHEN is {WHEN}.

examples:
  heliograph get raycluster/default/first                 as it is
  heliograph get raycluster/default/first --at 03:12      as it was
  heliograph get rayjob/default/train --at 4711 -o yaml   after record 4711

exit codes: 0, and 2 if the log knows nothing of it, or did not then."""


def add_arguments(parser: ArgumentParser) -> None:
    """Name the resource, the moment and the form of the answer."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    add_object(parser, "What to show.")
    parser.add_argument("--at", metavar="WHEN", help="As it was then (now).")
    add_output(parser)
    add_source(parser)


def run(args: Namespace) -> int:
    """Fold the records up to the moment and show what they tell."""
    key = resource_of(args.resource, "get")
    at = past_of(args, "get", "--at", args.at)
    records = records_from(args, "get", (everything_of(key),))
    if not records:
        raise unknown(args, "get", key)
    found = snapshot_at(key, records, at, now=now_of(args))
    if found is None:
        first = records[0]
        since = first.at.strftime("%Y-%m-%d %H:%M:%S")
        raise FatalError(
            f"the log knew nothing of {key} then: its first is {first.sequence}, {since}"
        )
    if args.output != "table":
        print_value(found, args.output)
        return Exit.DONE
    screen = Screen(sys.stdout, os.environ)
    screen.write(list(snapshot_lines(screen, found)))
    return Exit.DONE


def snapshot_lines(screen: Screen, found: Snapshot) -> Iterator[str]:
    """Yield a snapshot as a page: what matters most first."""
    clock = found.at.strftime("%Y-%m-%d %H:%M:%S")
    yield screen.paint(f"{found.resource} at record {found.record}, {clock}", Colour.BOLD)
    yield from broken(found.state, screen.width)
    for wait in found.waits:
        for line in broken(wait, screen.width):
            yield screen.paint(line, Colour.RED)
    if found.children:
        yield ""
        yield screen.paint("children", Colour.BOLD)
        rows = [["", *name.split(" ", 1), str(state)] for name, state in found.children.items()]
        yield from wrapped(screen, rows)
    for title in ("mind", "status", "metadata", "spec"):
        yield from _section(screen, title, getattr(found, title))


def _section(screen: Screen, title: str, value: Mapping[str, object]) -> Iterator[str]:
    if not value:
        return
    yield ""
    yield screen.paint(title, Colour.BOLD)
    plain = json.decode(encode(value))
    text = yaml.dump(
        plain, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=1000
    )
    for line in text.splitlines():
        yield from broken(f"  {harmless(line)}", screen.width)
