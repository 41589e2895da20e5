"""The bus in memory: the same promises as JetStream, on the event loop's clock, from one process.

`MemoryServer` holds the streams, and each `connect` gives a client of its own with its own link.
Deterministic: no threads, no clock but the loop's, no chance. What can go wrong is asked for by the
simulation: per client on `MemoryBus.link`, for everybody on the server.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta

from shared.bus.declarations import (
    ACK_PENDING_MOST,
    ACK_WAIT,
    DUPLICATES,
    LOG,
    LOG_DUPLICATES,
    MARKER_LIFE,
    NEWS,
    PER_SUBJECT,
    PRESENCE,
    TIME,
    WORKERS,
)
from shared.bus.memory_clock import EPOCH, LoopClock
from shared.bus.memory_consumers import MemoryConsumer, MemoryHand
from shared.bus.memory_link import Link
from shared.bus.memory_stream import MemoryStream, Rules
from shared.bus.memory_tail import HeadersOnly, MemoryTail, read_all, without_data
from shared.bus.waiting import until_changed
from shared.events.subjects import ALL_ACTS, place_of
from shared.ports.event_log import (
    Appended,
    Backlog,
    Delivery,
    Entry,
    EventLog,
    LogEnd,
    Message,
    News,
    Refused,
    Start,
    Work,
)

Consumers = dict[str, MemoryConsumer]


class MemoryServer:
    """The streams of one installation and the clients that share them."""

    def __init__(
        self,
        *,
        epoch: datetime = EPOCH,
        max_age: timedelta | None = None,
        ack_wait: timedelta = ACK_WAIT,
        dedupe_first: bool = False,
    ) -> None:
        self.clock = LoopClock(epoch)
        story = Rules(
            name=LOG,
            duplicates=LOG_DUPLICATES,
            per_subject=PER_SUBJECT,
            max_age=max_age,
            dedupe_first=dedupe_first,
        )
        timers = Rules(name=TIME, duplicates=DUPLICATES, per_subject=1, dedupe_first=dedupe_first)
        members = Rules(
            name=PRESENCE,
            duplicates=DUPLICATES,
            per_subject=1,
            marker_life=MARKER_LIFE,
            dedupe_first=dedupe_first,
        )
        self.log = MemoryStream(story, self.clock)
        self.time = MemoryStream(timers, self.clock)
        self.presence = MemoryStream(members, self.clock)
        self.news = MemoryStream(
            Rules(name=NEWS, duplicates=DUPLICATES, per_subject=PER_SUBJECT), self.clock
        )
        self.time.listen(self._source)
        self.log.listen(self._tell)
        self.consumers: Consumers = {
            name: MemoryConsumer(self.log, (ALL_ACTS,), ack_wait, ACK_PENDING_MOST)
            for name in WORKERS
        }
        self.listeners: Consumers = {}
        self.clients: dict[str, MemoryBus] = {}
        self.answering: dict[str, Link] = {}

    def connect(self, name: str) -> "MemoryBus":
        """Return a new client; a later one of the same name takes its place in `clients`."""
        client = MemoryBus(self)
        self.clients[name] = client
        return client

    def restart(self) -> None:
        """Break every link that is up and mend it again: what a restarted server looks like."""
        for client in self.clients.values():
            if client.link.up:
                client.link.break_down()
                client.link.come_back()

    def truncate(self, last: int) -> None:
        """Let the log end at an earlier sequence, as after a power cut."""
        self.log.truncate(last)
        self._start_consumers_over()
        self.restart()

    def damage(self, first: int, last: int) -> None:
        """Leave a hole in the middle of the log; who repairs such a file starts the server anew."""
        self.log.lose(first, last)
        self.restart()

    def wipe(self, *, first_sequence: int = 1) -> None:
        """Lose the log; the new one is another and starts where it is told.

        As with a real server connections stay, and consumers of the old log fall silent.
        """
        self.log.wipe(first_sequence)
        self._start_consumers_over()
        for client in self.clients.values():
            client.link.silence()

    def expire(self, older_than: timedelta) -> None:
        """Remove from the log what is older than a span."""
        self.log.expire(self.clock.now() - older_than)

    def _start_consumers_over(self) -> None:
        for consumer in self.consumers.values():
            consumer.forget()

    def _source(self, message: Message) -> None:
        root, *tokens = message.subject.split(".")
        if root == "fire" and len(tokens) == 5:  # noqa: PLR2004 - partition, key, timer
            *path, timer = tokens
            subject = ".".join(("ray", *path, "fire", timer))
            self.log.store(subject, message.headers, message.data, at=message.at)

    def _tell(self, message: Message) -> None:
        place = place_of(message.subject) if ".life." in message.subject else None
        if place is not None and place.facet == "life":
            _, _, kind, namespace, name, _, what = message.subject.split(".")
            subject = f"pub.{namespace}.{kind}.{name}.{what}"
            self.news.store(subject, message.headers, message.data, at=message.at)


class MemoryLog:
    """One stream, as one client sees it."""

    def __init__(self, link: Link, stream: MemoryStream, consumers: Consumers) -> None:
        self._link = link
        self._stream = stream
        self._consumers = consumers

    async def append(self, entry: Entry) -> Appended | Refused:
        """Store one entry."""
        return await self._link.ask_with_losses(lambda: self._stream.append(entry))

    async def last(self, subject: str) -> Message | None:
        """Read the last message of a subject."""
        return await self._link.ask(lambda: self._stream.last(subject))

    async def end(self) -> LogEnd:
        """Say which stream this is and where it ends."""
        return await self._link.ask(self._stream.end)

    def follow(
        self, filters: Sequence[str], start: Start, *, headers_only: bool = False
    ) -> AbstractAsyncContextManager[AsyncIterator[News]]:
        """Follow subjects for ever."""
        tail = MemoryTail(self._link, self._stream, filters, start)
        return HeadersOnly(tail) if headers_only else tail

    async def read(
        self, filters: Sequence[str], start: Start, *, headers_only: bool = False
    ) -> AsyncIterator[Message]:
        """Read what is there now."""
        async for message in read_all(self._link, self._stream, filters, start):
            yield without_data([message])[0] if headers_only else message

    def deliveries(
        self, consumer: str, *, most: int
    ) -> AbstractAsyncContextManager[AsyncIterator[Delivery]]:
        """Take work from a durable consumer."""
        return MemoryHand(self._link, self._consumers[consumer], most)

    async def ensure_consumer(self, work: Work, start: int) -> None:
        """Make a consumer, or change the one that is there."""

        def ensure() -> None:
            there = self._consumers.get(work.consumer)
            if there is not None:
                there.change(work.filters, work.most)
                return
            self._consumers[work.consumer] = MemoryConsumer(
                self._stream, work.filters, work.ack_wait, work.most, start=start
            )

        await self._link.ask(ensure)

    async def rewind(self, consumer: str, to: int | None = None) -> None:
        """Let a consumer begin again."""
        await self._link.ask(lambda: self._consumers[consumer].rewind(to))

    async def backlog(self, consumer: str) -> Backlog:
        """Tell how much a consumer has before it."""
        return await self._link.ask(self._consumers[consumer].backlog)

    async def purge(self, subject: str, *, up_to: int | None = None) -> None:
        """Remove every message of a subject."""
        await self._link.ask(lambda: self._stream.purge(subject, up_to))


class MemoryBus:
    """One client; `link` is what its simulation may break."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self.link = Link()
        self.log: EventLog = MemoryLog(self.link, server.log, server.consumers)
        self.time: EventLog = MemoryLog(self.link, server.time, {})
        self.news: EventLog = MemoryLog(self.link, server.news, server.listeners)
        self.presence: EventLog = MemoryLog(self.link, server.presence, {})

    @property
    def generation(self) -> int:
        """Count of connections made so far."""
        return self.link.generation

    async def reconnected(self, generation: int) -> None:
        """Return once the link is not the given one any more."""
        await until_changed(lambda: self.generation != generation, self.link.listen)

    def trouble(self) -> str | None:
        """Say whether the link is down."""
        return None if self.link.up else "the link is down"

    @property
    def ended(self) -> bool:
        """Links of the simulation always come back."""
        return False

    async def answer_probes(self, member: str) -> None:
        """Answer for as long as the link is up."""
        self._server.answering[member] = self.link

    async def probe(self, member: str) -> bool:
        """Ask whether a member answers; one that is cut off unnoticed may."""

        def answers() -> bool:
            link = self._server.answering.get(member)
            return link is not None and (link.up or not link.noticed)

        return await self.link.ask(answers)

    async def close(self) -> None:
        """Leave the bus."""
        self.link.close()
