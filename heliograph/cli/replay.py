"""`heliograph replay`: decide recorded history again with the installed code and compare.

Exit code 0 if every decision is byte for byte the same, 1 if one differs.
"""

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

import msgspec

from heliograph.assembly.adapters import open_bus
from heliograph.assembly.reading import EVERYTHING, read_records
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.run import settings_of
from heliograph.cli.timeline import key_of
from heliograph.views.replay import Again, Verdict, replay, settings_in
from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import DecisionSettings
from shared.aggregates.view import View
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import everything_of
from shared.runtime.failures import Exit
from shared.runtime.settings import BusSettings

SHOWN_MAX = 12


def add_arguments(parser: ArgumentParser) -> None:
    """Name a resource, or ask for all."""
    parser.add_argument(
        "resource",
        nargs="?",
        metavar="KIND/NAMESPACE/NAME",
        help="Whose decisions; all if left out.",
    )
    parser.add_argument("--all", action="store_true", help="All resources (the default).")
    parser.epilog = "Example: heliograph replay raycluster/default/first"
    add_flags(parser, "the log", BUS)


def run(args: Namespace) -> int:
    """Replay and say whether anything differs."""
    one = key_of(args.resource) if args.resource else None
    filters = (everything_of(one), "ray.settings.*") if one else EVERYTHING
    records = asyncio.run(_read(settings_of(args).bus, filters))
    verdicts = tuple(replay(records, deciding(records)))
    sys.stdout.writelines(line + "\n" for line in report(verdicts))
    return Exit.BROKEN if any(verdict.differences for verdict in verdicts) else Exit.DONE


async def _read(settings: BusSettings, filters: Sequence[str]) -> tuple[Record, ...]:
    async with open_bus(settings, "replay") as bus:
        return await read_records(bus.log, filters)


def deciding(records: Sequence[Record]) -> Again:
    """Return how to decide a view again: with the settings that the act named."""
    known = settings_in(records)

    def again(view: View, act: Decided) -> Decided | None:
        settings = msgspec.convert(known[act.settings], DecisionSettings)
        return decide(view, Context(settings=settings, session=act.seen.session))

    return again


def report(verdicts: Sequence[Verdict]) -> list[str]:
    """Say how it went, the first difference explained; the last line is the verdict."""
    if not verdicts:
        return ["the log holds no decisions"]
    missing = sum(1 for verdict in verdicts if verdict.missing)
    different = [verdict for verdict in verdicts if verdict.differences]
    resources = len({verdict.key for verdict in verdicts})
    same = len(verdicts) - missing - len(different)
    of = f"{_count(len(verdicts), 'decision')} of {_count(resources, 'resource')}"
    lines = [f"{same} of {of} are identical"]
    if missing:
        lines.append(f"{missing} not compared: what they rest on is no longer in the log")
    for verdict in different[:1]:
        lines.append(f"first difference: {verdict.key}, act {verdict.sequence}")
        lines.extend(f"  {line}" for line in verdict.differences[:SHOWN_MAX])
        left = len(verdict.differences) - SHOWN_MAX
        lines.extend([f"  and {left} more"] if left > 0 else [])
    if different:
        return [*lines, f"{len(different)} differ"]
    return [*lines, "identical" if same else "nothing could be compared"]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
