"""Calls to a dashboard: exactly what is asked, and what each way of failing is called."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, web
from msgspec import Struct

from shared.dashboard.answers import BODY_MAX
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import ProxyDoors, StraightDoors
from shared.ports.dashboard import DashboardFailed, Failure, Job, Place, Times
from tests.support.dashboards import SECRET, TOKEN, Script, place_at, played, says, token_of

JOB = "/api/jobs/demo-1"
APPLICATIONS = "/api/serve/applications/"
NO_SERVICE = '{"kind": "Status", "code": 404, "message": "services \\"demo-head-svc\\" not found"}'
NO_ENDPOINTS = '{"kind": "Status", "code": 503, "message": "no endpoints available for service"}'
FORBIDDEN = '{"kind": "Status", "code": 403, "message": "services/proxy is forbidden"}'
QUICK = Times(health=0.2, read=0.2, write=0.2, serve=0.2)


class Stage(Struct, frozen=True):
    """A scripted dashboard and the client that asks it."""

    script: Script
    http: ClientSession
    address: str

    @property
    def client(self) -> RayDashboards:
        return RayDashboards(StraightDoors(self.http, token_of), QUICK)

    @property
    def place(self) -> Place:
        return place_at(self.address)

    async def fails(self, *answers: object) -> DashboardFailed:
        """Ask for a job that is answered like this."""
        self.script.plays("GET", JOB, *answers)  # type: ignore[arg-type]
        with pytest.raises(DashboardFailed) as failed:
            await self.client.job(self.place, "demo-1")
        return failed.value


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    script = Script()
    async with played(script) as (http, address):
        yield Stage(script, http, address)


@pytest.mark.parametrize(
    ("status", "text", "failure"),
    [
        (401, "Unauthorized: Missing authentication token", Failure.UNAUTHORIZED),
        (403, "Forbidden: Invalid authentication token", Failure.UNAUTHORIZED),
        (400, "Traceback (most recent call last):\n  x\nTypeError: no", Failure.REFUSED),
        (404, "404: Not Found", Failure.NOT_FOUND),
        (500, "Traceback (most recent call last):\n  x\nValueError: no", Failure.SERVER_ERROR),
        (500, "job x already exists. Please use a different submission_id.", Failure.TAKEN),
        (503, "busy", Failure.SERVER_ERROR),
        (429, "slowly", Failure.SERVER_ERROR),
        (302, "", Failure.GARBAGE),
        (200, "not json", Failure.GARBAGE),
        (200, "[]", Failure.GARBAGE),
        (200, '{"job_id": "x"}', Failure.GARBAGE),
        (200, '{"status": 7}', Failure.GARBAGE),
        (200, "[" * 100_000, Failure.GARBAGE),
        (404, NO_SERVICE, Failure.UNREACHABLE),
        (503, NO_ENDPOINTS, Failure.UNREACHABLE),
        (403, FORBIDDEN, Failure.UNAUTHORIZED),
    ],
)
async def test_every_failure_has_a_class(
    stage: Stage, status: int, text: str, failure: Failure
) -> None:
    assert (await stage.fails(says(status, text))).failure is failure


async def test_only_the_dashboards_own_word_makes_a_job_unknown(stage: Stage) -> None:
    stage.script.plays("GET", JOB, says(404, "Job demo-1 does not exist"))

    assert await stage.client.job(stage.place, "demo-1") is None

    stranger = '{"kind": "Status", "code": 404, "message": "service x does not exist"}'

    assert (await stage.fails(says(404, stranger))).failure is Failure.UNREACHABLE


async def test_of_a_traceback_only_the_end_is_told(stage: Stage) -> None:
    text = "Traceback (most recent call last):\n  File x\nRuntimeError: it is still running.\n.\n"

    told = await stage.fails(says(500, text))

    assert told.message == "the dashboard answered 500: RuntimeError: it is still running."
    assert told.status == 500


async def test_a_long_complaint_is_cut(stage: Stage) -> None:
    assert len((await stage.fails(says(400, "x" * 100_000))).message) < 1100


async def test_an_answer_without_end_is_not_read_to_the_end(stage: Stage) -> None:
    async def flood(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(2 * BODY_MAX // 2**20):
            await response.write(b" " * 2**20)
        return response

    client = RayDashboards(StraightDoors(stage.http, token_of), Times(read=20))
    stage.script.plays("GET", JOB, flood)
    with pytest.raises(DashboardFailed, match="more than") as failed:
        await client.job(stage.place, "demo-1")

    assert failed.value.failure is Failure.GARBAGE


async def test_silence_ends_within_the_bound_of_the_call(stage: Stage) -> None:
    async def hang(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(5)
        return web.Response()

    loop = asyncio.get_running_loop()
    began = loop.time()
    told = await stage.fails(hang)

    assert told.failure is Failure.TIMEOUT
    assert loop.time() - began < 3


async def test_a_connection_that_breaks_is_no_answer(stage: Stage) -> None:
    async def hang_up(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    assert (await stage.fails(hang_up)).failure is Failure.SERVER_ERROR


@pytest.mark.parametrize("address", ["127.0.0.1:1", "no-such-host.invalid:8265", "a b", "x:99999"])
async def test_nobody_there_is_unreachable(stage: Stage, address: str) -> None:
    with pytest.raises(DashboardFailed) as failed:
        await stage.client.check(place_at(address))

    assert failed.value.failure is Failure.UNREACHABLE


async def test_unknown_fields_and_nothings_are_no_trouble(stage: Stage) -> None:
    text = '{"status": "RUNNING", "message": null, "end_time": null, "start_time": 5, "new": [1]}'
    stage.script.plays("GET", JOB, says(200, text))

    assert await stage.client.job(stage.place, "demo-1") == Job(status="RUNNING", start_time=5)


async def test_an_id_never_adds_a_step_to_the_path(stage: Stage) -> None:
    with pytest.raises(DashboardFailed):
        await stage.client.job(stage.place, "../serve?x=1#y")

    assert stage.script.asked[0].path == "/api/jobs/..%2Fserve%3Fx%3D1%23y"


async def test_the_token_is_sent_read_anew_and_never_shown(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    place = place_at(stage.address, secret=SECRET)
    stage.script.plays("GET", JOB, says(403, f"Forbidden: {TOKEN} is wrong"))
    with pytest.raises(DashboardFailed) as failed:
        await stage.client.job(place, "demo-1")

    assert stage.script.asked[0].headers["x-ray-authorization"] == f"Bearer {TOKEN}"
    assert TOKEN not in str(failed.value)
    assert TOKEN not in repr(await StraightDoors(stage.http, token_of).door(place))
    assert TOKEN not in caplog.text


async def test_without_a_secret_nothing_is_asked_and_nothing_told(stage: Stage) -> None:
    stage.script.plays("GET", "/api/gcs_healthz", says(200, "success"))
    await stage.client.check(stage.place)

    assert "x-ray-authorization" not in stage.script.asked[0].headers

    with pytest.raises(DashboardFailed, match="failed to get auth secret prod/other") as failed:
        await stage.client.check(place_at(stage.address, secret="other"))

    assert failed.value.failure is Failure.UNAUTHORIZED
    assert len(stage.script.asked) == 1


async def test_no_redirect_is_followed(stage: Stage) -> None:
    async def elsewhere(_: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("/elsewhere")

    assert (await stage.fails(elsewhere)).failure is Failure.GARBAGE
    assert [one.path for one in stage.script.asked] == [JOB]


async def test_through_the_api_server_the_path_is_longer_and_says_who_we_are(stage: Stage) -> None:
    async def identity() -> dict[str, str]:
        return {"Authorization": "Bearer of-the-operator"}

    doors = ProxyDoors(stage.http, f"http://{stage.address}/", identity, token_of)
    path = "/api/v1/namespaces/prod/services/demo-head-svc:dashboard/proxy/api/gcs_healthz"
    stage.script.plays("GET", path, says(200, "success"))
    await RayDashboards(doors).check(place_at("not-used:1", secret=SECRET))

    (asked,) = stage.script.asked
    assert asked.path == path
    assert asked.headers["authorization"] == "Bearer of-the-operator"
    assert asked.headers["x-ray-authorization"] == f"Bearer {TOKEN}"


async def test_a_configuration_is_put_as_it_is(stage: Stage) -> None:
    stage.script.plays("PUT", APPLICATIONS, says(200, ""))
    await stage.client.configure(stage.place, {"applications": [], "target_capacity": 50})

    (asked,) = stage.script.asked
    assert asked.json == {"applications": [], "target_capacity": 50}
    assert asked.headers["content-type"] == "application/json"


async def test_serve_is_asked_for_what_was_declared(stage: Stage) -> None:
    body = '{"applications": {"a": {"status": "RUNNING", "deployments": {"D": {}}}}, "x": 1}'
    stage.script.plays("GET", APPLICATIONS, says(200, body))
    found = await stage.client.applications(stage.place)

    assert stage.script.asked[0].path == f"{APPLICATIONS}?api_type=declarative"
    assert found.applications["a"].status == "RUNNING"
    assert found.applications["a"].deployments["D"].status == ""


async def test_a_head_that_is_not_well_is_not_taken_for_well(stage: Stage) -> None:
    stage.script.plays("GET", "/api/gcs_healthz", says(200, "hello"))
    with pytest.raises(DashboardFailed) as failed:
        await stage.client.check(stage.place)

    assert failed.value.failure is Failure.GARBAGE
