"""The sandbox's own calls: trouble on demand, scenarios at run time, processes that end."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from sandbox.objects import Object
from sandbox.server import RunningSandbox
from tests.unit.sandbox.api.conftest import until
from tests.unit.sandbox.widgets import configmap

MAPS = "/api/v1/namespaces/default/configmaps"
POD: Object = {
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {"containers": [{"name": "main", "image": "i"}]},
}
Served = tuple[RunningSandbox, aiohttp.ClientSession]


async def call(session: aiohttp.ClientSession, method: str, path: str, body: Any = None) -> Any:
    async with session.request(method, path, json=body) as answer:
        return await answer.json()


async def code(session: aiohttp.ClientSession, path: str = MAPS) -> int:
    async with session.get(path) as answer:
        return answer.status


async def test_a_rule_strikes_and_is_cleared(served: Served) -> None:
    _, session = served
    await call(session, "POST", "/sandbox/troubles", {"resource": "configmaps", "code": 429})
    struck = await code(session), await code(session, "/api/v1/namespaces/default/secrets")
    await call(session, "DELETE", "/sandbox/troubles")

    assert (*struck, await code(session)) == (429, 200, 200)


async def test_tells_what_is_wrong_with_a_rule(served: Served) -> None:
    told = await call(served[1], "POST", "/sandbox/troubles", {"nonsense": 1})

    assert (told["code"], "unknown field `nonsense`" in told["message"]) == (400, True)


async def test_the_server_goes_down_and_comes_back(served: Served) -> None:
    _, session = served
    await call(session, "POST", "/sandbox/down", {"seconds": 0.5})
    with pytest.raises(aiohttp.ClientError):
        await code(session)

    async def back() -> bool:
        try:
            return await code(session) == 200
        except aiohttp.ClientError:
            return False

    await until(back)


async def test_an_answer_is_lost_after_the_deed(served: Served) -> None:
    sandbox, session = served
    rule = {"verb": "create", "lose_answer": True, "times": 1}
    await call(session, "POST", "/sandbox/troubles", rule)
    with pytest.raises(aiohttp.ClientError):
        await call(session, "POST", MAPS, configmap())

    assert len(sandbox.cluster.list("configmaps", "default").items) == 1


async def test_a_list_is_read_from_the_past(served: Served) -> None:
    sandbox, session = served
    sandbox.cluster.create("configmaps", configmap())
    await call(session, "POST", "/sandbox/troubles", {"verb": "list", "stale_by": 1, "times": 1})

    assert (await call(session, "GET", MAPS))["items"] == []
    assert len((await call(session, "GET", MAPS))["items"]) == 1


async def test_hangs_and_then_breaks(served: Served) -> None:
    _, session = served
    await call(session, "POST", "/sandbox/troubles", {"hang": 0.1})
    with pytest.raises(aiohttp.ClientError):
        await code(session)


async def watched(session: aiohttp.ClientSession, seen: list[str]) -> str:
    """Watch to the end; tell how it ended."""
    try:
        async with session.get(MAPS, params={"watch": "1"}) as answer:
            async for line in answer.content:
                seen += [json.loads(line)["type"]]
    except aiohttp.ClientError:
        return "broken"
    return "ended"


@pytest.mark.parametrize(("abruptly", "end"), [(False, "ended"), (True, "broken")])
async def test_open_watches_are_ended(served: Served, abruptly: bool, end: str) -> None:
    sandbox, session = served
    sandbox.cluster.create("configmaps", configmap())
    seen: list[str] = []
    watch = asyncio.create_task(watched(session, seen))
    await until(lambda: _there(seen))
    asked = {"resource": "configmaps", "abruptly": abruptly}
    ended = await call(session, "POST", "/sandbox/watches/end", asked)

    assert ended == {"watchesEnded": 1}
    assert (await watch, seen) == (end, ["ADDED"])


async def _there(seen: list[str]) -> bool:
    return bool(seen)


async def test_a_watch_lags_and_ends_by_rule(served: Served) -> None:
    sandbox, session = served
    rule = {"verb": "watch", "lag": 0.3, "end_after": 0.8, "times": 1}
    await call(session, "POST", "/sandbox/troubles", rule)
    seen: list[str] = []
    watch = asyncio.create_task(watched(session, seen))
    await asyncio.sleep(0.1)
    sandbox.cluster.create("configmaps", configmap())
    await asyncio.sleep(0.1)
    early = list(seen)

    assert (early, await watch, seen) == ([], "ended", ["ADDED"])


async def test_a_process_is_ended_from_outside(served: Served) -> None:
    sandbox, session = served
    sandbox.cluster.create("pods", POD)

    def status() -> Any:
        return sandbox.cluster.get("pods", "default", "p")["status"]

    await until(lambda: _is(status(), "Running"))
    await call(session, "POST", "/sandbox/pods/default/p/exit", {"exit_code": 7})

    async def restarted() -> bool:
        [container] = status()["containerStatuses"]
        return bool(container["restartCount"] == 1)

    await until(restarted)
    assert status()["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 7


async def _is(status: Any, phase: str) -> bool:
    return bool(status.get("phase") == phase)


async def test_a_node_is_lost_and_found(served: Served) -> None:
    sandbox, session = served
    sandbox.cluster.create("nodes", {"metadata": {"name": "n"}})

    async def ready(expected: str) -> bool:
        [node] = sandbox.cluster.list("nodes").items
        conditions = node.get("status", {}).get("conditions", [])
        return [each["status"] for each in conditions] == [expected]

    await until(lambda: ready("True"))
    await call(session, "POST", "/sandbox/nodes/n/lose")
    await until(lambda: ready("Unknown"))
    await call(session, "POST", "/sandbox/nodes/n/restore")
    await until(lambda: ready("True"))


async def test_another_scenario_holds_from_now_on(served: Served) -> None:
    sandbox, session = served
    await call(session, "PUT", "/sandbox/scenario", {"otherwise": {"never_ready": True}})
    wrong = await call(session, "PUT", "/sandbox/scenario", {"otherwise": {"never": True}})

    assert sandbox.cluster.scenario.otherwise.never_ready
    assert "unknown field `never`" in wrong["message"]
    assert "POST /sandbox/down" in await call(session, "GET", "/sandbox")
