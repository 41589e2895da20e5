"""Two watchers and two reconcilers side by side leave the same objects behind as one of each.

The same manifests and changes go through both installations; what is left is compared without what
differs from one world to the next: uids, versions, times, addresses, and names that follow from
uids. Which of two equal workers stays when one must go follows from their names as well, so the
number of a worker within its group is left out too.
"""

import re
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.executor.performing import ACT_ANNOTATION
from tests.support.fleet import World, fleet_in, is_settled
from tests.support.kubes import Kube, installed

pytestmark = [pytest.mark.xdist_group("quiet"), pytest.mark.timeout(480)]

ALONE = {"watcher": 1, "reconciler": 1}
TWICE = {"watcher": 2, "reconciler": 2}
OF_A_WORLD = {
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "startTime",
    "startedAt",
    "finishedAt",
    "lastTransitionTime",
    "lastUpdateTime",
    "stateTransitionTimes",
    "managedFields",
    "containerID",
    "podIP",
    "podIPs",
    "clusterIP",
    "clusterIPs",
    "serviceIP",
    "ip",
    "nodeName",
    "hostIP",
    "hostIPs",
    "ray.io/worker-group-replica-index",
    ACT_ANNOTATION,
    "sandbox.heliograph.dev/seen-at",
}
DRAWN = re.compile(r"(head|worker|kube-api-access)-[a-z0-9]{5}\b")


def plain(value: object, namespace: str) -> object:
    """Return a value without what belongs to one world only."""
    if isinstance(value, Mapping):
        kept = {key: entry for key, entry in value.items() if key not in OF_A_WORLD}
        return {key: plain(entry, namespace) for key, entry in kept.items()}
    if isinstance(value, list):
        return [plain(entry, namespace) for entry in value]
    if isinstance(value, str):
        return DRAWN.sub(r"\1-x", value).replace(namespace, "here")
    return value


def left(world: World, namespace: str) -> list[bytes]:
    """Return every object without what differs between worlds, in an order that does not."""
    return sorted(
        msgspec.json.encode([plural, plain(seen.body, namespace)], order="sorted")
        for plural, objects in world.now.items()
        for seen in objects.values()
    )


def lines(objects: list[bytes]) -> list[str]:
    """Return objects as lines, one value per line, so that a difference can be read."""
    return b"\n".join(msgspec.json.format(each) for each in objects).decode().splitlines()


async def lived_through(folder: Path, kube: Kube, counts: Mapping[str, int]) -> list[bytes]:
    """Let the same things happen; return what is left."""
    folder.mkdir()
    with installed(folder, kube) as here:
        here.start_service("rest", "executor", "status", "scheduler")
        here.start_services(counts)
        async with fleet_in(here) as (fleet, world):

            async def settled() -> None:
                await world.until(lambda now: is_settled(now, fleet.wanted), "all is ready")

            steps: list[dict[str, Any]] = [
                {f"ray-{number}": number for number in range(5)},
                {"ray-0": 4, "ray-3": 1},
                {"ray-4": 0, "ray-1": 3},
            ]
            for name, workers in steps[0].items():
                await fleet.create(name, workers)
            await settled()
            for step in steps[1:]:
                for name, workers in step.items():
                    await fleet.scale(name, workers)
                await settled()
            await fleet.delete("ray-2")
            await settled()
            return left(world, here.namespace)


async def test_two_of_each_end_where_one_of_each_ends(tmp_path: Path, kube: Kube) -> None:
    alone = await lived_through(tmp_path / "alone", kube, ALONE)
    twice = await lived_through(tmp_path / "twice", kube, TWICE)

    assert len(alone) == 4 + 4 + 4 + sum((4, 3, 1, 0))
    assert list(unified_diff(lines(alone), lines(twice), n=3)) == []
