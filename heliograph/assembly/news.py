"""Lifecycle events as they come from RAYPUB: followed from a moment, or taken durably.

Each is given once, also when the stream begins anew or the server delivers again. Whoever takes
durably says for each that it is done: until then, none comes after it, and a crash repeats it.
"""

import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import msgspec
from msgspec import Struct

from heliograph.assembly.adapters import connected, shown
from shared.bus.errors import ApiError
from shared.bus.jetstream import JetStreamBus
from shared.events.cloudevents import CloudEvent, read
from shared.ports.event_log import (
    BusUnavailable,
    Delivery,
    EventLog,
    FromSequence,
    Message,
    Reset,
    Start,
    Work,
)
from shared.runtime.failures import FatalError
from shared.runtime.settings import BusSettings

log = logging.getLogger(__name__)

HEARD_MAX = 10_000
"""How many ids are held, to tell what comes again."""
ACK_WAIT = timedelta(seconds=5)


class Incoming(Struct, frozen=True):
    """An event, and how to say that it is dealt with."""

    event: CloudEvent
    done: Callable[[], Awaitable[None]]


Incomings = AsyncGenerator[Incoming, None]


class Memory:
    """The ids that were heard last."""

    def __init__(self, most: int = HEARD_MAX) -> None:
        self._most = most
        self._ids: OrderedDict[str, None] = OrderedDict()

    def is_new(self, event: CloudEvent) -> bool:
        """Tell whether an event comes for the first time, and remember it."""
        if event.id in self._ids:
            return False
        self._ids[event.id] = None
        if len(self._ids) > self._most:
            self._ids.popitem(last=False)
        return True


@asynccontextmanager
async def open_news(settings: BusSettings, name: str) -> AsyncIterator[EventLog]:
    """Open RAYPUB and nothing else: whoever may hear events need not be able to read the log."""
    async with connected(settings, name) as connection:
        news = JetStreamBus(connection).news
        try:
            await news.end()
        except (ApiError, BusUnavailable) as problem:
            raise FatalError(
                f"there are no lifecycle events on {shown(settings.nats_url)} ({problem}): "
                "run `heliograph init` first, against a server with JetStream"
            ) from problem
        yield news


async def listen(news: EventLog, subjects: str, start: Start) -> Incomings:
    """Yield events as they come."""
    memory = Memory()
    async with news.follow((subjects,), start) as following:
        async for each in following:
            if isinstance(each, Reset):
                log.warning("the stream of events is not what it was: what is new in it follows")
                continue
            for event in filter(None, map(event_in, each.messages)):
                if memory.is_new(event):
                    yield Incoming(event, _nothing)


async def take(news: EventLog, consumer: str) -> Incomings:
    """Yield what a durable consumer has, one after the other."""
    memory = Memory()
    async with news.deliveries(consumer, most=1) as hand:
        async for delivery in hand:
            event = event_in(delivery.message)
            if event is None or not memory.is_new(event):
                await _acknowledge(delivery)
            else:
                yield Incoming(event, _acknowledging(delivery))


async def keep_place(news: EventLog, consumer: str, subjects: str, start: Start) -> None:
    """Make a durable consumer that begins there; one that is there goes on where it stands."""
    work = Work(consumer=consumer, filters=(subjects,), most=1, ack_wait=ACK_WAIT)
    try:
        await news.ensure_consumer(work, await _first(news, subjects, start))
    except ApiError as problem:
        raise FatalError(f"the server does not take the consumer {consumer!r}: {problem}") from None


def event_in(message: Message) -> CloudEvent | None:
    """Read an event; None for what is none."""
    if message.gone:
        return None
    try:
        return read(message.headers, message.data)
    except (msgspec.MsgspecError, ValueError) as problem:
        place = {"subject": message.subject, "sequence": message.sequence}
        log.warning("no lifecycle event", extra={**place, "error": str(problem)})
        return None


async def _first(news: EventLog, subjects: str, start: Start) -> int:
    """Return the sequence of the first message from there on."""
    if isinstance(start, FromSequence):
        return start.sequence
    async for message in news.read((subjects,), start, headers_only=True):
        return message.sequence
    return (await news.end()).last + 1


async def _nothing() -> None:
    """Do nothing: there is no place to keep."""


def _acknowledging(delivery: Delivery) -> Callable[[], Awaitable[None]]:
    return lambda: _acknowledge(delivery)


async def _acknowledge(delivery: Delivery) -> None:
    """Say so; if nobody hears it, the event comes again and is known."""
    with suppress(BusUnavailable):
        await delivery.acknowledge()
