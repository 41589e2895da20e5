"""What a tail over a real server must not lose when its consumer ends at the worst moment."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.bus.connection import Connection
from shared.bus.declarations import LOG, Installation
from shared.bus.inflow import Inflow, Pace, Wish
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.bus.streams import init
from shared.bus.tail import Tail
from shared.ports.event_log import Batch, FromSnapshot
from tests.support.buses import entry
from tests.support.nats import HEARTBEAT, open_connection, running_server

OBS = "ray.1.raycluster.ns.one.obs.pod.p1"
WISH = Wish(stream=LOG, filters=("ray.>",), start=FromSnapshot())


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncIterator[Connection]:
    """Connect to a server of its own, with our streams."""
    with running_server(tmp_path) as server:
        made = await opened(server)
        yield made
        await made.close()


async def opened(server: NatsServer) -> Connection:
    connection = await open_connection(server, "tail")
    await init(connection, Installation())
    return connection


async def test_what_comes_while_flow_control_is_answered_is_given_before_a_break_is_mended(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The consumer says that it has looked so far, and breaks: what it had sent is not skipped."""
    log = JetStreamBus(connection).log
    settle, late = Inflow.settle, [entry(f"{OBS}-late")]

    async def settle_late(inflow: Inflow) -> None:
        await settle(inflow)
        if late:
            await log.append(late.pop())
            while inflow.quiet_at != 2:  # noqa: ASYNC110 - the server counts, nobody calls
                await asyncio.sleep(0.01)
            inflow._break()  # as silence would

    await log.append(entry(OBS))
    async with asyncio.timeout(20), Tail(connection, Pace(heartbeat=HEARTBEAT), WISH) as tail:
        first = await anext(tail)
        monkeypatch.setattr(Inflow, "settle", settle_late)
        tail._inflow._owe("nobody")  # type: ignore[union-attr] # it is open
        second = await anext(tail)

    given = [batch.messages for batch in (first, second) if isinstance(batch, Batch)]
    assert [one.subject for messages in given for one in messages] == [OBS, f"{OBS}-late"]
