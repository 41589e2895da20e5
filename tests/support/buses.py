"""What a contract test may ask of any bus, and the bus in memory that answers.

`tests.support.nats.NatsWorld` is the other one. Every mishap here has the same meaning in both.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Protocol

from shared.bus.memory import MemoryBus, MemoryServer
from shared.ports.event_log import (
    Appended,
    Batch,
    Bus,
    Entry,
    EventLog,
    Message,
    News,
    Refused,
)

ACK_WAIT = timedelta(seconds=1)


class World(Protocol):
    """A bus, further clients of it, and what can befall it."""

    @property
    def bus(self) -> Bus: ...
    async def client(self, name: str) -> Bus: ...
    async def silence(self) -> None: ...
    async def restart(self) -> None: ...
    async def stop(self) -> None: ...
    async def start(self) -> None: ...
    async def save(self) -> None: ...
    async def go_back(self) -> None: ...
    async def wipe(self, first_sequence: int) -> None: ...
    async def close(self) -> None: ...


class MemoryWorld:
    """The bus in memory."""

    def __init__(self) -> None:
        self.server = MemoryServer(ack_wait=ACK_WAIT)
        self.bus: MemoryBus = self.server.connect("test")
        self._saved = 0

    async def client(self, name: str) -> MemoryBus:
        return self.server.connect(name)

    async def silence(self) -> None:
        self._everyone(lambda client: client.link.silence())

    async def restart(self) -> None:
        self.server.restart()

    async def stop(self) -> None:
        self._everyone(lambda client: client.link.break_down())

    async def start(self) -> None:
        self._everyone(lambda client: client.link.come_back())

    async def save(self) -> None:
        self._saved = self.server.log.last_sequence
        self.server.restart()

    async def go_back(self) -> None:
        self.server.truncate(self._saved)

    async def wipe(self, first_sequence: int) -> None:
        self.server.wipe(first_sequence=first_sequence)

    async def close(self) -> None:
        self._everyone(lambda client: client.link.close())

    def _everyone(self, does: Callable[[MemoryBus], None]) -> None:
        for client in self.server.clients.values():
            does(client)


async def write(log: EventLog, subject: str, data: bytes, **more: object) -> int:
    """Append under an id of its own and return the sequence."""
    answer = await log.append(entry(subject, data, **more))
    assert isinstance(answer, Appended), answer
    return answer.sequence


def entry(subject: str, data: bytes = b"", **more: object) -> Entry:
    """Return an entry; its id covers its subject, data and fence."""
    fields: dict[str, object] = {"id": f"{subject}:{data.decode()}:{more.get('fence')}", **more}
    return Entry(subject=subject, data=data, **fields)  # type: ignore[arg-type] # passed through


def told(news: News) -> list[tuple[int, str, bytes]]:
    """Return sequence, subject and data of each message."""
    assert isinstance(news, Batch), news
    return [place(message) for message in news.messages]


def place(message: Message) -> tuple[int, str, bytes]:
    """Return what tells a message apart."""
    return message.sequence, message.subject, message.data


class Deaf:
    """A log whose next answers to appends do not arrive."""

    def __init__(self, log: EventLog, *failures: Exception) -> None:
        self._log = log
        self._failures = list(failures)

    async def append(self, new: Entry) -> Appended | Refused:
        answer = await self._log.append(new)
        if self._failures:
            raise self._failures.pop(0)
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)
