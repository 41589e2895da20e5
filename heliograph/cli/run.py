"""`heliograph run SERVICE...`: one service, several, or all in one process.

Ends cleanly on SIGTERM: work in hand is finished, leases are given back.
"""

import asyncio
import os
import socket
import sys
from argparse import ArgumentParser, Namespace

from heliograph.assembly.everything import run_services
from shared.runtime.options import SERVICES
from shared.runtime.reading import add_settings, read_settings
from shared.runtime.settings import Settings
from shared.telemetry.logs import configure_logs


def add_arguments(parser: ArgumentParser) -> None:
    """Name services, and everything they can be told."""
    parser.add_argument(
        "services",
        nargs="+",
        choices=(*SERVICES, "all"),
        metavar="SERVICE",
        help=", ".join(SERVICES) + ", or all of them in one process",
    )
    add_settings(parser)


def run(args: Namespace) -> int:
    """Run until told to stop."""
    settings = settings_of(args)
    process = settings.process
    configure_logs(sys.stderr, level=process.log_level, form=process.log_format)
    names = SERVICES if "all" in args.services else tuple(dict.fromkeys(args.services))
    return asyncio.run(run_services(names, settings))


def settings_of(args: Namespace) -> Settings:
    """Read flags and environment."""
    member = f"{socket.gethostname()}-{os.getpid()}"
    return read_settings(vars(args), os.environ, member=member)
