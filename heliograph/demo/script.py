"""What happens in the demo, in order.

Apply, watch it come up, kill the head and a worker, scale, delete; then the whole timeline, and
every decision made again by another process.
"""

import sys
from functools import partial
from importlib.resources import files
from pathlib import Path

from heliograph.assembly.reading import read_records
from heliograph.cli.render import Colour
from heliograph.cli.timeline import rows
from heliograph.demo.stage import Pods, Stage, is_ready
from heliograph.views.timeline import timeline
from shared.events.subjects import everything_of
from shared.kernel.manifests import labels_of, text_at, uid_of
from shared.resources.labels import GROUP, HEAD_GROUP
from shared.runtime.failures import FatalError

EXAMPLE = "01-minimal.yaml"


async def play(stage: Stage) -> None:
    """Play all of it."""
    await _come_up(stage)
    await _suffer(stage)
    await _scale(stage)
    await _end(stage)
    await _look_back(stage)


async def _come_up(stage: Stage) -> None:
    stage.begin("1. A RayCluster with a head and three workers")
    await stage.kubectl("apply", "-f", str(example()))
    await stage.until("head and three workers are ready", lambda: _settled(stage, 3))
    await stage.kubectl("get", "rayclusters,pods,services")


async def _suffer(stage: Stage) -> None:
    stage.begin("2. The head is deleted, and a worker dies")
    before = stage.pods()
    head, workers = _split(before)
    victim = workers[0]
    await stage.kubectl("delete", "pod", head, "--wait=false")
    stage.say(f"# the node kills {victim}: out of memory")
    _kill(stage, victim)
    gone = {uid_of(before[head]), uid_of(before[victim])}

    def recovered() -> bool:
        present = {uid_of(pod) for pod in stage.pods().values()}
        return not gone & present and _settled(stage, 3)

    await stage.until("a new head and a new worker are ready", recovered)


async def _scale(stage: Stage) -> None:
    stage.begin("3. Up to five workers, down to two")
    for count in (5, 2):
        path = "/spec/workerGroupSpecs/0/replicas"
        patch = f'[{{"op":"replace","path":"{path}","value":{count}}}]'
        await stage.kubectl("patch", "raycluster", "first", "--type=json", "-p", patch)
        await stage.until(f"{count} workers are ready", partial(_settled, stage, count))


async def _end(stage: Stage) -> None:
    stage.begin("4. The end")
    await stage.kubectl("delete", "raycluster", "first")
    await stage.until("nothing is left", lambda: not stage.pods() and not stage.children)
    await stage.until("the books are closed", lambda: stage.closed)


async def _look_back(stage: Stage) -> None:
    stage.begin("5. What the operator saw, decided and did")
    records = await read_records(stage.ports.bus.log, (everything_of(stage.key),))
    stage.screen.write(rows(stage.screen, tuple(timeline(records))))
    stage.begin("6. Every decision again, by another process")
    stage.say("$ heliograph replay --all", Colour.BOLD)
    output = await stage.command(sys.executable, "-m", "heliograph", "replay", "--all")
    stage.screen.write(output.splitlines())
    if output.splitlines()[-1] != "identical":
        raise FatalError("the replay differs")


def example() -> Path:
    """Return the manifest that the demo applies."""
    return Path(str(files("heliograph"))).parent / "examples" / EXAMPLE


def _split(pods: Pods) -> tuple[str, list[str]]:
    """Return the head's name and the workers'."""
    groups = {name: labels_of(pod).get(GROUP) for name, pod in pods.items()}
    heads = [name for name, group in groups.items() if group == HEAD_GROUP]
    return heads[0], sorted(name for name in groups if name not in heads)


def _settled(stage: Stage, workers: int) -> bool:
    pods = stage.pods()
    told = text_at(stage.cluster(), "status", "state") == "ready"
    return told and len(pods) == workers + 1 and all(is_ready(pod) for pod in pods.values())


def _kill(stage: Stage, name: str) -> None:
    patch = {"status": {"phase": "Failed", "reason": "OOMKilled", "message": "out of memory"}}
    stage.here.sandbox.cluster.patch("pods", stage.key.namespace, name, patch, subresource="status")
