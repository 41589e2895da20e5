"""What is asked of a dashboard, and what is said to have come of it."""

import pytest

from services.executor.jobs import CONTRADICTION, at_dashboard
from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.outcomes import AlreadySo, Done, Outcome, Refused, Unknown
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import StraightDoors
from tests.support.dashboards import SECRET, TOKEN, Script, played, says, token_of
from tests.support.rayjobs import KEY

JSON = "application/json"
TAKEN = "Please use a different submission_id"


async def asked(script: Script, *, stop: bool = False, secret: str = "") -> Outcome:
    async with played(script) as (http, address):
        dashboard = RayDashboards(StraightDoors(http, token_of))
        action = stopping(address) if stop else submitting(address, secret)
        return await at_dashboard(dashboard, KEY, action)


def stopping(address: str) -> StopJob:
    return StopJob(job_id="train-1", address=address, service="s", rule="r", because="b")


def submitting(address: str, secret: str) -> SubmitJob:
    return SubmitJob(
        job_id="train-1",
        address=address,
        service="s",
        rule="r",
        because="b",
        secret=secret,
        request={"entrypoint": "x"},
    )


def answering(status: int, text: str, *, stop: bool = False) -> Script:
    script = Script()
    path = "/api/jobs/train-1/stop" if stop else "/api/jobs/"
    script.plays("POST", path, says(status, text, JSON if text.startswith("{") else "text/plain"))
    return script


async def test_a_job_is_submitted_under_its_id() -> None:
    script = answering(200, '{"job_id": "train-1", "submission_id": "train-1"}')

    assert await asked(script) == Done(uid="train-1")
    (request,) = script.asked
    assert request.json == {"entrypoint": "x", "submission_id": "train-1"}


async def test_a_token_goes_into_the_header_and_nowhere_else() -> None:
    """RayJob checklist 46: a cluster with tokens takes the submission."""
    script = answering(200, '{"job_id": "train-1"}')

    assert await asked(script, secret=SECRET) == Done(uid="train-1")
    assert script.asked[0].headers["x-ray-authorization"] == f"Bearer {TOKEN}"


async def test_a_secret_that_is_gone_is_a_refusal() -> None:
    outcome = await asked(answering(200, "{}"), secret="gone")

    assert isinstance(outcome, Refused)
    assert (outcome.reason, TOKEN in outcome.message) == ("unauthorized", False)


async def test_a_job_that_ray_knows_was_submitted() -> None:
    """RayJob checklist 24: a second submission of the same id is none."""
    outcome = await asked(answering(500, f"Traceback: {TAKEN}."))

    assert outcome == AlreadySo(uid="train-1", resource_version=0)


async def test_a_job_that_ray_neither_takes_nor_finds_is_refused() -> None:
    """Asking again at once would go on for ever: a refusal waits its growing time."""
    script = answering(500, f"Traceback: {TAKEN}.")
    script.plays("GET", "/api/jobs/train-1", says(404, "Job train-1 does not exist", "text/plain"))
    outcome = await asked(script)

    assert outcome == Refused(code=409, reason="taken", message=CONTRADICTION)


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [(400, "bad entrypoint", Refused), (500, "broken", Unknown), (200, "hello", Unknown)],
)
async def test_what_may_have_been_done_is_unknown(
    status: int, text: str, kind: type[Outcome]
) -> None:
    """RayJob checklist 40: an answer that no dashboard gives is no success."""
    assert isinstance(await asked(answering(status, text)), kind)


@pytest.mark.parametrize(("stopped", "kind"), [("true", Done), ("false", AlreadySo)])
async def test_a_job_is_stopped_or_has_ended(stopped: str, kind: type[Outcome]) -> None:
    """RayJob checklist 41: stopped, and ended before, are both fine."""
    script = answering(200, f'{{"stopped": {stopped}}}', stop=True)

    assert isinstance(await asked(script, stop=True), kind)


async def test_a_job_that_nobody_knows_needs_no_stopping() -> None:
    script = answering(404, "Job train-1 does not exist", stop=True)

    assert isinstance(await asked(script, stop=True), AlreadySo)


async def test_a_dashboard_that_is_away_is_told() -> None:
    async with played(Script()) as (http, _):
        dashboard = RayDashboards(StraightDoors(http, token_of))
        outcome = await at_dashboard(dashboard, KEY, stopping("127.0.0.1:9"))

    assert isinstance(outcome, Refused)
    assert outcome.reason == "unreachable"
