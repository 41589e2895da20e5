"""`heliograph demo`: a RayCluster lives, suffers and ends before your eyes; then see why.

Everything runs on this machine: a NATS server, a sandbox Kubernetes, all services, and kubectl as
the user's hand. Exit code 0 if everything went as it should.
"""

import asyncio
import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from heliograph.cli.flags import add_flags
from heliograph.cli.render import Screen
from heliograph.cli.run import settings_of
from heliograph.demo.script import play
from heliograph.demo.stage import staged
from shared.runtime.failures import Exit
from shared.runtime.settings import LogFormat, Settings
from shared.telemetry.logs import configure_logs


def add_arguments(parser: ArgumentParser) -> None:
    """Say what to keep."""
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="FOLDER",
        help="Keep the log and our log lines here (default: gone after the demo).",
    )
    add_flags(parser, "this process", ("log_level",))


def run(args: Namespace) -> int:
    """Play the demo."""
    settings = settings_of(args)
    screen = Screen(sys.stdout, os.environ)
    with tempfile.TemporaryDirectory(prefix="heliograph-demo-") as passing:
        folder: Path = args.folder or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "heliograph.log").open("a") as lines:
            configure_logs(lines, level=settings.process.log_level, form=LogFormat.JSON)
            return asyncio.run(_run(screen, folder, settings))


async def _run(screen: Screen, folder: Path, settings: Settings) -> Exit:
    async with staged(screen, folder, settings) as stage:
        await play(stage)
    screen.write(["", "everything went as it should"])
    return Exit.DONE
