"""Each service gets the rights it needs and no others."""

from datetime import timedelta

import pytest

from heliograph.assembly.services import BUILDERS, NEEDS_CLUSTER, Plan, Ports
from sandbox.cluster import Cluster
from shared.bus.memory import MemoryServer
from shared.kernel.invariants import InvariantError
from shared.runtime.health import Health
from shared.runtime.options import SERVICES
from shared.runtime.settings import Settings
from tests.support.builders import NOON
from tests.support.sandbox_cluster import SandboxCluster


def plan(health: Health, cluster: SandboxCluster | None) -> Plan:
    server = MemoryServer()
    ports = Ports(
        bus=server.connect("test"),
        clock=server.clock,
        reader=cluster,
        writer=cluster,
        status_writer=cluster,
    )
    return Plan(settings=Settings(), ports=ports, health=health, call_deadline=timedelta(seconds=1))


def test_there_is_a_builder_for_every_service() -> None:
    assert tuple(BUILDERS) == SERVICES


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_built_under_its_name(name: str) -> None:
    cluster = SandboxCluster(Cluster(lambda: NOON))

    assert BUILDERS[name](plan(Health(), cluster)).service == name


@pytest.mark.parametrize("name", SERVICES)
def test_only_some_need_a_cluster(name: str) -> None:
    if name not in NEEDS_CLUSTER:
        assert BUILDERS[name](plan(Health(), None)).service == name
        return
    with pytest.raises(InvariantError, match="without its cluster"):
        BUILDERS[name](plan(Health(), None))
