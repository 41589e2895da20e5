"""Record what happens to RayClusters, for `tests/contract/test_histories.py`.

    python -m tools.record_histories            record the histories that are not there yet
    python -m tools.record_histories NAME ...   record these anew

All services run on virtual time over the bus in memory and the sandbox, without faults. A recorded
history is never changed afterwards: it is what yesterday's code has written, and today's must still
decide the same. Another one: a function here, named for what happens in it.
"""

import asyncio
import gzip
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from sandbox.errors import ApiError
from sandbox.faults import Fault, Refuse, no_faults
from sandbox.requests import Request
from shared.kernel.manifests import labels_of, name_of
from shared.ports.event_log import FromSequence, Message
from shared.resources.labels import NODE_TYPE
from tests.simulation.loop import SimulationLoop
from tests.simulation.nature import NAMESPACE, RAYCLUSTERS
from tests.simulation.wishes import cluster
from tests.simulation.world import World

HOME = Path(__file__).resolve().parents[1]
FOLDER = HOME / "tests" / "contract" / "histories"
NAME = "first"
SEED = 2
CALM = 40.0
"""Virtual seconds after which everything has settled."""

Story = Callable[[World], Awaitable[None]]


async def created_and_deleted(world: World) -> None:
    """Come up with two workers, and go."""
    await _create(world, workers=2)
    await _delete(world)


async def head_killed(world: World) -> None:
    """Lose the head of a running cluster."""
    await _create(world, workers=1)
    world.nature.cluster.delete("pods", NAMESPACE, _pod(world, "head"))
    await world.wait(CALM)


async def worker_failed(world: World) -> None:
    """Lose a worker to its node."""
    await _create(world, workers=2)
    failed = {"phase": "Failed", "reason": "Evicted", "message": "The node was low on memory."}
    world.nature.cluster.patch(
        "pods", NAMESPACE, _pod(world, "worker"), {"status": failed}, subresource="status"
    )
    await world.wait(CALM)


async def scaled_up_and_down(world: World) -> None:
    """Grow from one worker to three, shrink to two while growing to four."""
    await _create(world, workers=1)
    for replicas, pause in ((3, CALM), (4, 0.2), (2, CALM)):
        await _edit(world, pause, partial(_sized, replicas))


async def suspended_and_resumed(world: World) -> None:
    """Suspend, waver while suspending, resume."""
    await _create(world, workers=1)
    for wish, pause in ((True, 0.3), (False, 0.3), (True, CALM), (None, CALM), (False, CALM)):
        await _edit(world, pause, partial(_suspended, wish))
    await _edit(world, CALM, partial(_suspended, True))
    await _edit(world, CALM, partial(_suspended, False))


async def refused_by_quota(world: World) -> None:
    """Be refused worker pods for a while."""

    def quota(request: Request) -> Fault | None:
        name = name_of(request.body or {})
        if request.verb != "create" or request.resource != "pods" or "worker" not in name:
            return None
        told = "exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1"
        return Refuse(error=ApiError.forbidden("pods", name, told))

    for process in world.processes:
        process.kubernetes.door.faults = quota
    await _create(world, workers=2)
    for process in world.processes:
        process.kubernetes.door.faults = no_faults
    await world.wait(3 * CALM)


async def made_senseless_and_repaired(world: World) -> None:
    """Live through a spec that makes no sense."""
    await _create(world, workers=1)
    for labels in ("a=b", None):
        head = {"headGroupSpec": {"rayStartParams": {"labels": labels}}}
        world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, NAME, {"spec": head})
        await world.wait(CALM)


async def made_anew_under_the_same_name(world: World) -> None:
    """Be deleted and created again at once."""
    await _create(world, workers=1)
    world.nature.cluster.delete(RAYCLUSTERS, NAMESPACE, NAME, propagation="Background")
    await _create(world, workers=2)


STORIES: Mapping[str, Story] = MappingProxyType(
    {
        story.__name__.replace("_", "-"): story
        for story in (
            created_and_deleted,
            head_killed,
            worker_failed,
            scaled_up_and_down,
            suspended_and_resumed,
            refused_by_quota,
            made_senseless_and_repaired,
            made_anew_under_the_same_name,
        )
    }
)


async def _create(world: World, *, workers: int) -> None:
    world.nature.cluster.create(RAYCLUSTERS, cluster(NAME, {"small": workers}))
    await world.wait(CALM)


async def _delete(world: World) -> None:
    world.nature.cluster.delete(RAYCLUSTERS, NAMESPACE, NAME, propagation="Background")
    await world.wait(CALM)


async def _edit(
    world: World, pause: float, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    spec = world.nature.cluster.get(RAYCLUSTERS, NAMESPACE, NAME)["spec"]
    world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, NAME, {"spec": change(spec)})
    await world.wait(pause)


def _suspended(wish: bool | None, spec: dict[str, Any]) -> dict[str, Any]:  # noqa: FBT001 - the wish itself
    return {**spec, "suspend": wish}


def _sized(replicas: int, spec: dict[str, Any]) -> dict[str, Any]:
    group = {**spec["workerGroupSpecs"][0], "replicas": replicas}
    return {**spec, "workerGroupSpecs": [group]}


def _pod(world: World, node_type: str) -> str:
    pods = world.nature.owned("pods", _uid(world))
    return next(name_of(pod) for pod in pods if labels_of(pod).get(NODE_TYPE) == node_type)


def _uid(world: World) -> str:
    return str(world.nature.cluster.get(RAYCLUSTERS, NAMESPACE, NAME)["metadata"]["uid"])


async def _record(story: Story) -> list[Message]:
    world = World(SEED)
    world.start()
    await world.wait(CALM)
    await story(world)
    if world.violations:
        raise RuntimeError("; ".join(world.violations))
    log = world.server.connect("recorder").log
    messages = [message async for message in log.read(("ray.>",), FromSequence(1))]
    await world.end()
    return messages


def _line(message: Message) -> bytes:
    told = {
        "sequence": message.sequence,
        "at": message.at,
        "subject": message.subject,
        "data": msgspec.Raw(message.data),
    }
    return msgspec.json.encode(told) + b"\n"


def main(names: list[str]) -> int:
    """Record what was asked for."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or [each for each in STORIES if not _file(each).exists()]:
        with asyncio.Runner(loop_factory=SimulationLoop) as runner:
            messages = runner.run(_record(STORIES[name]))
        _file(name).write_bytes(gzip.compress(b"".join(map(_line, messages)), mtime=0))
        print(f"{_file(name).relative_to(HOME)}: {len(messages)} records")
    return 0


def _file(name: str) -> Path:
    return FOLDER / f"{name}.jsonl.gz"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
