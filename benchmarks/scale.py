"""One large RayCluster from nothing to ready, through all services: what a pod costs as it grows.

On virtual time, with the bus in memory and the sandbox in process, so nothing waits and only work
counts. What the controllers of the sandbox take is left out: they are not what is measured.
"""

import asyncio
from collections.abc import Iterator
from time import process_time

from msgspec import Struct

from benchmarks.deciding import CONTEXT, KEY, SIZES, TEMPLATE, Told, history, ledger_of, timed
from sandbox.controllers.scenario import PodRule
from sandbox.objects import Object
from services.reconciler.decisions.decide import decide
from shared.telemetry.metrics import REGISTRY
from tests.support.virtual_time import VirtualLoop
from tests.support.whole import Whole, whole

SMALL, LARGE = SIZES[1:]
CREATED_FIRST = 64
"""How many workers are there when the growth of a cluster is looked at."""
RUNS = 3
STEADY = PodRule(schedule_after=0.5, run_after=2.0, ready_after=1.0)


class ComeUp(Struct, frozen=True, kw_only=True):
    """What it took to bring one cluster up."""

    pods: int
    acts: int
    looks: int
    status_writes: int
    cpu: float


def measure() -> list[list[str]]:
    """Return rows for a small and a large cluster, and what a pod costs against the small one."""
    growing = {size: _decision(size) for size in (SMALL, LARGE)}
    rows = [
        [
            f"decide, {CREATED_FIRST} of {size} workers there",
            f"{seconds * 1e3:.2f} ms",
            f"{seconds / growing[SMALL]:.2f} x that of {SMALL}",
        ]
        for size, seconds in growing.items()
    ]
    small, large = _best(SMALL), _best(LARGE)
    return [*rows, *_rows(SMALL, small, small), *_rows(LARGE, large, small)]


def _best(workers: int) -> ComeUp:
    """Return the cheapest of several runs: what else the machine does only makes one dearer."""
    return min((come_up(workers) for _ in range(RUNS)), key=lambda found: found.cpu)


def come_up(workers: int) -> ComeUp:
    """Bring a cluster of so many workers up."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_come_up(workers))


async def _come_up(workers: int) -> ComeUp:
    async with whole(STEADY) as here:
        before = _figures(here)
        here.cluster.create("rayclusters", _manifest(workers))
        await here.until(lambda: here.state("large") == "ready")
        await asyncio.sleep(10)
        after = _figures(here)
        return ComeUp(
            pods=here.asked["create pods"],
            acts=int(after[0] - before[0]),
            looks=int(after[1] - before[1]),
            status_writes=here.asked["patch rayclusters.ray.io/status"],
            cpu=after[2] - before[2],
        )


def _figures(here: Whole) -> tuple[float, float, float]:
    return (
        REGISTRY.get_sample_value("heliograph_decisions_committed_total") or 0,
        REGISTRY.get_sample_value("heliograph_deciding_seconds_count") or 0,
        process_time() - here.kubernetes_cpu,
    )


def _rows(size: int, found: ComeUp, small: ComeUp) -> Iterator[list[str]]:
    per_pod = found.cpu / found.pods / (small.cpu / small.pods)
    label = f"{size} workers to ready"
    yield [f"{label}: pod creations", str(found.pods), f"{size + 1} are wanted"]
    yield [f"{label}: acts", str(found.acts), f"of {found.looks} looks"]
    yield [f"{label}: status writes", str(found.status_writes), ""]
    yield [f"{label}: CPU", f"{found.cpu:.2f} s", f"{per_pod:.2f} x the cost per pod at {SMALL}"]


def _decision(size: int) -> float:
    view = ledger_of(_growing(size)).view(KEY)
    return timed(lambda: decide(view, CONTEXT))


def _growing(size: int) -> Iterator[Told]:
    """Yield the history of a cluster whose first workers are there."""
    for subject, uid, body in history(size):
        kind, name = subject.split(".")[-2:]
        if kind != "pod" or int(name.removeprefix("pod-")) <= CREATED_FIRST:
            yield subject, uid, body


def _manifest(workers: int) -> Object:
    bounds = {"replicas": workers, "minReplicas": 0, "maxReplicas": workers}
    group = {"groupName": "g", **bounds, "rayStartParams": {}, "template": TEMPLATE}
    return {
        "metadata": {"name": "large", "namespace": "default"},
        "spec": {
            "headGroupSpec": {"rayStartParams": {}, "template": TEMPLATE},
            "workerGroupSpecs": [group],
        },
    }
