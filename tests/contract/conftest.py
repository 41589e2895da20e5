"""Adapters for the contract suites.

Tests of the event log run twice: in memory on virtual time, and over a real NATS server.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

import pytest

from shared.bus.server import NatsServer
from tests.support.buses import ACK_WAIT, MemoryWorld, World
from tests.support.nats import NatsWorld, fresh, running_server
from tests.support.virtual_time import VirtualLoop

Loops = Mapping[str, Callable[[], asyncio.AbstractEventLoop]]


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Loops:
    """Give each adapter of the event log its kind of loop, and everybody else the usual one."""
    if item.path.name.startswith("test_event_log"):
        return {"memory": VirtualLoop, "nats": asyncio.new_event_loop}
    return {"usual": asyncio.new_event_loop}


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """One real server for the whole session."""
    with running_server(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """Give a bus without any message, of the kind that belongs to this loop."""
    if isinstance(asyncio.get_running_loop(), VirtualLoop):
        yield MemoryWorld()
        return
    server: NatsServer = request.getfixturevalue("nats_server")
    real = NatsWorld(server, await fresh(server, ACK_WAIT))
    yield real
    await real.close()
