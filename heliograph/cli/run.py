"""`heliograph run SERVICE...`: one service, several, or all in one process.

Ends cleanly on SIGTERM: work in hand is finished, leases are given back. What was set and has no
effect, because it is KubeRay's way and not ours, is told once, before anything starts.
"""

import asyncio
import logging
import os
import socket
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from heliograph.assembly.everything import run_services
from shared.runtime.configuration import NOTHING, Configuration, read_configuration
from shared.runtime.kuberay import notices
from shared.runtime.options import APART, BESIDE, SERVICES
from shared.runtime.reading import CONFIG_VARIABLE, add_settings, read_settings
from shared.runtime.settings import Settings
from shared.telemetry.logs import configure_logs

log = logging.getLogger(__name__)


def add_arguments(parser: ArgumentParser) -> None:
    """Name services, and everything they can be told."""
    parser.add_argument(
        "services",
        nargs="+",
        choices=(*SERVICES, *BESIDE, *APART, "all"),
        metavar="SERVICE",
        help=", ".join(SERVICES)
        + f", or all of them in one process; {', '.join((*BESIDE, *APART))}",
    )
    add_settings(parser)


def run(args: Namespace) -> int:
    """Run until told to stop."""
    settings = settings_of(args)
    process = settings.process
    configure_logs(sys.stderr, level=process.log_level, form=process.log_format)
    for notice in (*notices(vars(args), os.environ), *_file(args).notices):
        log.warning(
            "has no effect here", extra={"setting": notice.setting, "because": notice.because}
        )
    return asyncio.run(run_services(names_of(args.services, settings), settings))


def settings_of(args: Namespace) -> Settings:
    """Read flags, environment and file."""
    member = f"{socket.gethostname()}-{os.getpid()}"
    return read_settings(vars(args), os.environ, member=member, file=_file(args))


def names_of(asked: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Return the services to run: `all` has the courier, too, where there are subscriptions."""
    beside = BESIDE if settings.courier.subscriptions else ()
    everyone = (*SERVICES, *beside) if "all" in asked else ()
    return tuple(dict.fromkeys((*everyone, *(name for name in asked if name != "all"))))


def _file(args: Namespace) -> Configuration:
    path = getattr(args, "config", None) or os.environ.get(CONFIG_VARIABLE)
    return read_configuration(path) if path else NOTHING
