"""The log subresource: which container, which lines, and following to the end."""

import asyncio
from typing import Any

import aiohttp

from sandbox.controllers.scenario import ContainerExit, LogLines, PodRule, Scenario
from sandbox.server import RunningSandbox
from tests.unit.sandbox.api.conftest import opened, until

PLACE = "/api/v1/namespaces/default/pods/talker/log"
LINES = tuple(f"line {number}" for number in range(5))
QUICK = PodRule(
    run_after=0.05,
    ready_after=0.05,
    logs=(LogLines(container="main", lines=LINES, every=0.0),),
)
SLOW = PodRule(
    run_after=0.05,
    logs=(LogLines(lines=LINES, every=0.2),),
    exits=(ContainerExit(after=1.2, exit_code=0),),
)


def talker(*containers: str) -> dict[str, Any]:
    return {
        "metadata": {"name": "talker", "namespace": "default"},
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": name, "image": "i"} for name in containers or ("main",)],
        },
    }


async def running(sandbox: RunningSandbox) -> None:
    async def begun() -> bool:
        pod = sandbox.cluster.get("pods", "default", "talker")
        return bool(pod["status"]["phase"] != "Pending")

    await until(begun)


async def text(session: aiohttp.ClientSession, **query: str) -> str:
    async with session.get(PLACE, params=query) as answer:
        return await answer.text()


async def test_prints_what_the_script_says() -> None:
    async with opened(scenario=Scenario(otherwise=QUICK)) as (sandbox, session):
        sandbox.cluster.create("pods", talker())
        await running(sandbox)

        assert await text(session) == "".join(f"{line}\n" for line in LINES)
        assert await text(session, tailLines="2") == "line 3\nline 4\n"
        assert await text(session, tailLines="0") == ""
        assert await text(session, limitBytes="4") == "line"
        assert (await text(session, timestamps="true")).startswith("20")


async def test_asks_which_container_is_meant() -> None:
    async with opened(scenario=Scenario(otherwise=QUICK)) as (sandbox, session):
        sandbox.cluster.create("pods", talker("main", "side"))
        await running(sandbox)
        many, wrong = await text(session), await text(session, container="no")

        assert "choose one of: [main side]" in many
        assert "container no is not valid for pod talker" in wrong
        assert await text(session, container="side") == ""


async def test_says_that_nothing_runs_yet() -> None:
    waits = Scenario(otherwise=PodRule(run_after=60))
    async with opened(scenario=waits) as (sandbox, session):
        sandbox.cluster.create("pods", talker())

        assert "is waiting to start: ContainerCreating" in await text(session)
        assert "previous terminated container" in await text(session, previous="true")
        async with session.get(PLACE.replace("talker", "none")) as answer:
            assert answer.status == 404


async def test_gives_no_answer_for_a_pod_without_a_node() -> None:
    nowhere = Scenario(otherwise=PodRule(unschedulable="too small"))
    async with opened(scenario=nowhere) as (sandbox, session):
        sandbox.cluster.create("pods", talker())

        async with session.get(PLACE) as answer:
            assert (answer.status, await answer.text()) == (204, "")
        assert "container no is not valid" in await text(session, container="no")


async def test_follows_one_run_only() -> None:
    again = PodRule(
        run_after=0.05,
        restart_after=0.05,
        logs=(LogLines(lines=LINES, every=0.0),),
        exits=(ContainerExit(after=1.0, times=50),),
    )
    async with opened(scenario=Scenario(otherwise=again)) as (sandbox, session):
        pod = talker()
        sandbox.cluster.create("pods", {**pod, "spec": {"containers": pod["spec"]["containers"]}})
        await running(sandbox)
        async with asyncio.timeout(10):
            followed = await text(session, follow="true")

        assert followed == "".join(f"{line}\n" for line in LINES)


async def test_a_limit_ends_what_is_followed() -> None:
    async with opened(scenario=Scenario(otherwise=SLOW)) as (sandbox, session):
        sandbox.cluster.create("pods", talker())
        await running(sandbox)
        async with asyncio.timeout(10):
            assert await text(session, follow="true", limitBytes="9") == "line 0\nli"


async def test_follows_to_the_end_of_the_container() -> None:
    async with opened(scenario=Scenario(otherwise=SLOW)) as (sandbox, session):
        sandbox.cluster.create("pods", talker())
        await running(sandbox)
        async with asyncio.timeout(10):
            followed = await text(session, follow="true")

        assert followed == "".join(f"{line}\n" for line in LINES)
