"""Single writers: a lease that its holder renews and that ends by itself.

Acquiring and renewing are compare-and-sets on the lease's subject, so of two claimants one wins.
The holder counts the time from before it asked, by its own clock, so it knows of the end before the
server does; `Held.valid` is False from then on, whatever the network says. A lease is no lock: what
it protects is fenced as well.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from random import Random

from msgspec import Struct

from shared.bus.commit import Committed, commit
from shared.bus.declarations import MEMBER_ROOT
from shared.bus.wire import GOODBYE
from shared.events.subjects import encode_token
from shared.kernel.ids import content_id
from shared.ports.event_log import (
    Batch,
    BusUnavailable,
    Entry,
    EventLog,
    FromSnapshot,
    News,
)
from shared.runtime.chance import SYSTEM_CHANCE

log = logging.getLogger(__name__)

ALL_LEASES = f"{MEMBER_ROOT}.lease.*"
PAUSE = 0.1


class Terms(Struct, frozen=True, kw_only=True):
    """How long a lease lasts unrenewed, and how often it is renewed."""

    ttl: timedelta = timedelta(seconds=5)
    renew: timedelta = timedelta(seconds=1)


class Lease(Struct, frozen=True, kw_only=True):
    """Who holds what: the value is the holder's own."""

    kind: str
    value: bytes
    sequence: int
    at: datetime


def lease_subject(kind: str) -> str:
    """Return where a lease stands."""
    return f"{MEMBER_ROOT}.lease.{encode_token(kind)}"


def leases_after(leases: Mapping[str, Lease], news: News) -> Mapping[str, Lease]:
    """Return the leases, by encoded kind, after news from a tail over `ALL_LEASES`."""
    if not isinstance(news, Batch):
        return {}
    changed = dict(leases)
    for message in news.messages:
        kind = message.subject.rpartition(".")[2]
        if message.gone:
            changed.pop(kind, None)
        else:
            changed[kind] = Lease(
                kind=kind, value=message.data, sequence=message.sequence, at=message.at
            )
    return changed


class Held:
    """A lease in our hand, until it is lost."""

    def __init__(
        self, presence: EventLog, subject: str, value: bytes, terms: Terms, chance: Random
    ) -> None:
        self._presence = presence
        self._chance = chance
        self._subject = subject
        self._value = value
        self._terms = terms
        self._until = 0.0
        self._lost = asyncio.Event()
        self.sequence = 0
        """The sequence of the last renewal."""

    @property
    def valid(self) -> bool:
        """Tell whether it is certainly still ours."""
        return not self._lost.is_set() and asyncio.get_running_loop().time() < self._until

    async def lost(self) -> None:
        """Return when it is not ours any more."""
        await self._lost.wait()

    async def claim(self, fence: int) -> bool:
        """Write ourselves in if nothing was written since the fence."""
        begun = asyncio.get_running_loop().time()
        entry = Entry(
            subject=self._subject,
            id=content_id(self._subject, fence, self._value),
            data=self._value,
            fence=fence,
            ttl=self._terms.ttl,
        )
        answer = await commit(self._presence, entry, chance=self._chance)
        if not isinstance(answer, Committed):
            return False
        self.sequence = answer.sequence
        self._until = begun + self._terms.ttl.total_seconds()
        return True

    async def keep(self) -> None:
        """Renew until that fails or comes too late."""
        try:
            while True:
                async with asyncio.timeout_at(self._until):
                    await asyncio.sleep(self._terms.renew.total_seconds())
                    if not await self._renewed():
                        break
        except TimeoutError:
            log.warning("lease not renewed in time", extra={"lease": self._subject})
        finally:
            self._lost.set()

    async def release(self) -> None:
        """Give it back, so that the next one need not wait."""
        entry = Entry(
            subject=self._subject,
            id=content_id(self._subject, self.sequence, "released"),
            data=b"",
            fence=self.sequence,
            headers=GOODBYE,
            ttl=self._terms.ttl,
        )
        with suppress(BusUnavailable):
            await self._presence.append(entry)

    async def _renewed(self) -> bool:
        while True:
            try:
                return await self.claim(self.sequence)
            except BusUnavailable:
                await asyncio.sleep(PAUSE)


@asynccontextmanager
async def hold(
    presence: EventLog,
    kind: str,
    value: bytes,
    *,
    terms: Terms | None = None,
    chance: Random = SYSTEM_CHANCE,
) -> AsyncIterator[Held]:
    """Wait for a lease, and keep it until the context ends or it is lost."""
    held = Held(presence, lease_subject(kind), value, terms or Terms(), chance)
    await _acquire(presence, lease_subject(kind), held, terms or Terms())
    keeping = asyncio.create_task(held.keep())
    try:
        yield held
    finally:
        ours = held.valid
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        if ours:
            await held.release()


async def _acquire(presence: EventLog, subject: str, held: Held, terms: Terms) -> None:
    async with presence.follow([subject], FromSnapshot()) as news:
        while True:
            try:
                fence = await _free_at(presence, subject)
                if fence is not None and await held.claim(fence):
                    return
            except BusUnavailable:
                await asyncio.sleep(PAUSE)
            with suppress(TimeoutError):
                async with asyncio.timeout(terms.ttl.total_seconds()):
                    await anext(news)


async def _free_at(presence: EventLog, subject: str) -> int | None:
    """Return the fence under which a lease is free: a marker's sequence, or 0 for nothing there."""
    last = await presence.last(subject)
    if last is None:
        return 0
    return last.sequence if last.gone else None
