"""Every recorded answer of a real dashboard can be read, and every request of ours was recorded."""

import json

import pytest

from shared.dashboard import answers
from shared.dashboard.answers import Answer
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import StraightDoors
from shared.ports.dashboard import Applications, DashboardFailed, Failure, Job
from tests.support.dashboards import (
    RECORDINGS,
    Script,
    place_at,
    played,
    recording,
    replay,
    token_of,
)

pytestmark = pytest.mark.skipif(
    not RECORDINGS.is_dir(), reason="needs ../shared/data/ray-dashboard"
)
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.json")) if RECORDINGS.is_dir() else []


def answer_of(name: str) -> Answer:
    response = recording(name)["response"]
    text = json.dumps(response["body"]) if "body" in response else str(response["text"])
    return Answer(status=int(str(response["status"])), body=text.encode())


def of(prefix: str) -> list[str]:
    return [name for name in NAMES if name.startswith(prefix)]


@pytest.mark.parametrize("name", of("job_get_"))
def test_jobs_are_read(name: str) -> None:
    answer = answer_of(name)
    if answer.status == 404:
        assert answers.unknown_job(answer)
        return
    found = answers.read(answer, Job)

    assert found.status in {"PENDING", "RUNNING", "SUCCEEDED", "FAILED", "STOPPED"}
    assert found.submission_id


@pytest.mark.parametrize("name", [*of("serve_get_"), *of("two_serve_get_")])
def test_applications_are_read(name: str) -> None:
    found = answers.read(answer_of(name), Applications)
    body = recording(name)["response"]["body"]
    assert isinstance(body, dict)

    assert {key: one.status for key, one in found.applications.items()} == {
        key: one["status"] for key, one in body["applications"].items()
    }


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("auth_missing", Failure.UNAUTHORIZED),
        ("auth_wrong", Failure.UNAUTHORIZED),
        ("job_submit_duplicate", Failure.TAKEN),
        ("job_submit_bad_id", Failure.SERVER_ERROR),
        ("job_submit_bad_type", Failure.REFUSED),
        ("job_submit_missing_entrypoint", Failure.REFUSED),
        ("job_submit_not_json", Failure.SERVER_ERROR),
        ("job_stop_unknown", Failure.NOT_FOUND),
        ("job_delete_running", Failure.SERVER_ERROR),
        ("serve_put_target_capacity_101", Failure.REFUSED),
        ("unknown_route", Failure.NOT_FOUND),
        ("jobs_list_no_slash", Failure.NOT_FOUND),
    ],
)
def test_refusals_have_their_class(name: str, failure: Failure) -> None:
    with pytest.raises(DashboardFailed) as failed:
        answers.accept(answer_of(name))

    assert failed.value.failure is failure


async def test_what_we_ask_is_what_was_recorded() -> None:
    script = Script()
    script.records("job_submit_ok", "job_stop_running", "job_delete_terminal", "serve_put_ok")
    script.plays("GET", "/api/jobs/lab-ok", replay(recording("job_get_succeeded")["response"]))
    submitted = recording("job_submit_ok")["request"]["json"]
    config = recording("serve_put_ok")["request"]["json"]
    assert isinstance(submitted, dict)
    assert isinstance(config, dict)
    async with played(script) as (http, address):
        client, place = RayDashboards(StraightDoors(http, token_of)), place_at(address)
        await client.submit(place, "lab-ok", {**submitted, "submission_id": "overwritten"})
        await client.job(place, "lab-ok")
        await client.stop(place, "lab-long")
        await client.delete(place, "lab-long")
        await client.configure(place, config)

    names = ("job_submit_ok", "job_get_succeeded", "job_stop_running", "job_delete_terminal")
    for asked, name in zip(script.asked, (*names, "serve_put_ok"), strict=True):
        request = recording(name)["request"]
        assert (asked.method, asked.path) == (request["method"], request["path"])
        assert asked.json == request.get("json")
