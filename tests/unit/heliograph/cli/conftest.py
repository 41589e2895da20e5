"""For the commands that read the log: a NATS server without one, and capsules."""

from collections.abc import Iterator

import pytest

from shared.bus.server import NatsServer
from tests.contract.test_histories import records_of
from tests.support.nats import running_server
from tests.support.planted import histories
from tests.unit.heliograph.cli.recorded import sealed


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """Run a server without any stream."""
    with running_server(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A worker fails."""
    path = tmp_path_factory.mktemp("a") / "failed.capsule"
    return str(sealed(records_of("worker-failed"), path))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A service is upgraded, with secrets everywhere."""
    path = tmp_path_factory.mktemp("b") / "service.capsule"
    return str(sealed(histories()["service"], path))
