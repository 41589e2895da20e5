"""The ways to a dashboard over HTTP: through the API server, through the door, straight."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from sandbox.api.proxying import named
from sandbox.controllers.rayrules import AnswerRule, RayScript
from sandbox.controllers.scenario import Scenario
from sandbox.errors import ApiError
from sandbox.server import RunningSandbox
from tests.unit.sandbox.api.conftest import opened, until
from tests.unit.sandbox.dashboard.ray_pods import head_service, ray_pod

SERVICE = "/api/v1/namespaces/default/services/first-head-svc"
POD = "/api/v1/namespaces/default/pods/head"
SLOW = RayScript(answers=(AnswerRule(path="/api/jobs/", delay=0.3),))
Served = tuple[RunningSandbox, aiohttp.ClientSession]


@pytest.fixture
async def ray() -> AsyncIterator[Served]:
    async with opened(scenario=Scenario(ray=SLOW)) as (sandbox, session):
        sandbox.cluster.create("services", head_service())
        sandbox.cluster.create("pods", ray_pod("head"))
        await until(lambda: answers(session))
        yield sandbox, session


async def answers(session: aiohttp.ClientSession) -> bool:
    async with session.get(f"{SERVICE}:dashboard/proxy/api/version") as answer:
        return answer.status == 200


async def fetched(session: aiohttp.ClientSession, url: str, **options: Any) -> tuple[int, Any]:
    async with session.get(url, **options) as answer:
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.status, await (answer.json() if is_json else answer.text())


@pytest.mark.parametrize(
    "place",
    [f"{SERVICE}:dashboard", f"{SERVICE}:8265", f"{POD}:8265", f"{POD}:dashboard"],
)
async def test_services_and_pods_are_reached_by_name_and_number(ray: Served, place: str) -> None:
    code, body = await fetched(ray[1], f"{place}/proxy/api/version")

    assert (code, body["ray_version"]) == (200, "2.60.0")


async def test_a_job_goes_in_and_comes_out(ray: Served) -> None:
    sent = {"submission_id": "one", "entrypoint": "true"}
    async with ray[1].post(f"{SERVICE}:dashboard/proxy/api/jobs/", json=sent) as answer:
        assert await answer.json() == {"job_id": "one", "submission_id": "one"}

    code, body = await fetched(ray[1], f"{SERVICE}:dashboard/proxy/api/jobs/one")
    assert (code, body["entrypoint"]) == (200, "true")


async def test_whoever_listens_hears_every_question(ray: Served) -> None:
    heard: list[tuple[str, str]] = []
    ray[0].network.heard = lambda at, ask: heard.append((at.pod["metadata"]["name"], ask.path))
    await fetched(ray[1], f"{SERVICE}:dashboard/proxy/api/version")
    await fetched(ray[1], "http://10.0.0.250:8265/api/version", proxy=ray[0].door.url)

    assert heard == [("head", "/api/version")]


async def test_a_late_answer_is_late(ray: Served) -> None:
    began = asyncio.get_running_loop().time()
    await fetched(ray[1], f"{SERVICE}:dashboard/proxy/api/jobs/")

    assert asyncio.get_running_loop().time() - began >= 0.3


async def test_says_like_an_api_server_that_nobody_answers(ray: Served) -> None:
    missing = await fetched(ray[1], "/api/v1/namespaces/default/services/none:80/proxy/x")
    refused = await fetched(ray[1], f"{POD}:1234/proxy/x")

    assert (missing[0], missing[1]["reason"]) == (404, "NotFound")
    assert (refused[0], refused[1]["reason"]) == (503, "ServiceUnavailable")


async def test_the_door_leads_to_names_and_addresses(ray: Served) -> None:
    door = ray[0].door.url
    address = ray[0].cluster.get("pods", "default", "head")["status"]["podIP"]
    async with aiohttp.ClientSession() as session:
        by_name = "http://first-head-svc.default.svc.cluster.local:8265/api/gcs_healthz"
        name = await fetched(session, by_name, proxy=door)
        number = await fetched(session, f"http://{address}:52365/api/healthz", proxy=door)
        nobody = await fetched(session, "http://nobody.default.svc:1/", proxy=door)

    assert name == (200, "success")
    assert (number[0], nobody[0]) == (200, 502)


async def test_a_head_gets_a_port_of_its_own(ray: Served) -> None:
    async with ray[1].post("/sandbox/dashboards/default/head") as answer:
        url = (await answer.json())["url"]
    async with aiohttp.ClientSession() as session:
        code, _ = await fetched(session, f"{url}/api/version")
    _, listed = await fetched(ray[1], "/sandbox/dashboards")

    assert code == 200
    assert [(item["cluster"], item["url"]) for item in listed["items"]] == [("first", url)]
    assert listed["proxy"] == ray[0].door.url


async def test_who_we_are_to_the_api_server_is_not_passed_on() -> None:
    head = ray_pod("head", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="t0ken")
    async with opened(token="kube") as (sandbox, session):
        session.headers["Authorization"] = "Bearer kube"
        sandbox.cluster.create("services", head_service())
        sandbox.cluster.create("pods", head)
        place = f"{SERVICE}:dashboard/proxy/api"

        async def well() -> bool:
            return (await fetched(session, f"{place}/gcs_healthz"))[0] == 200

        await until(well)
        ours = {"x-ray-authorization": "Bearer t0ken"}

        assert (await fetched(session, f"{place}/version"))[0] == 401
        assert (await fetched(session, f"{place}/version", headers=ours))[0] == 200


def test_parts_the_name_of_a_proxied_object() -> None:
    assert [(n.name, n.port) for n in (named("a"), named("a:b"), named("http:a:80"))] == [
        ("a", ""),
        ("a", "b"),
        ("a", "80"),
    ]
    with pytest.raises(ApiError):
        named("ftp:a:80:x")
