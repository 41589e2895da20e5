"""`heliograph sandbox up`: a Kubernetes in one process, with a scripted Ray in its pods.

No operator runs in it: apply what you like with kubectl, or point an operator of any make at it.
Stays until Ctrl-C.
"""

import asyncio
import signal
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from secrets import token_hex

from sandbox.controllers.pace import paced
from sandbox.controllers.scenario import Scenario, ScenarioError
from sandbox.kubeconfig import write_kubeconfig
from sandbox.ray.machine import MachineError, open_machine
from sandbox.server import RunningSandbox, load_scenario, serve
from shared.kernel.manifests import thawed
from shared.resources.crd import definitions
from shared.runtime.failures import Exit, FatalError

EXAMPLES = """examples:
  heliograph sandbox up
  heliograph sandbox up --port 8001 --pace 10
  heliograph sandbox up --scenario failing-jobs.yaml
  heliograph sandbox up --ray "$(python -m tools.realray path)"

What a scenario can say: docs/guides/sandbox.md"""


def add_arguments(parser: ArgumentParser) -> None:
    """Say how the world should go."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("deed", choices=["up"], help="Start one, and stay until Ctrl-C.")
    parser.add_argument(
        "--scenario", type=Path, metavar="FILE", help="How pods and Ray fare (default: well)."
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="PORT", help="Port of the API server (default any)."
    )
    parser.add_argument(
        "--pace",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="Everything in pods so many times faster (default 1).",
    )
    parser.add_argument(
        "--kubeconfig",
        type=Path,
        default=Path(".cache") / "sandbox" / "kubeconfig",
        metavar="FILE",
        help="Where to write the kubeconfig (default .cache/sandbox/kubeconfig).",
    )
    parser.add_argument(
        "--ray",
        type=Path,
        metavar="FOLDER",
        help="Really run the containers of pods, with Ray from this Python environment.",
    )
    parser.add_argument(
        "--seed", default="", help="Makes uids, names and troubles repeatable (default: by chance)."
    )


def run(args: Namespace) -> int:
    """Run until told to stop."""
    try:
        scenario = paced(load_scenario(args.scenario), args.pace)
        return asyncio.run(_run(args, scenario))
    except (ScenarioError, MachineError, OSError) as problem:
        raise FatalError(f"the sandbox cannot start: {problem}") from problem


async def _run(args: Namespace, scenario: Scenario) -> Exit:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    crds = [thawed(each) for each in definitions()]
    sandbox = await serve(args.port, crds=crds, seed=args.seed or token_hex(8), scenario=scenario)
    try:
        if args.ray:
            sandbox.run_pods_on(await open_machine(args.ray))
        write_kubeconfig(args.kubeconfig, sandbox.url)
        sys.stdout.write(_welcome(sandbox, args.kubeconfig))
        sys.stdout.flush()
        await stop.wait()
    finally:
        await sandbox.close()
    sys.stdout.write("stopped\n")
    return Exit.DONE


def _welcome(sandbox: RunningSandbox, kubeconfig: Path) -> str:
    return f"""The sandbox is up. Ctrl-C stops it, and nothing of it stays.

In another terminal:
  export KUBECONFIG={kubeconfig.resolve()}
  kubectl get pods

Its own calls (scenario, troubles, dashboards):
  curl {sandbox.url}/sandbox
The network of its pods, as an HTTP proxy:
  curl --proxy {sandbox.door.url} http://NAME-head-svc.NAMESPACE.svc:8265/api/version
"""
