"""One session: from the list of a kind to the end of its lease.

Take stock of what the log holds, list, write the differences, mark the kind as listed, follow the
watch; list again when the watch's past is lost and, as a safety net, from time to time. A failed
list writes nothing. Nothing learnt here outlives the session: who follows begins with a list.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from datetime import timedelta
from random import Random
from typing import NoReturn

from msgspec import Struct

from services.watcher import metrics
from services.watcher.entries import known_of
from services.watcher.gaps import Known, Wanted, differences
from services.watcher.publishing import Publisher
from services.watcher.sources.marks import Mark, write_mark
from services.watcher.sources.pauses import Pauses
from services.watcher.translate.facts import Fact, Unusable, facts_of
from services.watcher.translate.metadata import version_of
from shared.events.records import KindListed
from shared.events.subjects import observed_everywhere
from shared.kernel.ids import content_id
from shared.ports.clock import Clock
from shared.ports.cluster import (
    ClusterReader,
    ClusterRefusal,
    ClusterUnavailable,
    ExpiredVersion,
    Happening,
    Kind,
    Listing,
    NotServed,
    Object,
)
from shared.ports.event_log import Bus, FromSnapshot
from shared.resources.observed import OPTIONAL
from shared.runtime.chance import SYSTEM_CHANCE

log = logging.getLogger(__name__)

NOTHING = Listing(resource_version=0, objects=())
"""What there is of a kind that the cluster does not serve. It may be installed later: the list is
tried again, and nobody has to wait for it meanwhile."""


class WatcherSettings(Struct, frozen=True, kw_only=True):
    """How a watcher works. `refresh_after` is a third of the log's age limit."""

    code: str
    relist_every: timedelta = timedelta(minutes=10)
    refresh_after: timedelta = timedelta(days=7) / 3
    call_deadline: timedelta = timedelta(seconds=5)
    in_flight_max: int = 256


class World(Struct, frozen=True, kw_only=True):
    """What a watcher needs: its ports, its name, and luck for jitter."""

    cluster: ClusterReader
    bus: Bus
    clock: Clock
    member: str
    chance: Random = SYSTEM_CHANCE


class Session:
    """One reign over one kind."""

    def __init__(
        self,
        kind: Kind,
        number: int,
        token: str,
        *,
        world: World,
        settings: WatcherSettings,
        publisher: Publisher,
    ) -> None:
        self._kind = kind
        self._number = number
        self._token = token
        self._world = world
        self._settings = settings
        self._publisher = publisher
        self._pauses = Pauses(world.chance)
        self._mark: Mark | None = None

    async def run(self) -> None:
        """List and follow until cancelled, or until the session is over."""
        because = "session"
        while True:
            metrics.RELISTS.labels(self._kind.name, because).inc()
            listing = await self._list()
            await self._mark_listed(listing)
            because = await self._follow_for_a_while(listing.resource_version)

    async def _list(self) -> Listing:
        while True:
            try:
                return await self._list_once()
            except NotServed as problem:
                if self._mark is None:
                    self._complain("kind is not served", problem)
                if self._kind.name in OPTIONAL:
                    await self._mark_listed(NOTHING)
                await self._pauses.after()
            except (ClusterUnavailable, ClusterRefusal) as problem:
                self._complain("list failed", problem)
                await self._pauses.after(problem)

    async def _list_once(self) -> Listing:
        await self._publisher.settled()
        inventory = await self._inventory()
        listing = await self._world.cluster.list(self._kind)
        self._publisher.learn(inventory)
        wanted = differences(
            inventory,
            self._facts(listing.objects),
            resource_version=listing.resource_version,
            stale_before=self._world.clock.now() - self._settings.refresh_after,
        )
        for each in wanted:
            await self._publisher.offer(each)
        await self._publisher.settled()
        return listing

    async def _inventory(self) -> dict[str, Known]:
        filters = (observed_everywhere(self._kind.name),)
        messages = self._world.bus.log.read(filters, FromSnapshot(), headers_only=True)
        return {message.subject: known_of(message) async for message in messages}

    async def _mark_listed(self, listing: Listing) -> None:
        if self._mark is not None and not self._ages(self._mark):
            return
        listed = KindListed(
            kind=self._kind.name,
            session=self._token,
            number=self._number,
            resource_version=listing.resource_version,
            count=len(listing.objects),
        )
        self._publisher.check()
        now = self._world.clock.now()
        self._mark = await write_mark(
            self._world.bus.log,
            listed,
            code=self._settings.code,
            now=now,
            refresh=self._mark is not None,
        )
        log.info(
            "kind is listed",
            extra={"kind": self._kind.name, "session": self._token, "count": listed.count},
        )

    def _ages(self, mark: Mark) -> bool:
        oldest = self._world.clock.now() - self._settings.refresh_after
        return mark.at is not None and mark.at < oldest

    async def _follow_for_a_while(self, version: int) -> str:
        """Follow until it is time for another list; return why it is."""
        try:
            async with asyncio.timeout(self._relist_seconds(version)):
                await self._follow(version)
        except TimeoutError:
            self._pauses.reset()
            return "periodic"
        except ExpiredVersion as problem:
            self._complain("watch expired", problem)
            await self._pauses.after()
            return "expired"

    def _relist_seconds(self, version: int) -> float:
        """Spread the lists of kinds and members: between three and five quarters of the span."""
        drawn = int(content_id(self._world.member, self._kind.name, version), 16) % 1000
        return self._settings.relist_every.total_seconds() * (0.75 + drawn / 2000)

    async def _follow(self, version: int) -> NoReturn:
        while True:
            problem: ClusterUnavailable | ClusterRefusal | None = None
            try:
                async with self._world.cluster.watch(self._kind, version) as batches:
                    async for batch in batches:
                        self._pauses.reset()
                        version = await self._take(batch, version)
            except (ClusterUnavailable, ClusterRefusal) as met:
                problem = met
                self._complain("watch broke", met)
            await self._pauses.after(problem)

    async def _take(self, batch: Iterable[Happening], version: int) -> int:
        for happening in batch:
            if happening.type != "BOOKMARK":
                gone = happening.type == "DELETED"
                for fact in self._facts((happening.object,), gone=gone):
                    await self._publisher.offer(Wanted(fact=fact))
            version = max(version, version_of(happening.object) or 0)
        return version

    def _facts(self, objects: Iterable[Object], *, gone: bool = False) -> Iterator[Fact]:
        for raw in objects:
            facts = facts_of(self._kind, raw, gone=gone)
            if isinstance(facts, Unusable):
                metrics.UNUSABLE.labels(self._kind.name).inc()
                log.warning(
                    "object cannot be told of",
                    extra={
                        "kind": self._kind.name,
                        "resource": facts.name,
                        "because": facts.because,
                    },
                )
            else:
                yield from facts

    def _complain(self, sentence: str, problem: Exception) -> None:
        log.warning(sentence, extra={"kind": self._kind.name, "error": str(problem)})
