"""Bringing a real server to what is declared: idempotent, and never to less than it has."""

from datetime import timedelta
from typing import Any

import pytest

from shared.bus.connection import Connection
from shared.bus.declarations import LOG, NEWS, PRESENCE, TIME, Installation, nanoseconds
from shared.bus.server import NatsServer
from shared.bus.states import read_end
from shared.bus.streams import Prepared, Shrink, ShrinkRefusedError, init
from tests.support.buses import ACK_WAIT
from tests.support.nats import fresh

pytestmark = pytest.mark.asyncio(loop_factories=["nats"])
NAMES = (TIME, LOG, NEWS, PRESENCE, "executor", "scheduler")
WEEK = timedelta(days=7)


@pytest.fixture
async def connection(nats_server: NatsServer) -> Connection:
    """Connect to a server that has every stream."""
    return await fresh(nats_server, ACK_WAIT)


async def test_makes_everything_once(connection: Connection) -> None:
    for name in (NEWS, LOG, TIME, PRESENCE):
        await connection.api(f"STREAM.DELETE.{name}", None, dict[str, Any])

    made = await init(connection, Installation())
    again = await init(connection, Installation())
    await connection.close()

    assert made == tuple(Prepared(name, "created") for name in NAMES)
    assert again == tuple(Prepared(name, "unchanged") for name in NAMES)


async def test_grows_and_keeps_the_identity(connection: Connection) -> None:
    await init(connection, Installation())
    before = await read_end(connection, LOG)

    grown = await init(connection, Installation(max_age=2 * WEEK))
    after = await read_end(connection, LOG)
    await connection.close()

    assert [one for one in grown if one.done != "unchanged"] == [Prepared(LOG, "updated")]
    assert after.identity == before.identity


async def test_refuses_to_shrink_and_names_every_setting(connection: Connection) -> None:
    smaller = Installation(max_age=WEEK / 7, max_bytes=1 << 30)

    with pytest.raises(ShrinkRefusedError) as refused:
        await init(connection, smaller)
    allowed = await init(connection, smaller, allow_shrink=True)
    await connection.close()

    assert refused.value.shrinks == (
        Shrink(LOG, "max_age", nanoseconds(WEEK), nanoseconds(WEEK / 7)),
        Shrink(LOG, "max_bytes", -1, 1 << 30),
    )
    assert Prepared(LOG, "updated") in allowed


async def test_a_log_made_anew_is_another_one_of_the_same_installation(
    connection: Connection,
) -> None:
    before = await read_end(connection, LOG)
    await connection.api(f"STREAM.DELETE.{LOG}", None, dict[str, Any])

    await init(connection, Installation(first_sequence=1000))
    after = await read_end(connection, LOG)
    await connection.close()

    assert before.identity.partition("@")[0] == after.identity.partition("@")[0]
    assert before.identity != after.identity
    assert (after.first, after.last) == (1000, 999)


async def test_republishes_lifecycle_events_by_namespace(connection: Connection) -> None:
    heard: list[tuple[str, bytes]] = []

    async def hear(message: Any) -> None:
        heard.append((message.subject, message.data))

    await connection.subscribe("pub.>", hear)
    await connection.request("ray.9.raycluster.team-a.one.life.ready", b"up")
    await connection.request("$JS.API.INFO")
    await connection.close()

    assert heard == [("pub.team-a.raycluster.one.ready", b"up")]
