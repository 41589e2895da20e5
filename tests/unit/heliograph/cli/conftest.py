"""A NATS server for the commands that read the log, once for all of them."""

from collections.abc import Iterator

import pytest

from shared.bus.server import NatsServer
from tests.support.nats import running_server


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """Run a server without any stream."""
    with running_server(tmp_path_factory.mktemp("nats")) as server:
        yield server
