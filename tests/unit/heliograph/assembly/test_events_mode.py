"""The mode of lifecycle events gets from the settings to whoever tells them."""

from datetime import timedelta

import pytest

from heliograph.assembly.services import BUILDERS, Plan, Ports
from sandbox.cluster import Cluster
from services.status import service
from services.status.herald import Herald
from shared.bus.memory import MemoryServer
from shared.events.cloudevents import Mode
from shared.ports.clock import Clock
from shared.ports.event_log import Bus
from shared.runtime.failures import SettingsError
from shared.runtime.health import Health
from shared.runtime.reading import read_settings
from tests.support.builders import NOON
from tests.support.sandbox_cluster import SandboxCluster


@pytest.mark.parametrize(
    ("flags", "environment", "mode"),
    [
        ({}, {}, "structured"),
        ({"lifecycle_events": "binary"}, {}, "binary"),
        ({}, {"HELIOGRAPH_LIFECYCLE_EVENTS": "binary"}, "binary"),
    ],
)
def test_events_are_written_as_the_settings_say(
    flags: dict[str, object],
    environment: dict[str, str],
    mode: Mode,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    modes: list[Mode] = []

    def noted(bus: Bus, clock: Clock, code: str, given: Mode, again: timedelta) -> Herald:
        modes.append(given)
        return Herald(bus, clock, code, given, again)

    monkeypatch.setattr(service, "Herald", noted)
    server = MemoryServer()
    cluster = SandboxCluster(Cluster(lambda: NOON))
    ports = Ports(bus=server.connect("test"), clock=server.clock, status_writer=cluster)
    settings = read_settings(flags, environment, member="box-7")
    plan = Plan(settings=settings, ports=ports, health=Health(), call_deadline=timedelta(seconds=1))
    BUILDERS["status"](plan)

    assert modes == [mode]


def test_another_mode_is_refused_under_its_name() -> None:
    with pytest.raises(SettingsError, match=r"--lifecycle-events: .*structured"):
        read_settings({"lifecycle_events": "batch"}, {}, member="box-7")
