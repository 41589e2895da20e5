"""Who shares the work of a service, and which partitions are ours.

Every member writes a heartbeat that expires. Who stops beating is gone when it expires, who leaves
says so, and one whose heartbeat is late is probed by its neighbour and told gone at once if its
process is not connected any more: while all is well nobody is probed. Ownership is only an
optimisation: two owners at a time are possible, and the fence of each commit makes that safe.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Self

from msgspec import Struct

from shared.bus.declarations import MEMBER_ROOT
from shared.bus.wire import GOODBYE
from shared.events.subjects import PARTITIONS, encode_token
from shared.kernel.ownership import owned_by
from shared.ports.event_log import Batch, Bus, BusUnavailable, Entry, FromSnapshot, News

log = logging.getLogger(__name__)

GOODBYE_LIFE = timedelta(seconds=2)


class Pulse(Struct, frozen=True, kw_only=True):
    """How fast life and death are noticed."""

    ttl: timedelta = timedelta(seconds=3)
    beat: timedelta = timedelta(seconds=1)
    late: timedelta = timedelta(seconds=1.1)
    """Whose last heartbeat is so old is probed."""
    probe: timedelta = timedelta(seconds=0.2)
    """How long after a probe the next one follows, if no heartbeat comes."""
    probes_failed: int = 2
    """So many in a row mean death: clients of a restarted server come back one by one."""


class Ownership:
    """The partitions of one member: each change, as it comes."""

    def __init__(self, member: str, partitions: int) -> None:
        self._member = member
        self._partitions = partitions
        self._beats: dict[str, int] = {}
        self._heard_at: dict[str, float] = {}
        """When each last heartbeat came, by the loop's clock."""
        self._counted: frozenset[str] = frozenset()
        self._told: frozenset[int] | None = None
        self._owned: frozenset[int] | None = None
        self._news = asyncio.Event()
        self._company = asyncio.Event()
        self._failure: BaseException | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> frozenset[int]:
        while self._owned is None or self._owned == self._told:
            self._news.clear()
            await self._news.wait()
            if self._failure is not None:
                raise self._failure
        self._told = self._owned
        return self._owned

    @property
    def beats(self) -> dict[str, int]:
        """Return the living members and the sequence of each one's last heartbeat."""
        return self._beats

    def end(self, task: asyncio.Task[None]) -> None:
        """Pass on what ended one of the tasks behind us."""
        if not task.cancelled():
            self._failure = task.exception()
            self._news.set()

    def neighbour(self) -> str | None:
        """Return the member that this one watches: the next in the ring."""
        ring = sorted(self._beats)
        if self._member not in ring or len(ring) == 1:
            return None
        return ring[(ring.index(self._member) + 1) % len(ring)]

    def learn(self, news: News) -> None:
        """Fold what the presence stream says."""
        if not isinstance(news, Batch):
            self._beats.clear()
            self._company.clear()
            return
        now = asyncio.get_running_loop().time()
        for message in news.messages:
            name = message.subject.rpartition(".")[2]
            if message.gone:
                self._beats.pop(name, None)
            else:
                self._beats[name] = message.sequence
                self._heard_at[name] = now
        if news.synced and (self._owned is None or self._beats.keys() != self._counted):
            self._counted = frozenset(self._beats)
            self._owned = owned_by(self._member, self._partitions, self._beats)
            self._news.set()
        if self.neighbour() is not None:
            self._company.set()
        else:
            self._company.clear()

    async def late(self, pulse: Pulse) -> None:
        """Return when the heartbeat of our neighbour, whoever that is by then, is late."""
        while True:
            await self._company.wait()
            heard_at = self._heard_at.get(self.neighbour() or "", 0.0)
            left = heard_at + pulse.late.total_seconds() - asyncio.get_running_loop().time()
            if left <= 0:
                return
            await asyncio.sleep(left)


class _Member:
    def __init__(self, bus: Bus, service: str, member: str, pulse: Pulse) -> None:
        self.name = encode_token(member)
        self._bus = bus
        self._root = f"{MEMBER_ROOT}.{encode_token(service)}"
        self._service = encode_token(service)
        self._pulse = pulse

    async def beat(self) -> None:
        """Say again and again that we are here."""
        await self._bus.answer_probes(f"{self._service}.{self.name}")
        entry = Entry(subject=self._subject(self.name), id="", data=b"", ttl=self._pulse.ttl)
        while True:
            try:
                await self._bus.presence.append(entry)
            except BusUnavailable:
                log.warning("heartbeat missed", extra={"member": self.name})
            await asyncio.sleep(self._pulse.beat.total_seconds())

    async def watch(self, ownership: Ownership) -> None:
        """Keep the list of members."""
        async with self._bus.presence.follow([f"{self._root}.*"], FromSnapshot()) as news:
            async for one in news:
                ownership.learn(one)

    async def look_after(self, ownership: Ownership) -> None:
        """Tell our neighbour's death when its process is certainly not there."""
        failed: tuple[str | None, int] = (None, 0)
        while True:
            await asyncio.sleep(self._pulse.probe.total_seconds())
            await ownership.late(self._pulse)
            neighbour = ownership.neighbour()
            times = failed[1] + 1 if failed[0] == neighbour else 1
            if neighbour is None or await self._answers(neighbour):
                failed = (None, 0)
            elif times < self._pulse.probes_failed:
                failed = (neighbour, times)
            else:
                log.info("member is dead", extra={"member": neighbour})
                await self.say_goodbye(neighbour, fence=ownership.beats.get(neighbour))
                failed = (None, 0)

    async def say_goodbye(self, name: str, *, fence: int | None = None) -> None:
        """Tell everybody that a member is gone, unless it has beaten since."""
        entry = Entry(
            subject=self._subject(name),
            id="",
            data=b"",
            fence=fence,
            headers=GOODBYE,
            ttl=GOODBYE_LIFE,
        )
        with suppress(BusUnavailable):
            await self._bus.presence.append(entry)

    async def _answers(self, name: str) -> bool:
        try:
            return await self._bus.probe(f"{self._service}.{name}")
        except BusUnavailable:
            return True

    def _subject(self, name: str) -> str:
        return f"{self._root}.{name}"


@asynccontextmanager
async def membership(
    bus: Bus,
    service: str,
    member: str,
    *,
    pulse: Pulse | None = None,
    partitions: int = PARTITIONS,
) -> AsyncIterator[AsyncIterator[frozenset[int]]]:
    """Take part in a service; yields the owned partitions at each change.

    Whoever leaves stops committing first, then leaves this context: the heartbeat stops, and only
    then the goodbye is written, so that nobody takes over from somebody still at work.
    """
    us = _Member(bus, service, member, pulse or Pulse())
    ownership = Ownership(us.name, partitions)
    running = tuple(
        asyncio.create_task(work)
        for work in (us.beat(), us.watch(ownership), us.look_after(ownership))
    )
    for task in running:
        task.add_done_callback(ownership.end)
    try:
        yield ownership
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await us.say_goodbye(us.name)
