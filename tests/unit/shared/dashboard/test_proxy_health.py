"""Whether a Serve proxy is well: yes, no, or no answer. Only what is about the pod counts."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, web
from msgspec import Struct

from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import Doors, ProxyDoors, StraightDoors
from shared.ports.dashboard import Times
from tests.support.dashboards import Play, Script, played, says, token_of

HEALTH = "/-/healthz"
THROUGH = "/api/v1/namespaces/prod/pods/head:8000/proxy/-/healthz"
QUICK = Times(health=0.2)


class Stage(Struct, frozen=True):
    """A scripted proxy, and a scripted API server, at one address."""

    script: Script
    http: ClientSession
    address: str

    async def straight(self, *answers: Play) -> bool | None:
        """Ask the pod itself."""
        self.script.plays("GET", HEALTH, *answers)
        host, _, port = self.address.rpartition(":")
        return await _asked(StraightDoors(self.http, token_of), host, int(port))

    async def through(self, *answers: Play, address: str = "") -> bool | None:
        """Ask through an API server."""
        self.script.plays("GET", THROUGH, *answers)
        server = f"http://{address or self.address}"
        return await _asked(ProxyDoors(self.http, server, _nobody, token_of), "10.0.0.1", 8000)


async def _asked(doors: Doors, ip: str, port: int) -> bool | None:
    return await RayDashboards(doors, QUICK).proxy_is_well("prod", "head", ip, port)


async def _nobody() -> dict[str, str]:
    return {}


async def hang(_: web.Request) -> web.StreamResponse:
    await asyncio.sleep(2)
    return web.Response()


async def hang_up(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    script = Script()
    async with played(script) as (http, address):
        yield Stage(script, http, address)


@pytest.mark.parametrize(("status", "well"), [(200, True), (503, False), (404, False)])
async def test_what_the_proxy_says_counts_whichever_way_it_was_asked(
    stage: Stage, status: int, *, well: bool
) -> None:
    assert await stage.straight(says(status, "")) is well
    assert await stage.through(says(status, "")) is well


async def test_an_answer_that_does_not_come_in_time_is_none(stage: Stage) -> None:
    assert await stage.straight(hang) is None
    assert await stage.through(hang) is None


async def test_a_pod_that_refuses_or_hangs_up_has_said_no(stage: Stage) -> None:
    nobody = await _asked(StraightDoors(stage.http, token_of), "127.0.0.1", 1)

    assert nobody is False
    assert await stage.straight(hang_up) is False


async def test_an_api_server_that_is_away_says_nothing_of_the_pod(stage: Stage) -> None:
    assert await stage.through(address="127.0.0.1:1") is None
    assert await stage.through(hang_up) is None
