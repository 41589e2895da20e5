"""A steady system writes nothing: not to the log, not to its timers, not to Kubernetes.

Two of every service watch over three ready clusters. Quiet begins when no act waits for anything
any more, that is when only the timers are left that keep records from ageing out.
"""

import asyncio
from collections.abc import Iterator

import aiohttp
import pytest

from tests.e2e.story import armed_timers, ends_of
from tests.support.fleet import fleet_in, is_settled
from tests.support.processes import Installation, installed, wait_until

pytestmark = [pytest.mark.xdist_group("quiet"), pytest.mark.timeout(240)]

QUIET_SECONDS = 60.0
KEEPING = {"refresh"}
WRITING = (
    "actions",
    "statuses_written",
    "status_conflicts",
    "decisions",
    "watcher_facts",
    "timers",
)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("quiet")) as installation:
        for name in ("all-1", "all-2"):
            installation.start_service(name, "all")
        processes = installation.members("all")
        wait_until(lambda: all(one.ready for one in processes), "both processes are ready")
        yield installation


async def revision(here: Installation) -> str:
    """Return the revision of Kubernetes: every stored write makes it greater."""
    async with (
        aiohttp.ClientSession(here.sandbox_url) as session,
        session.get("/api/v1/namespaces") as answer,
    ):
        version: str = (await answer.json())["metadata"]["resourceVersion"]
        return version


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
        "revision": await revision(here),
        "counted": counted(here),
    }


async def test_nothing_is_written_in_a_quiet_minute(here: Installation) -> None:
    async with fleet_in(here.sandbox_url, "quiet") as (fleet, world):
        for name, workers in {"one": 0, "two": 1, "three": 3}.items():
            await fleet.create(name, workers)
        await world.until(lambda now: is_settled(now, fleet.wanted), "all is as wished", 60)
        async with asyncio.timeout(60):
            while await armed_timers(here) - KEEPING:  # noqa: ASYNC110 - a test
                await asyncio.sleep(0.5)
        seen = len(world.history)
        before = await state(here)

        await asyncio.sleep(QUIET_SECONDS)

        assert await state(here) == before
        assert len(world.history) == seen
        assert any("actions_total" in line for line in counted(here)["all-1"])
