"""Each service gets the rights it needs and no others."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from heliograph.assembly.adapters import decision_settings
from heliograph.assembly.services import BUILDERS, NEEDS_CLUSTER, Plan, Ports
from sandbox.cluster import Cluster
from services.status.service import StatusSettings
from services.watcher.sources.kinds import watched
from shared.bus.memory import MemoryServer
from shared.kernel.features import parse_features
from shared.kernel.invariants import InvariantError
from shared.runtime.health import Health
from shared.runtime.options import BESIDE, SERVICES
from shared.runtime.settings import BusSettings, KubeSettings, RuleSettings, Settings
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
    assert tuple(BUILDERS) == (*SERVICES, *BESIDE)


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


@pytest.mark.parametrize("gate", ["true", "false"])
def test_statuses_wait_for_the_kinds_that_watchers_list(
    gate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[tuple[str, ...]] = []

    def noted(**given: Any) -> StatusSettings:
        waited.append(given["kinds"])
        return StatusSettings(**given)

    monkeypatch.setattr("heliograph.assembly.services.StatusSettings", noted)
    rules = RuleSettings(feature_gates=parse_features(f"RayServiceIncrementalUpgrade={gate}"))
    cluster = SandboxCluster(Cluster(lambda: NOON))
    BUILDERS["status"](replace(plan(Health(), cluster), settings=Settings(rules=rules)))

    listed = watched(decision_settings(rules, BusSettings()).surroundings)
    assert waited == [tuple(kind.name for kind in listed)]
    assert ("gateway" in waited[0]) == (gate == "true")


def test_a_shadow_tells_no_status_and_needs_nothing_to_write_it_with() -> None:
    usual = plan(Health(), None)
    looks_on = replace(usual, settings=Settings(kube=KubeSettings(shadow=True)))

    assert BUILDERS["status"](looks_on).service == "status"
    with pytest.raises(InvariantError, match="without its cluster"):
        BUILDERS["executor"](looks_on)
