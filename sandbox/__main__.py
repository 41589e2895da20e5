"""`python -m sandbox`: a sandbox as a process of its own, until it is told to stop.

Prints one JSON line with the address when it is ready; everything else goes to the log.
"""

import argparse
import asyncio
import secrets
import signal
import sys
from pathlib import Path

import msgspec
import yaml

from sandbox.controllers.pace import paced
from sandbox.controllers.scenario import ScenarioError
from sandbox.errors import ApiError
from sandbox.kubeconfig import write_kubeconfig
from sandbox.objects import Object
from sandbox.ray.machine import MachineError, open_machine
from sandbox.server import load_scenario, serve


def main() -> int:
    """Run until SIGTERM or SIGINT; return the exit code."""
    arguments = _parser().parse_args()
    try:
        return asyncio.run(_run(arguments))
    except (OSError, ApiError, ScenarioError, MachineError, yaml.YAMLError) as error:
        sys.stderr.write(f"the sandbox cannot start: {error}\n")
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port on loopback; 0 takes a free one")
    parser.add_argument("--kubeconfig", type=Path, help="where to write a kubeconfig")
    parser.add_argument("--crds", type=Path, help="folder of CRD files (YAML or JSON)")
    parser.add_argument(
        "--token",
        default="",
        help="bearer token that clients must present (kubectl sends none without TLS)",
    )
    parser.add_argument("--seed", default="", help="makes uids and names repeatable")
    parser.add_argument("--scenario", type=Path, help="how pods and Ray fare (YAML); calm without")
    parser.add_argument(
        "--ray",
        type=Path,
        metavar="FOLDER",
        help="run the containers of pods for real, with Ray from this Python environment",
    )
    parser.add_argument("--pace", type=float, default=1.0, help="everything so many times faster")
    return parser


async def _run(arguments: argparse.Namespace) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    sandbox = await serve(
        arguments.port,
        crds=_definitions(arguments.crds),
        seed=arguments.seed or secrets.token_hex(16),
        token=arguments.token,
        scenario=paced(load_scenario(arguments.scenario), arguments.pace),
    )
    try:
        if arguments.ray:
            sandbox.run_pods_on(await open_machine(arguments.ray))
        if arguments.kubeconfig:
            write_kubeconfig(arguments.kubeconfig, sandbox.url, token=arguments.token)
        ready = {
            "url": sandbox.url,
            "kubeconfig": str(arguments.kubeconfig or ""),
            "proxy": sandbox.door.url,
        }
        sys.stdout.write(msgspec.json.encode(ready).decode() + "\n")
        sys.stdout.flush()
        await stop.wait()
    finally:
        await sandbox.close()
    return 0


def _definitions(folder: Path | None) -> list[Object]:
    if folder is None:
        return []
    files = sorted(path for path in folder.iterdir() if path.suffix in {".yaml", ".yml", ".json"})
    documents = (
        document
        for path in files
        for document in yaml.load_all(path.read_bytes(), Loader=yaml.CSafeLoader)
    )
    return [each for each in documents if each and each["kind"] == "CustomResourceDefinition"]


if __name__ == "__main__":
    sys.exit(main())
