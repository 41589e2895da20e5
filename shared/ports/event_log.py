"""The bus as services see it: ordered streams of messages with compare-and-set.

A `Bus` holds a few streams, each an `EventLog`. Promises, held by one contract suite
(`tests/contract/test_event_log.py`) over every adapter (`shared.bus.jetstream`,
`shared.bus.memory`):

- `append` stores in one total order; with a fence it stores only if the fence is still the last
  sequence of its subject; an id already seen stores nothing and answers with the old sequence.
- `follow` from a snapshot gives the last message of every subject up to one cut, then everything
  after the cut, in order, without gap or repeat; `Reset` says that the log went backwards.
- `deliveries` hands each message to one worker at a time and again if it is not acknowledged;
  `ensure_consumer` makes one more consumer to take from, which `rewind` lets begin again.
- schedules fire once and never early; what expires leaves a marker behind.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Protocol

from msgspec import Struct

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class BusUnavailable(Exception):  # noqa: N818 - a state of the world, not a programming error
    """The bus did not answer: whether a write landed is unknown."""


class Message(Struct, frozen=True, kw_only=True):
    """One stored message. `at` is the server's time; empty `data` with `gone` set is a marker."""

    sequence: int
    at: datetime
    subject: str
    headers: Mapping[str, str] = NO_HEADERS
    data: bytes = b""
    gone: bool = False


class Schedule(Struct, frozen=True, kw_only=True):
    """Publish this entry's data to `target` at `due_at`, once, instead of now."""

    due_at: datetime
    target: str


class Entry(Struct, frozen=True, kw_only=True):
    """Something to append. `fence` is the last sequence its subject must have, if any.

    With `fence_over`, a filter such as `a.b.>`, it is the last of all subjects that this names.
    """

    subject: str
    id: str
    data: bytes
    fence: int | None = None
    fence_over: str = ""
    headers: Mapping[str, str] = NO_HEADERS
    ttl: timedelta | None = None
    schedule: Schedule | None = None


class Appended(Struct, frozen=True, kw_only=True):
    """The entry is in the log at `sequence`; `duplicate` if its id was there before."""

    sequence: int
    duplicate: bool = False


class Refused(Struct, frozen=True, kw_only=True):
    """Somebody else wrote first. `last` is the subject's last sequence where the server tells."""

    last: int | None = None


class LogEnd(Struct, frozen=True, kw_only=True):
    """Where a stream begins and ends, and which stream it is (a new one gets a new identity)."""

    identity: str
    first: int
    last: int


class FromSnapshot(Struct, frozen=True):
    """The last message of each subject, then everything after."""


class FromSequence(Struct, frozen=True):
    """Everything from this sequence on."""

    sequence: int


class FromTime(Struct, frozen=True):
    """Everything from this moment on."""

    at: datetime


Start = FromSnapshot | FromSequence | FromTime


class Batch(Struct, frozen=True, kw_only=True):
    """Messages in order. `synced` once everything that was there at the start has been given."""

    messages: tuple[Message, ...]
    synced: bool


class Reset(Struct, frozen=True):
    """The log is not what it was: forget everything read so far; a new snapshot follows."""


News = Batch | Reset


class Work(Struct, frozen=True, kw_only=True):
    """A durable consumer that somebody wants: which subjects, and how many unacknowledged."""

    consumer: str
    filters: tuple[str, ...]
    """None of them may overlap another."""
    most: int
    ack_wait: timedelta = timedelta(seconds=30)
    forgotten_after: timedelta = timedelta(days=30)
    """How long nobody may take from it, until the bus forgets it and where it stood."""


class Backlog(Struct, frozen=True, kw_only=True):
    """How much a consumer has before it: what was never delivered, and what is in hands."""

    waiting: int
    held: int


class Delivery(Protocol):
    """One message in one hand."""

    message: Message
    attempt: int
    """1 for the first hand, more for later ones."""
    order: int
    """Counts what the consumer gave to any hand since it was made or rewound: 1, 2, 3 and so on.

    A hand that sees a gap is not the only one."""

    async def acknowledge(self) -> None:
        """Say that it is done: it will not come again."""
        ...

    async def progress(self) -> None:
        """Ask for another whole acknowledgement wait."""
        ...

    async def later(self, after: timedelta) -> None:
        """Give it back, to be delivered again after a while."""
        ...


class EventLog(Protocol):
    """One stream."""

    async def append(self, entry: Entry) -> Appended | Refused:
        """Store one entry; raise `BusUnavailable` if nobody can tell whether it is stored."""
        ...

    async def last(self, subject: str) -> Message | None:
        """Read the last message of a subject, or of all that a filter names, from the leader."""
        ...

    async def end(self) -> LogEnd:
        """Say which stream this is and where it ends."""
        ...

    def follow(
        self, filters: Sequence[str], start: Start, *, headers_only: bool = False
    ) -> AbstractAsyncContextManager[AsyncIterator[News]]:
        """Follow subjects for ever, over restarts of the bus."""
        ...

    def read(
        self, filters: Sequence[str], start: Start, *, headers_only: bool = False
    ) -> AsyncIterator[Message]:
        """Read from `start` up to what was the end when the reading began, then stop."""
        ...

    def deliveries(
        self, consumer: str, *, most: int
    ) -> AbstractAsyncContextManager[AsyncIterator[Delivery]]:
        """Take work from a durable consumer, at most `most` unacknowledged ones in this hand."""
        ...

    async def ensure_consumer(self, work: Work, start: int) -> None:
        """Make a consumer that begins at a sequence; one that is there goes on where it stands."""
        ...

    async def rewind(self, consumer: str, to: int | None = None) -> None:
        """Deliver again from a sequence on, or from the first that was not acknowledged.

        What is in hands then counts as not delivered; its late acknowledgement may go unheard.
        """
        ...

    async def backlog(self, consumer: str) -> Backlog:
        """Tell how much a consumer has before it."""
        ...

    async def purge(self, subject: str, *, up_to: int | None = None) -> None:
        """Remove the messages of a subject (cancels a schedule), at most up to a sequence."""
        ...


class Bus(Protocol):
    """The streams of one installation."""

    log: EventLog
    """RAYLOG: the story."""
    time: EventLog
    """RAYTIME: armed timers."""
    news: EventLog
    """RAYPUB: lifecycle events for everybody, as CloudEvents, fed from the log by the server."""
    presence: EventLog
    """KV_raymembers: who is here, who holds which lease; entries with a `ttl`."""

    @property
    def generation(self) -> int:
        """Counts (re)connections: who sees it change drops fences, jobs and unsent work."""
        ...

    async def reconnected(self, generation: int) -> None:
        """Return once the connection is not the given one: nothing read before may be trusted."""
        ...

    def trouble(self) -> str | None:
        """Say why nothing can be read or written now, if so."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the connection is over for good: only a new process helps."""
        ...

    async def answer_probes(self, member: str) -> None:
        """Answer `probe(member)` for as long as this process is connected."""
        ...

    async def probe(self, member: str) -> bool:
        """Ask whether a member's process is connected; False means certainly not."""
        ...

    async def close(self) -> None:
        """Leave the bus; nothing is sent afterwards."""
        ...
