"""The sandbox at scale, as a process of its own: memory, a large list, a burst of watch events.

`python -m benchmarks.sandbox` measures the sandbox alone; with `--kubeconfig` it plays the same
list and burst on a real API server and prints the ratio. Pods there stay pending: nobody looks
after them.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import aiohttp
import msgspec
from msgspec import Struct

from heliograph.cli.render import Screen, table
from sandbox.outside.connection import open_session, read_kubeconfig

AT_ONCE = 32
BURST = 1_000
PODS_OF_A_CLUSTER = 10
CRDS = Path("deploy") / "crds"
RAYCLUSTERS = "/apis/ray.io/v1/namespaces/bench/rayclusters"
PODS = "/api/v1/namespaces/bench/pods"
MAPS = "/api/v1/namespaces/bench/configmaps"


class Figures(Struct, frozen=True, kw_only=True):
    """What one API server took."""

    listed: float
    burst: float


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.sandbox", description=__doc__)
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--kubeconfig", type=Path, help="a real API server to compare with")
    args = parser.parse_args()
    rows = asyncio.run(measure(args.pods, args.kubeconfig))
    screen = Screen(sys.stdout, os.environ)
    screen.write([*table(screen, rows, headings=("what", "figure", "against"))])
    return 0


async def measure(pods: int, kubeconfig: Path | None = None) -> list[list[str]]:
    """Return rows for the sandbox, and ratios to a real API server where there is one."""
    async with _sandbox() as (pid, config):
        empty = _memory(pid)
        async with open_session(read_kubeconfig(config)) as session:
            await _fill(session, pods, clusters=pods // PODS_OF_A_CLUSTER)
            ready_after = await _all_ready(session)
            ours = await _figures(session)
        full = _memory(pid)
    theirs = None if kubeconfig is None else await _real(kubeconfig, pods)
    clusters = pods // PODS_OF_A_CLUSTER
    return [
        ["memory, empty", f"{empty:.0f} MB", ""],
        [f"memory, {pods} pods, {clusters} RayClusters", f"{full:.0f} MB", "500 MB allowed"],
        ["all pods ready after the last was created", f"{ready_after:.1f} s", ""],
        [f"list of {pods} pods", f"{ours.listed:.2f} s", _against(ours.listed, theirs, "listed")],
        [
            f"{BURST} changes until all were seen by a watch",
            f"{ours.burst:.2f} s",
            _against(ours.burst, theirs, "burst"),
        ],
    ]


def _against(ours: float, theirs: Figures | None, field: str) -> str:
    if theirs is None:
        return ""
    return f"{ours / getattr(theirs, field):.2f} x a real API server"


async def _real(kubeconfig: Path, pods: int) -> Figures:
    async with open_session(read_kubeconfig(kubeconfig)) as session:
        try:
            await _fill(session, pods, clusters=0)
            return await _figures(session)
        finally:
            await session.delete("/api/v1/namespaces/bench")


@asynccontextmanager
async def _sandbox() -> AsyncIterator[tuple[int, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "kubeconfig"
        words = [sys.executable, "-m", "sandbox", "--kubeconfig", str(config), "--crds", str(CRDS)]
        process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE)
        if process.stdout is not None:
            await process.stdout.readline()
        try:
            yield process.pid, config
        finally:
            process.terminate()
            await process.wait()


async def _fill(session: aiohttp.ClientSession, pods: int, *, clusters: int) -> None:
    await _create(session, "/api/v1/namespaces", [{"metadata": {"name": "bench"}}])
    account = {"metadata": {"name": "default"}}
    await _create(session, "/api/v1/namespaces/bench/serviceaccounts", [account])
    owners = await _create(session, RAYCLUSTERS, (_cluster(number) for number in range(clusters)))
    await _create(session, PODS, (_pod(number, owners) for number in range(pods)))


async def _create(
    session: aiohttp.ClientSession, path: str, objects: Iterable[Any]
) -> list[dict[str, Any]]:
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(obj: Any) -> dict[str, Any]:
        async with slots, session.post(path, json=obj) as answer:
            return msgspec.json.decode(await answer.read(), type=dict[str, Any])

    return list(await asyncio.gather(*(one(obj) for obj in objects)))


async def _all_ready(session: aiohttp.ClientSession) -> float:
    began = perf_counter()
    query = {"fieldSelector": "status.phase!=Running", "limit": "1"}
    while True:
        async with session.get(PODS, params=query) as answer:
            if not (await answer.json())["items"]:
                return perf_counter() - began
        await asyncio.sleep(1)


async def _figures(session: aiohttp.ClientSession) -> Figures:
    began = perf_counter()
    async with session.get(PODS) as answer:
        await answer.read()
    listed = perf_counter() - began
    return Figures(listed=listed, burst=await _burst(session))


async def _burst(session: aiohttp.ClientSession) -> float:
    """Create a thousand small objects while a watch is open; return when it has seen them all."""
    opened = asyncio.Event()
    unlimited = aiohttp.ClientTimeout(total=None)

    async def watch() -> None:
        seen = 0
        async with session.get(MAPS, params={"watch": "1"}, timeout=unlimited) as answer:
            opened.set()
            async for line in answer.content:
                seen += b"burst-" in line
                if seen == BURST:
                    return

    watching = asyncio.create_task(watch())
    await opened.wait()
    began = perf_counter()
    names = ({"metadata": {"name": f"burst-{number}"}} for number in range(BURST))
    await _create(session, MAPS, names)
    await watching
    return perf_counter() - began


def _memory(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def _cluster(number: int) -> dict[str, Any]:
    template = {"spec": _spec()}
    bounds = {"replicas": 9, "minReplicas": 0, "maxReplicas": 9}
    group = {"groupName": "g", **bounds, "rayStartParams": {}, "template": template}
    head = {"rayStartParams": {"dashboard-host": "0.0.0.0"}, "template": template}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": f"c{number}"},
        "spec": {"headGroupSpec": head, "workerGroupSpecs": [group]},
    }


def _pod(number: int, owners: list[dict[str, Any]]) -> dict[str, Any]:
    cluster = number // PODS_OF_A_CLUSTER
    kind = "worker" if number % PODS_OF_A_CLUSTER else "head"
    meta: dict[str, Any] = {
        "name": f"c{cluster}-{kind}-{number}",
        "labels": {"ray.io/cluster": f"c{cluster}", "ray.io/node-type": kind, "ray.io/group": "g"},
    }
    if owners:
        owner = owners[cluster]
        named = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": f"c{cluster}"}
        meta["ownerReferences"] = [{**named, "uid": owner["metadata"]["uid"], "controller": True}]
    return {"metadata": meta, "spec": _spec()}


def _spec() -> dict[str, Any]:
    env = [{"name": f"VARIABLE_{number}", "value": f"value {number}"} for number in range(12)]
    limits = {"cpu": "1", "memory": "1Gi"}
    ray = {
        "name": "ray",
        "image": "rayproject/ray:2.60.0",
        "args": ["ulimit -n 65536; ray start --block --num-cpus=1 --memory=1073741824"],
        "env": env,
        "ports": [{"name": "metrics", "containerPort": 8080}],
        "resources": {"limits": limits, "requests": limits},
        "readinessProbe": {"exec": {"command": ["bash", "-c", "true"]}, "periodSeconds": 5},
    }
    return {"containers": [ray]}


if __name__ == "__main__":
    sys.exit(main())
