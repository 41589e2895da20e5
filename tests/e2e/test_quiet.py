"""A steady system writes nothing: not to the log, not to its timers, not to Kubernetes.

Two of every service watch over three ready clusters. Quiet begins when no act waits for anything
any more, that is when only the timers are left that keep records from ageing out.
"""

import asyncio
from collections.abc import Iterator

import pytest

from sandbox.outside.connection import open_session, read_kubeconfig
from tests.e2e.story import armed_timers, ends_of
from tests.support.fleet import fleet_in, is_settled
from tests.support.kubes import Kube, installed
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("quiet"), pytest.mark.timeout(420)]

QUIET_SECONDS = 60.0
KEEPING = {"refresh"}
WRITTEN = (
    ("/api/v1", "pods"),
    ("/api/v1", "services"),
    ("/api/v1", "serviceaccounts"),
    ("/api/v1", "secrets"),
    ("/apis/events.k8s.io/v1", "events"),
    ("/apis/batch/v1", "jobs"),
    ("/apis/ray.io/v1", "rayclusters"),
)
WRITING = (
    "actions",
    "statuses_written",
    "status_conflicts",
    "decisions",
    "watcher_facts",
    "timers",
)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("quiet"), kube) as installation:
        for name in ("all-1", "all-2"):
            installation.start_service(name, "all")
        for process in installation.members("all"):
            process.wait_ready()
        yield installation


async def versions(here: Installation) -> dict[str, str]:
    """Return the version of everything in our namespace that is written by us or because of us."""
    found: dict[str, str] = {}
    async with open_session(read_kubeconfig(here.kubeconfig)) as session:
        for api, plural in WRITTEN:
            path = f"{api}/namespaces/{here.namespace}/{plural}"
            async with session.get(path, raise_for_status=True) as answer:
                objects = [one["metadata"] for one in (await answer.json())["items"] or ()]
            found |= {f"{plural}/{one['name']}": one["resourceVersion"] for one in objects}
    return found


def counted(here: Installation) -> dict[str, list[str]]:
    """Return what the processes counted of everything that they wrote or tried to."""
    names = tuple(f"heliograph_{name}" for name in WRITING)
    return {
        process.name: sorted(
            line
            for line in process.asked("/metrics")[1].splitlines()
            if line.startswith(names) and "_created" not in line
        )
        for process in here.members("all")
    }


async def state(here: Installation) -> dict[str, object]:
    """Return everything that a write would change."""
    return {
        "ends": await ends_of(here),
        "versions": await versions(here),
        "counted": counted(here),
    }


async def test_nothing_is_written_in_a_quiet_minute(here: Installation) -> None:
    async with fleet_in(here) as (fleet, world):
        for name, workers in {"one": 0, "two": 1, "three": 3}.items():
            await fleet.create(name, workers)
        await world.until(lambda now: is_settled(now, fleet.wanted), "all is as wished")
        async with asyncio.timeout(90):
            while await armed_timers(here) - KEEPING:  # noqa: ASYNC110 - a test
                await asyncio.sleep(0.5)
        seen = len(world.history)
        before = await state(here)

        await asyncio.sleep(QUIET_SECONDS)

        assert await state(here) == before
        assert len(world.history) == seen
        assert any("actions_total" in line for line in counted(here)["all-1"])
