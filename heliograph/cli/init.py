"""`heliograph init`: make or update the streams of the log. Asking again changes nothing."""

import asyncio
import sys
from argparse import ArgumentParser, Namespace

from heliograph.assembly.preparing import prepare
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.run import settings_of
from shared.runtime.failures import Exit


def add_arguments(parser: ArgumentParser) -> None:
    """Say where the bus is, and whether history may be dropped."""
    parser.add_argument(
        "--allow-shrink", action="store_true", help="Also apply settings that drop history."
    )
    add_flags(parser, "the log", (*BUS, "log_replicas", "log_retention", "events_retention"))


def run(args: Namespace) -> int:
    """Bring the server to what we need and say what was done."""
    settings = settings_of(args).bus
    for prepared in asyncio.run(prepare(settings, allow_shrink=args.allow_shrink)):
        sys.stdout.write(f"{prepared.name} {prepared.done}\n")
    return Exit.DONE
