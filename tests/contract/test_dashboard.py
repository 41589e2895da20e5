"""One suite for every Ray dashboard: jobs and health. Serve: `test_dashboard_serve.py`."""

from collections.abc import AsyncIterator, Iterator

import pytest

from shared.ports.dashboard import Failure
from tests.support.dashboards import recording
from tests.support.dashboardworlds import (
    KINDS,
    World,
    failure_of,
    living,
    needs_recordings,
    playing,
    real_head,
    until,
)

pytestmark = pytest.mark.xdist_group("ray on this machine")
ENDED = {"SUCCEEDED", "FAILED", "STOPPED"}
PLAYED = (
    *("job_submit_ok", "job_submit_duplicate", "job_get_just_submitted", "job_get_succeeded"),
    *("job_get_running", "job_get_right_after_stop", "job_get_stopped", "job_get_deleted"),
    *("job_stop_running", "job_stop_again", "job_delete_running", "job_delete_terminal"),
    *("job_get_unknown", "job_stop_unknown", "job_delete_unknown", "jobs_list"),
    *("serve_get_not_started", "serve_put_bad_schema", "gcs_healthz"),
)


@pytest.fixture(scope="module")
def ray_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real head, for the whole module."""
    with real_head(tmp_path_factory.mktemp("head")) as address:
        yield address


@pytest.fixture(params=KINDS)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """Give a dashboard of each kind."""
    if request.param == "ray":
        async with living(request.getfixturevalue("ray_address"), 0) as real:
            yield real
        return
    async with playing(request.param) as played:
        played.hears(*PLAYED)
        yield played


def asked(name: str) -> dict[str, object]:
    """Return the body of a recorded request, without the id."""
    body = recording(name)["request"]["json"]
    assert isinstance(body, dict)
    return {key: value for key, value in body.items() if key != "submission_id"}


@needs_recordings
async def test_a_job_is_submitted_once_under_our_id_and_followed_to_its_end(world: World) -> None:
    request = asked("job_submit_ok")

    assert await world.submits("lab-ok", request) == "lab-ok"
    assert await failure_of(world.client.submit(world.place, "lab-ok", request)) is Failure.TAKEN

    ended = await world.becomes("lab-ok", *ENDED)

    assert (ended.status, ended.submission_id) == ("SUCCEEDED", "lab-ok")
    assert ended.start_time is not None
    assert ended.end_time is not None
    assert ended.end_time >= ended.start_time


async def test_a_job_that_nobody_submitted_is_not_known(world: World) -> None:
    client, place = world.client, world.place

    assert await client.job(place, "lab-unknown") is None
    assert await failure_of(client.stop(place, "lab-unknown")) is Failure.NOT_FOUND
    assert await failure_of(client.delete(place, "lab-unknown")) is Failure.NOT_FOUND


@needs_recordings
async def test_a_running_job_is_stopped_before_it_can_be_forgotten(world: World) -> None:
    client, place = world.client, world.place
    await world.submits("lab-long", asked("job_submit_long"))
    await world.becomes("lab-long", "RUNNING")

    assert await failure_of(client.delete(place, "lab-long")) is Failure.SERVER_ERROR
    assert await client.stop(place, "lab-long") is True

    await world.becomes("lab-long", "STOPPED")

    async def over() -> bool:
        return not await client.stop(place, "lab-long")

    await until(over)  # a real one may take another word for a moment after it said STOPPED
    assert await client.delete(place, "lab-long") is True
    assert await client.job(place, "lab-long") is None


async def test_every_job_is_listed(world: World) -> None:
    for job in await world.client.jobs(world.place):
        assert job.status in {"PENDING", "RUNNING", *ENDED}
        assert job.submission_id or job.type == "DRIVER"


async def test_before_serve_is_started_it_runs_nothing(world: World) -> None:
    found = await world.client.applications(world.place)

    assert dict(found.applications) == {}
    assert found.target_capacity is None


async def test_a_configuration_that_makes_no_sense_is_refused(world: World) -> None:
    config = {"applications": [{"name": "echo"}]}

    assert await failure_of(world.client.configure(world.place, config)) is Failure.REFUSED


async def test_a_head_that_is_well_says_so(world: World) -> None:
    await world.client.check(world.place)
