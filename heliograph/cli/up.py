"""`heliograph up`: a log, a sandbox and all services on this machine, for you and kubectl.

Runs until Ctrl-C, then stops cleanly. The log stays in its folder, so the next `up` remembers.
"""

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from heliograph.assembly.embedded import Embedded, embedded
from heliograph.assembly.everything import run_services
from heliograph.cli.flags import add_flags
from heliograph.cli.run import settings_of
from shared.runtime.failures import Exit
from shared.runtime.options import DECISIONS, SERVICES
from shared.runtime.settings import LogFormat, Settings
from shared.telemetry.logs import configure_logs

CALL_DEADLINE = timedelta(seconds=1)
"""Everything is on this machine: a call that takes longer is lost."""


def add_arguments(parser: ArgumentParser) -> None:
    """Say where to keep the log, and which ports to use."""
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(".cache") / "up",
        help="Where the log, the kubeconfig and our log lines are kept (default .cache/up).",
    )
    parser.add_argument(
        "--nats-port", type=int, default=-1, metavar="PORT", help="Port of NATS (default any)."
    )
    parser.add_argument(
        "--sandbox-port",
        type=int,
        default=0,
        metavar="PORT",
        help="Port of the sandbox (default any).",
    )
    add_flags(parser, "this process", ("http_port", "http_host", "log_level", "drain_timeout"))
    add_flags(parser, "the log", ("log_retention",))
    add_flags(parser, "decisions", tuple(option.name for option in DECISIONS))


def run(args: Namespace) -> int:
    """Run until told to stop."""
    settings = settings_of(args)
    if args.http_port is None and not os.environ.get("HELIOGRAPH_HTTP_PORT"):
        settings = replace(settings, process=replace(settings.process, http_port=0))
    args.folder.mkdir(parents=True, exist_ok=True)
    with (args.folder / "heliograph.log").open("a") as lines:
        configure_logs(lines, level=settings.process.log_level, form=LogFormat.JSON)
        return asyncio.run(_run(args, settings))


async def _run(args: Namespace, settings: Settings) -> Exit:
    async with embedded(
        args.folder, settings, nats_port=args.nats_port, sandbox_port=args.sandbox_port
    ) as here:
        sys.stdout.write(_welcome(here, args.folder))
        sys.stdout.flush()
        code = await run_services(SERVICES, here.settings, call_deadline=CALL_DEADLINE)
    sys.stdout.write("stopped\n")
    return code


def _welcome(here: Embedded, folder: Path) -> str:
    return f"""Heliograph is up: NATS, a sandbox Kubernetes and all services. Ctrl-C stops it.

In another terminal:
  export KUBECONFIG={here.kubeconfig.resolve()}
  export NATS_URL={here.nats.url}
  kubectl apply -f examples/01-minimal.yaml
  kubectl get rayclusters,pods
  heliograph timeline raycluster/default/first

Log lines: {folder / "heliograph.log"}
"""
