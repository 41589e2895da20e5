"""An installation of real processes: all is well, then one is killed, and doctor says so."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.kubes import Kube, installed
from tests.support.processes import (
    BIN,
    KUBECTL,
    PATIENCE,
    Installation,
    Said,
    run,
    wait_until,
)

pytestmark = [pytest.mark.xdist_group("doctor"), pytest.mark.timeout(420)]

SERVICES = ("watcher", "reconciler", "executor", "status", "scheduler")
NOTICED = ("watcher", "reconciler", "executor")
"""By a lease, by a heartbeat, by a hand; the others are noticed by the same means."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    """Run every service once, each a process of its own."""
    with installed(tmp_path_factory.mktemp("doctor"), kube) as installation:
        installation.start_services(dict.fromkeys(SERVICES, 1))
        yield installation


def asked(here: Installation) -> tuple[Said, dict[str, dict[str, Any]]]:
    """Return what doctor says of NATS, and every check that is not well by what it is about."""
    said = here.heliograph("doctor", "-q", "--no-kube", "-o", "json")
    checks = json.loads(said.stdout)["checks"]
    return said, {one["what"]: one for one in checks}


def test_an_installation_that_works_is_well(here: Installation) -> None:
    wait_until(lambda: asked(here)[0].returncode == 0, "all is well", state=lambda: asked(here)[1])

    said = here.heliograph("doctor")

    assert (said.returncode, said.stderr) == (0, "")
    assert "watcher-1" in said.stdout
    assert said.stdout.splitlines()[-1].startswith("all is well")


@pytest.mark.parametrize("service", NOTICED)
def test_a_service_that_was_killed_is_named_with_what_to_do(
    here: Installation, service: str
) -> None:
    (process,) = here.members(service)
    process.kill()
    wait_until(lambda: service in asked(here)[1], f"{service} is missed", within=30)

    said, found = asked(here)

    assert said.returncode == 3
    assert found[service]["mark"] == "wrong"
    assert found[service]["todo"][0] == f"heliograph run {service} (or heliograph run all)"
    others = {"kinds"} if service == "watcher" else set()
    assert {what for what in found if what in SERVICES or what == "kinds"} <= {service} | others
    process.start()
    wait_until(lambda: asked(here)[0].returncode == 0, "all is well again", within=PATIENCE)


def test_kubectl_finds_it_as_a_plugin(here: Installation, tmp_path: Path) -> None:
    path = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(tmp_path)}

    said = run(KUBECTL, "heliograph", "doctor", "--help", environment=path)
    looked = run(KUBECTL, "heliograph", "doctor", "-q", environment={**here.environment, **path})

    assert said.returncode == 0, said.stderr
    assert "usage: heliograph doctor" in said.stdout
    assert "exit codes: 0 all is well" in said.stdout
    assert (looked.returncode, looked.stderr) == (0, "")
