"""Lifecycle events told by a test, through the log, as the status service would."""

from datetime import timedelta

from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.events import subjects
from shared.events.cloudevents import Circumstances, CloudEvent, Mode, cloud_event, write
from shared.events.lifecycle import LifeTold
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Entry
from tests.support.builders import NOON
from tests.support.nats import open_connection

Telling = tuple[ResourceKey, str, int, str, Mode]
"""Of which resource, what, its number, because of what, and in which mode."""


def event(key: ResourceKey, what: str, number: int, because: str) -> CloudEvent:
    """Return an event whose id is its resource's name and its number."""
    at = NOON + timedelta(seconds=number)
    about = Circumstances(
        key=key,
        uid="u-1",
        id=f"{key.name}-{number}",
        at=at,
        recorded_at=at,
        based_on=number,
        code="heliograph/0",
    )
    return cloud_event(LifeTold(what=what, number=number, data={"because": because}), about)


def entry_of(key: ResourceKey, what: str, number: int, because: str, mode: Mode) -> Entry:
    """Return an event as it is put into the log."""
    written = write(event(key, what, number, because), mode)
    return Entry(
        subject=subjects.life(key, what),
        id=f"{key}-{number}",
        data=written.body,
        headers=written.headers,
    )


async def tell(server: NatsServer, *story: Telling) -> None:
    """Put events into the log of a server."""
    connection = await open_connection(server)
    log = JetStreamBus(connection).log
    for telling in story:
        await log.append(entry_of(*telling))
    await connection.close()
