"""One suite for Serve behind every Ray dashboard: what is told, what is run, what takes requests.

The real Serve lives through the whole module; every test says first what it shall run.
"""

from collections.abc import AsyncIterator, Iterator

import pytest

from shared.ports.dashboard import Failure, Request
from tests.support.dashboardworlds import (
    KINDS,
    World,
    failure_of,
    free_port,
    living,
    playing,
    real_head,
    until,
)

pytestmark = pytest.mark.xdist_group("ray on this machine")


@pytest.fixture(scope="module")
def ray_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real head, for the whole module."""
    with real_head(tmp_path_factory.mktemp("head")) as address:
        yield address


@pytest.fixture(scope="module")
def proxy_port() -> int:
    """Where the real proxy shall listen: Serve takes it from the first it is told."""
    return free_port()


@pytest.fixture(params=KINDS)
async def world(request: pytest.FixtureRequest, proxy_port: int) -> AsyncIterator[World]:
    """Give a dashboard of each kind."""
    if request.param == "ray":
        async with living(request.getfixturevalue("ray_address"), proxy_port) as real:
            yield real
        return
    async with playing(request.param) as played:
        yield played


def app(name: str = "echo", module: str = "labapp", **more: object) -> Request:
    return {"name": name, "route_prefix": f"/{name}", "import_path": f"{module}:app", **more}


def echo(greeting: str = "v1", replicas: int = 1) -> Request:
    deployment = {
        "name": "Echo",
        "num_replicas": replicas,
        "user_config": {"greeting": greeting},
    }
    return app(deployments=[deployment])


def config(world: World, *apps: Request, **more: object) -> Request:
    host, port = world.proxy
    proxied = {"http_options": {"host": host, "port": port}} if world.living else {}
    return {"applications": list(apps), **proxied, **more}


async def test_an_application_that_is_told_comes_to_run(world: World) -> None:
    world.hears("serve_put_ok", "serve_get_deploying", "serve_get_running", "serve_proxy_healthz")

    await world.serves(config(world, echo()))
    running = await world.until_app("echo", "RUNNING")

    assert {name: each.status for name, each in running.deployments.items()} == {"Echo": "HEALTHY"}
    assert (await world.client.applications(world.place)).target_capacity is None
    await until(world.is_well)


async def test_what_is_told_again_is_deployed_again_without_touching_what_runs(
    world: World,
) -> None:
    """A real one says for a moment that it deploys, though its replicas are well all the while."""
    world.hears("serve_put_ok", "serve_put_same", "serve_get_running")
    await world.serves(config(world, echo()))
    await world.until_app("echo", "RUNNING")

    await world.serves(config(world, echo()))
    found = (await world.client.applications(world.place)).applications["echo"]

    assert found.status in {"DEPLOYING", "RUNNING"}
    assert {name: each.status for name, each in found.deployments.items()} == {"Echo": "HEALTHY"}
    await world.until_app("echo", "RUNNING")


async def test_a_change_of_the_configuration_is_carried_out(world: World) -> None:
    world.hears("serve_put_ok", "serve_get_running", "serve_put_user_config", "serve_get_running")
    await world.serves(config(world, echo("v1")))
    await world.until_app("echo", "RUNNING")

    await world.serves(config(world, echo("v2")))

    assert (await world.until_app("echo", "RUNNING")).message == ""


async def test_what_cannot_be_imported_is_taken_and_then_fails(world: World) -> None:
    world.hears("serve_put_bad_import", "serve_get_deploy_failed")

    await world.serves(config(world, echo(), app("bad", "nosuchmodule")))
    failed = await world.until_app("bad", "DEPLOY_FAILED")

    assert "Deploying app 'bad' failed" in (failed.message or "")
    assert failed.deployments == {}
    assert (await world.until_app("echo", "RUNNING", "DEPLOY_FAILED")).status == "RUNNING"


async def test_a_share_of_the_capacity_is_told_back(world: World) -> None:
    world.hears("serve_put_target_capacity_50", "serve_get_target_capacity_50")

    await world.serves(config(world, echo("v2", 4), target_capacity=50))

    assert (await world.client.applications(world.place)).target_capacity == 50.0


async def test_what_is_left_out_is_removed(world: World) -> None:
    world.hears("serve_put_ok", "serve_get_running", "serve_put_no_apps", "serve_get_no_apps")
    await world.serves(config(world, echo()))
    await world.until_app("echo", "RUNNING")

    await world.serves(config(world))

    async def empty() -> bool:
        return not (await world.client.applications(world.place)).applications

    await until(empty)


@pytest.mark.parametrize(
    ("recorded", "apps", "more"),
    [
        ("serve_put_duplicate_names", (echo(), app()), {}),
        ("serve_put_duplicate_routes", (echo(), {**app("other"), "route_prefix": "/echo"}), {}),
        ("serve_put_target_capacity_101", (echo(),), {"target_capacity": 101}),
        ("serve_put_empty_object", None, {}),
    ],
)
async def test_what_makes_no_sense_is_refused(
    world: World, recorded: str, apps: tuple[Request, ...] | None, more: Request
) -> None:
    world.hears(recorded)
    told = {} if apps is None else config(world, *apps, **more)

    assert await failure_of(world.client.configure(world.place, told)) is Failure.REFUSED


async def test_where_nobody_listens_nothing_is_well(world: World) -> None:
    host, _ = world.proxy

    assert await world.client.proxy_is_well("prod", "head", host, free_port()) is False
