"""`python -m sandbox.outside --kubeconfig FILE`: the pods of a cluster come up, until stopped."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

import msgspec
import yaml

from sandbox.controllers.scenario import ScenarioError
from sandbox.outside.connection import read_kubeconfig
from sandbox.outside.running import opened_outside
from sandbox.server import load_scenario, system_clock


def main() -> int:
    """Run until SIGTERM or SIGINT; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.outside", description=__doc__)
    parser.add_argument(
        "--kubeconfig", type=Path, required=True, help="the cluster, and who we are"
    )
    parser.add_argument("--scenario", type=Path, help="how pods fare (YAML); calm without")
    parser.add_argument("--namespace", default="", help="look after the pods of this one only")
    arguments = parser.parse_args()
    try:
        return asyncio.run(_run(arguments))
    except (OSError, KeyError, ScenarioError, yaml.YAMLError) as error:
        sys.stderr.write(f"the controllers cannot start: {error}\n")
        return 2


async def _run(arguments: argparse.Namespace) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    access = read_kubeconfig(arguments.kubeconfig)
    scenario = load_scenario(arguments.scenario)
    async with opened_outside(access, system_clock, scenario, namespace=arguments.namespace) as (
        task,
        door,
    ):
        task.add_done_callback(lambda _: stop.set())
        sys.stdout.write(msgspec.json.encode({"proxy": door.url}).decode() + "\n")
        sys.stdout.flush()
        await stop.wait()
    return 0 if task.cancelled() else 1


if __name__ == "__main__":
    sys.exit(main())
