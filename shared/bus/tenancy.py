"""One process's half of leases: a tenancy, and what it claims for as long as that lasts.

Claiming and renewing are compare-and-sets, so of two claimants one wins. The process counts the
time from before it asked, by its own clock, so it knows of the end of its tenancy before the server
does; `Held.valid` is False from then on, whatever the network says. Whoever sees a tenancy end may
claim what it held. A lease is no lock: what it protects is fenced as well.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random

import msgspec

from shared.bus.commit import Committed, commit
from shared.bus.leases import ALL_LEASES, Book, Claim, Terms, lease_subject, tenancy_subject
from shared.bus.wire import GOODBYE
from shared.kernel.ids import content_id
from shared.ports.event_log import Bus, BusUnavailable, Entry, FromSnapshot, Reset
from shared.runtime.chance import SYSTEM_CHANCE

log = logging.getLogger(__name__)

PAUSE = 0.1


class Tenancy:
    """One tenancy of a process: what it is called, and until when it certainly lasts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sequence = 0
        self.until = 0.0
        self.over = False

    @property
    def valid(self) -> bool:
        """Tell whether it certainly lasts."""
        return not self.over and asyncio.get_running_loop().time() < self.until


class Held:
    """A lease in our hand, until it is lost."""

    def __init__(self, kind: str, tenancy: Tenancy, sequence: int) -> None:
        self.kind = kind
        self.sequence = sequence
        self._tenancy = tenancy
        self._lost = asyncio.Event()

    @property
    def valid(self) -> bool:
        """Tell whether it is certainly still ours."""
        return self._tenancy.valid and not self._lost.is_set()

    async def lost(self) -> None:
        """Return when it is not ours any more."""
        await self._lost.wait()

    def end(self) -> None:
        """Lose it."""
        self._lost.set()


class Tenant:
    """What one process holds. `run` must run for as long as anything is held or waited for."""

    def __init__(
        self,
        bus: Bus,
        member: str,
        *,
        terms: Terms | None = None,
        chance: Random = SYSTEM_CHANCE,
    ) -> None:
        self._bus = bus
        self._presence = bus.presence
        self._member = member
        self._terms = terms or Terms()
        self._chance = chance
        self._book = Book()
        self._wanted = asyncio.Event()
        self._claims = 0
        self._tenancy: Tenancy | None = None
        self._held: dict[str, Held] = {}
        self._waiting: dict[asyncio.Event, None] = {}

    async def run(self) -> None:
        """Be a tenant, and read who else is, until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._read(), name="leases of all")
                group.create_task(self._renew_for_ever(), name="tenancy")
                group.create_task(self._doubt(), name="tenancies of others")
        finally:
            tenancy = self._tenancy
            self._lose_everything()
            if tenancy is not None:
                await self._say_goodbye(tenancy_subject(tenancy.name), tenancy.sequence)

    @asynccontextmanager
    async def hold(self, kind: str, value: str) -> AsyncIterator[Held]:
        """Wait for a lease, and keep it until the context ends or it is lost."""
        self._wanted.set()
        held = await self._acquire(kind, value)
        self._held[kind] = held
        try:
            yield held
        finally:
            del self._held[kind]
            if held.valid:
                await self._say_goodbye(lease_subject(kind), held.sequence)

    async def _acquire(self, kind: str, value: str) -> Held:
        change = asyncio.Event()
        self._waiting[change] = None
        try:
            while True:
                change.clear()
                tenancy = self._tenancy
                try:
                    fence = await self._free_at(kind, tenancy) if tenancy is not None else None
                    if tenancy is None or fence is None:
                        await change.wait()
                        continue
                    held = await self._claim(kind, value, tenancy, fence)
                except BusUnavailable:
                    held = None
                if held is not None:
                    return held
                await asyncio.sleep(PAUSE)
        finally:
            del self._waiting[change]

    async def _free_at(self, kind: str, tenancy: Tenancy) -> int | None:
        """Return the fence under which a lease may be claimed, which the leader knows; or None.

        What we hold without knowing, because an answer got lost, may be claimed as well. What we
        have not read yet is on its way.
        """
        holder = self._book.holder(kind)
        ours = holder is not None and holder.tenancy == tenancy.name and kind not in self._held
        if not self._book.synced or not (holder is None or ours):
            return None
        last = await self._presence.last(lease_subject(kind))
        if last is None:
            return 0
        known = last.gone or last.sequence == self._book.sequence(kind)
        return last.sequence if known else None

    async def _claim(self, kind: str, value: str, tenancy: Tenancy, fence: int) -> Held | None:
        """Write ourselves in if nothing was written since the fence."""
        subject = lease_subject(kind)
        self._claims += 1
        entry = Entry(
            subject=subject,
            id=content_id(subject, tenancy.name, self._claims),
            data=msgspec.json.encode(Claim(value=value, tenancy=tenancy.name)),
            fence=fence,
        )
        answer = await commit(self._presence, entry, chance=self._chance)
        if not isinstance(answer, Committed) or not tenancy.valid:
            return None
        if self._book.sequence(kind) > answer.sequence:
            return None
        return Held(kind, tenancy, answer.sequence)

    async def _read(self) -> None:
        """Read who holds what, anew after each reconnection: what ended meanwhile left no trace."""
        while True:
            generation = self._bus.generation
            self._book = Book()
            async with asyncio.TaskGroup() as group:
                following = group.create_task(self._follow())
                await self._bus.reconnected(generation)
                following.cancel()

    async def _follow(self) -> None:
        async with self._presence.follow(ALL_LEASES, FromSnapshot()) as news:
            async for one in news:
                if not self._book.learn(one):
                    continue
                for held in self._held.values():
                    if isinstance(one, Reset) or self._book.sequence(held.kind) > held.sequence:
                        held.end()
                self._tell()

    async def _doubt(self) -> None:
        """Ask the leader now and then who is still there, while we wait for somebody's end.

        Who slept may have missed the news: the mark of an end does not last.
        """
        while True:
            await asyncio.sleep(self._terms.ttl.total_seconds())
            for name in self._book.tenancies() if self._waiting else ():
                with suppress(BusUnavailable):
                    last = await self._presence.last(tenancy_subject(name))
                    if last is None or last.gone:
                        self._book.end(name)
                        self._tell()

    async def _renew_for_ever(self) -> None:
        """Have one tenancy after the other, from when something is wanted."""
        await self._wanted.wait()
        while True:
            try:
                tenancy = await self._begin()
                if tenancy is not None:
                    await self._keep(tenancy)
            except BusUnavailable as error:
                log.debug("a tenancy waits for the bus", extra={"why": error})
            self._lose_everything()
            await asyncio.sleep(PAUSE)

    async def _begin(self) -> Tenancy | None:
        """Begin a tenancy under a name that none has had; a former one ends by itself."""
        end = await self._presence.end()
        tenancy = Tenancy(f"{self._member}-{end.last}")
        if not await self._renew(tenancy, 0, asyncio.get_running_loop().time()):
            return None
        self._tenancy = tenancy
        self._tell()
        return tenancy

    async def _renew(self, tenancy: Tenancy, fence: int, begun: float) -> bool:
        """Renew; `begun` is before the first try, for the answer may be to that one."""
        subject = tenancy_subject(tenancy.name)
        entry = Entry(
            subject=subject,
            id=content_id(subject, fence, tenancy.name),
            data=tenancy.name.encode(),
            fence=fence,
            ttl=self._terms.ttl,
        )
        answer = await commit(self._presence, entry, chance=self._chance)
        if isinstance(answer, Committed):
            tenancy.sequence = answer.sequence
            tenancy.until = begun + self._terms.ttl.total_seconds()
        return isinstance(answer, Committed)

    async def _keep(self, tenancy: Tenancy) -> None:
        """Renew until that fails or comes too late."""
        try:
            while True:
                async with asyncio.timeout_at(tenancy.until):
                    await asyncio.sleep(self._terms.renew.total_seconds())
                    if not await self._renewed(tenancy):
                        return
        except TimeoutError:
            log.warning("leases not renewed in time", extra={"member": self._member})

    async def _renewed(self, tenancy: Tenancy) -> bool:
        begun = asyncio.get_running_loop().time()
        while True:
            try:
                return await self._renew(tenancy, tenancy.sequence, begun)
            except BusUnavailable:
                await asyncio.sleep(PAUSE)

    def _lose_everything(self) -> None:
        """End the tenancy, and with it every lease."""
        if self._tenancy is not None:
            self._tenancy.over = True
            self._tenancy = None
        for held in self._held.values():
            held.end()

    def _tell(self) -> None:
        for change in self._waiting:
            change.set()

    async def _say_goodbye(self, subject: str, fence: int) -> None:
        """Give something back, so that the next one need not wait."""
        entry = Entry(
            subject=subject,
            id=content_id(subject, fence, "released"),
            data=b"",
            fence=fence,
            headers=GOODBYE,
            ttl=self._terms.ttl,
        )
        with suppress(BusUnavailable):
            await self._presence.append(entry)
