"""An executor that looks on: no call of it changes anything, and what it looks for it finds."""

import asyncio

import pytest
from msgspec.structs import replace

from services.executor import shadow
from services.executor.service import Executor, ExecutorSettings
from services.executor.shadow import Onlooker, at_dashboard, holds
from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import (
    Action,
    ConfigureServe,
    ConfirmObject,
    PatchObject,
    PostNotice,
    RayAction,
)
from shared.actions.outcomes import AlreadySo, Gone, Outcome, Overtaken
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import StraightDoors
from shared.events.modes import NOT_DONE
from tests.support.builders import FORMER_UID, KEY, creation, deletion
from tests.support.dashboards import Script, played, says, token_of
from tests.unit.services.executor.acted import World, deletion_of, job_of, version_of

UNDONE = Overtaken(because=NOT_DONE)
READING = {"get", "list"}
CHANGE = PatchObject(
    kind="pod",
    name="w1",
    uid="u",
    patch={"metadata": {"labels": {"a": "b"}}},
    rule="r",
    because="b",
)
NOTICE = PostNotice(warning=True, reason="Odd", action="Look", message="m", rule="r", because="b")


@pytest.fixture(autouse=True)
def _one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shadow, "LOOKS", 1)


async def perform(world: World, action: Action) -> Outcome:
    outcome = await Onlooker(world.port).perform(job_of(action), action)
    assert {one.verb for one in world.requests} <= READING
    return outcome


@pytest.mark.parametrize("action", [creation("w1"), deletion("w1"), CHANGE, NOTICE])
async def test_nothing_is_done_nor_even_looked_at(action: Action) -> None:
    world = World()

    assert await perform(world, action) == UNDONE
    assert world.requests == []


async def test_what_stayed_unseen_is_read() -> None:
    confirm = ConfirmObject(kind="pod", name="w1", rule="confirm", because="unseen")
    world = World()
    assert isinstance(await perform(world, confirm), Gone)
    there = world.pod("w1")

    assert await perform(world, confirm) == AlreadySo(
        uid=there["metadata"]["uid"], resource_version=version_of(there)
    )


async def test_a_label_that_the_other_set_on_somebody_elses_pod_is_found() -> None:
    world, action = World(), replace(CHANGE, owner=FORMER_UID)
    assert await perform(world, action) == UNDONE
    world.pod("w1", owner=FORMER_UID)
    assert await perform(world, action) == UNDONE
    label = {"metadata": {"labels": {"a": "b"}}}
    world.cluster.patch("pods", KEY.namespace, "w1", label)
    world.requests.clear()

    assert isinstance(await perform(world, action), AlreadySo)


@pytest.mark.parametrize(
    ("stored", "patch", "so"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, True),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, False),
        ({"a": {}}, {"a": {"b": None}}, True),
        ({"a": {"b": 1}}, {"a": {"b": None}}, False),
        ({}, {"a": {"b": 1}}, False),
        ({"a": [1, 2]}, {"a": [1]}, False),
    ],
)
def test_a_patch_that_would_change_nothing_is_so(
    stored: dict[str, object], patch: dict[str, object], *, so: bool
) -> None:
    assert holds(stored, patch) is so


async def shown(action: RayAction, path: str, status: int, text: str) -> bool:
    script = Script()
    script.plays("GET", path, says(status, text, "application/json"))
    async with played(script) as (http, address):
        dashboard = RayDashboards(StraightDoors(http, token_of))
        found = await at_dashboard(dashboard, KEY, replace(action, address=address))
    assert {one.method for one in script.asked} == {"GET"}
    return found


JOB = "/api/jobs/train-1"
SUBMIT = SubmitJob(job_id="train-1", address="", service="s", rule="r", because="b")
STOP = StopJob(job_id="train-1", address="", service="s", rule="r", because="b")
SERVE = ConfigureServe(
    cluster="c",
    digest="d",
    address="",
    service="s",
    rule="r",
    because="b",
    config={"applications": [{"name": "stand", "import_path": "fruit.stand"}]},
)
SERVES = "/api/serve/applications/"


@pytest.mark.parametrize(
    ("action", "path", "text", "so"),
    [
        (SUBMIT, JOB, '{"status": "RUNNING", "type": "SUBMISSION"}', True),
        (STOP, JOB, '{"status": "RUNNING", "type": "SUBMISSION"}', False),
        (STOP, JOB, '{"status": "STOPPED", "type": "SUBMISSION"}', True),
        (SERVE, SERVES, '{"applications": {"stand": {"status": "DEPLOYING"}}}', True),
        (SERVE, SERVES, '{"applications": {"other": {"status": "RUNNING"}}}', False),
        (SERVE, SERVES, '{"applications": {}}', False),
    ],
)
async def test_a_dashboard_is_asked_and_told_nothing(
    action: RayAction, path: str, text: str, *, so: bool
) -> None:
    assert await shown(action, path, 200, text) is so


async def test_a_dashboard_that_breaks_shows_nothing() -> None:
    assert await shown(SERVE, SERVES, 500, "{}") is False


async def test_an_act_is_answered_and_the_cluster_is_as_it_was() -> None:
    world = World()
    there = world.pod("w2")
    executor = Executor(
        world.server.connect("executor"),
        world.port,
        world.server.clock,
        "test",
        wishes=ExecutorSettings(shadow=True),
    )
    task = asyncio.create_task(executor.run())
    await world.ask(creation("w1"), deletion_of(there), NOTICE)

    assert await world.outcomes() == (UNDONE,) * 3
    task.cancel()
    assert world.names() == ["w2"]
    assert {one.verb for one in world.requests} <= READING | {"list"}
