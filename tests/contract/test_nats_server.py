"""Running a server of our own: it keeps its port and what it stored."""

import asyncio
from pathlib import Path

import pytest

from shared.bus.connection import Endpoint, connected
from shared.bus.server import OVERRIDE, NatsServer, ServerFailedError, find_binary
from tests.support.nats import running_server


async def answers(server: NatsServer) -> bool:
    async with asyncio.timeout(5), connected(Endpoint(servers=(server.url,), name="test")) as one:
        return one.connected


async def test_keeps_its_port_over_restarts(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        before = server.url
        assert await answers(server)
        server.kill()
        assert not server.running
        server.start()

        assert server.url == before
        assert await answers(server)
    assert not server.running


async def test_tells_where_it_is_watched_if_asked_to(tmp_path: Path) -> None:
    server = NatsServer(tmp_path, monitor=True)
    server.start()
    told = server.monitor_url
    server.stop()

    assert told is not None
    assert told.startswith("http://127.0.0.1:")


def test_says_where_to_look_when_it_does_not_start(tmp_path: Path) -> None:
    with running_server(tmp_path / "first") as first:
        port = int(first.url.rpartition(":")[2])
        second = NatsServer(tmp_path / "second", port=port)

        with pytest.raises(ServerFailedError, match=r"nats-server\.log"):
            second.start()


def test_the_environment_names_another_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OVERRIDE, "/opt/nats-server")

    assert find_binary() == "/opt/nats-server"


def test_stopping_twice_is_stopping_once(tmp_path: Path) -> None:
    server = NatsServer(tmp_path)
    server.start()
    server.stop()
    server.stop()

    assert not server.running
