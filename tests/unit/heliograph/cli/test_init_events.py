"""How long lifecycle events are kept is what `init` is told, and never less by accident."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from heliograph.cli.app import main
from shared.bus.declarations import NEWS, nanoseconds
from shared.bus.server import NatsServer
from tests.support.nats import open_connection

Captured = pytest.CaptureFixture[str]


async def kept(server: NatsServer) -> int:
    connection = await open_connection(server)
    info = await connection.api(f"STREAM.INFO.{NEWS}", None, dict[str, Any])
    await connection.close()
    return int(info["config"]["max_age"])


def test_events_are_kept_as_long_as_asked(nats: NatsServer, capsys: Captured) -> None:
    assert main(["init", "--nats-url", nats.url]) == 0
    assert asyncio.run(kept(nats)) == nanoseconds(timedelta(days=30))

    assert main(["init", "--nats-url", nats.url, "--events-retention", "60d"]) == 0
    assert asyncio.run(kept(nats)) == nanoseconds(timedelta(days=60))

    capsys.readouterr()
    assert main(["init", "--nats-url", nats.url, "--events-retention", "1d"]) == 2
    assert "RAYPUB.max_age" in capsys.readouterr().err
    assert asyncio.run(kept(nats)) == nanoseconds(timedelta(days=60))
