"""Load and follow owned partitions; hand each resource with news to its service.

Gained partitions are loaded together by one tail; lost ones are forgotten at once. A view is given
out only when its partition is synced, and always is a prefix of the log. Session marks come with
every tail, so that `has_read` can tell whether a view holds what was written before a mark. After a
reconnection everything is loaded anew: sequences may repeat after a break. A resource of which a
record cannot be read is left alone, and its service may say so. Memory is a cache, nothing else.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager

from shared.aggregates.ledger import Ledger, Unreadable
from shared.aggregates.view import View
from shared.events.subjects import (
    ALL_SYNCS,
    everything_in,
    everything_of_kind,
    partition_of,
    place_of,
)
from shared.following.aside import Aside, Wish
from shared.following.queue import NewsQueue
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Batch, Bus, BusUnavailable, FromSnapshot, Message, Reset
from shared.runtime.supervision import contained

Ownership = Callable[[], AbstractAsyncContextManager[AsyncIterator[frozenset[int]]]]
Attend = Callable[[View], Coroutine[None, None, None]]
Leave = Callable[[View, Sequence[Unreadable]], Coroutine[None, None, None]]
"""Told of a resource that is left alone, as far as it can be read, and of what cannot."""
Broke = Callable[[View, Exception], Coroutine[None, None, None]]
"""Told of a resource that was set aside, as it was attended to, and of the error."""

HANDS = 16
PAUSE = 0.5
"""How long a resource waits after the bus did not answer, in seconds."""


REST_FROM = 50
"""With so many records a resource is large."""
REST_PER_RECORD = 0.00005
REST_LONGEST = 0.25


def rest_for(records: int) -> float:
    """Return how long a resource rests after it was attended to, in seconds.

    Attending costs time in proportion to its records, and so does the rest: however many pieces of
    news a cluster makes while it comes up, it takes a bounded share of a processor.
    """
    return min(records * REST_PER_RECORD, REST_LONGEST) if records >= REST_FROM else 0.0


log = logging.getLogger(__name__)


async def log_alone_says(_view: View, _error: Exception) -> None:
    """Leave it at the line in the log."""


class Share:
    """Partitions that were gained together and are followed by one tail."""

    def __init__(self, partitions: frozenset[int]) -> None:
        self.partitions = set(partitions)
        self.synced = False
        self.position = 0
        """The sequence up to which everything is read."""

    def holds(self, message: Message) -> bool:
        """Whether a message is of a partition that is still ours."""
        number = message.subject.split(".", 2)[1]
        return number.isdigit() and int(number) in self.partitions


class Follower:
    """Keeps a ledger of what it owns and has it attended to."""

    def __init__(
        self,
        bus: Bus,
        ownership: Ownership,
        attend: Attend,
        *,
        kinds: Sequence[str] = (),
        leave: Leave | None = None,
        broke: Broke = log_alone_says,
    ) -> None:
        """Follow resources of these kinds, or of all."""
        self._bus = bus
        self._kinds = tuple(kinds)
        self._ownership = ownership
        self._attend = attend
        self._leave = leave
        self._broke = broke
        self._ledger = Ledger()
        self._queue = NewsQueue()
        self._shares: dict[asyncio.Task[None], Share] = {}
        self._generation = -1
        self._told = False
        self._aside = Aside()
        self.losses = 0
        """How often what was known had to be forgotten because the log may be another."""

    @property
    def synced(self) -> bool:
        """Whether everything owned is loaded."""
        current = self._told and self._generation == self._bus.generation
        return current and all(share.synced for share in self._shares.values())

    @property
    def owned(self) -> frozenset[int]:
        """The partitions that are followed."""
        return frozenset().union(*(share.partitions for share in self._shares.values()))

    @property
    def unreadable(self) -> int:
        """How many resources are left alone because a record of theirs cannot be read."""
        return self._ledger.unreadable_resources()

    def has_read(self, key: ResourceKey, sequence: int) -> bool:
        """Whether a resource's view holds everything up to the session mark at this sequence."""
        number = partition_of(key)
        return any(
            number in share.partitions and share.position >= sequence
            for share in self._shares.values()
        )

    def outlines(self) -> Iterator[View]:
        """Yield every resource that is ours and loaded, without what belongs to it."""
        for key in sorted(self._ledger.resources()):
            if self._may_attend(key):
                yield self._ledger.outline(key)

    def look_at_everything(self) -> None:
        """Have every known resource attended to once."""
        self._queue.put(self._ledger.resources())

    def look_at(self, key: ResourceKey) -> None:
        """Have one resource attended to again."""
        self._queue.put((key,))

    async def run(self) -> None:
        """Follow and attend until cancelled."""
        with self._aside.counted():
            await self._serve()

    async def _serve(self) -> None:
        async with asyncio.TaskGroup() as hands:
            for number in range(HANDS):
                hands.create_task(self._work(), name=f"hand-{number}")
            while True:
                await self._reign()

    async def _reign(self) -> None:
        """Follow what is owned until the connection changes."""
        self._generation = self._bus.generation
        self._told = False
        self._drop(self._ledger.resources())
        self._shares.clear()
        self.losses += 1
        async with asyncio.TaskGroup() as tails:
            owning = tails.create_task(self._own(tails), name="ownership")
            await self._bus.reconnected(self._generation)
            owning.cancel()
            for task in tuple(self._shares):
                task.cancel()
        self._shares.clear()

    async def _own(self, tails: asyncio.TaskGroup) -> None:
        async with self._ownership() as changes:
            async for owned in changes:
                self._lose(self.owned - owned)
                gained = owned - self.owned
                if gained:
                    share = Share(gained)
                    task = tails.create_task(self._follow(share), name="tail")
                    self._shares[task] = share
                self._told = True

    def _lose(self, lost: frozenset[int]) -> None:
        for task, share in tuple(self._shares.items()):
            share.partitions -= lost
            if not share.partitions:
                task.cancel()
                del self._shares[task]
        self._forget(lost)

    def _forget(self, partitions: frozenset[int]) -> None:
        self._drop([key for key in self._ledger.resources() if partition_of(key) in partitions])

    def _drop(self, keys: Iterable[ResourceKey]) -> None:
        self._ledger.forget(keys)
        self._aside.forget(keys)

    async def _follow(self, share: Share) -> None:
        filters = (*self._filters(share), ALL_SYNCS)
        async with self._bus.log.follow(filters, FromSnapshot()) as news:
            async for batch in news:
                if isinstance(batch, Reset):
                    share.synced, share.position = False, 0
                    self.losses += 1
                    self._forget(frozenset(share.partitions))
                else:
                    self._fold(share, batch)
                    await asyncio.sleep(0)

    def _filters(self, share: Share) -> Iterator[str]:
        for number in sorted(share.partitions):
            if self._kinds:
                yield from (everything_of_kind(number, kind) for kind in self._kinds)
            else:
                yield everything_in(number)

    def _fold(self, share: Share, batch: Batch) -> None:
        ours = [message for message in batch.messages if share.holds(message)]
        touched = {self._ledger.apply(message) for message in ours}
        just_synced = batch.synced and not share.synced
        share.synced = batch.synced
        if batch.messages:
            share.position = batch.messages[-1].sequence
        if just_synced or any(place_of(message.subject) is None for message in batch.messages):
            self.look_at_everything()
        self._queue.put(sorted(key for key in touched if key is not None))

    async def _work(self) -> None:
        while True:
            key = await self._queue.take()
            try:
                error = await contained(self._look(key))
                if isinstance(error, BusUnavailable):
                    await asyncio.sleep(PAUSE)
                    self._queue.put((key,))
                elif error is not None:
                    self._set_aside(key, self._ledger.wish(key), error)
            finally:
                self._let_go(key)
            await asyncio.sleep(0)

    async def _look(self, key: ResourceKey) -> None:
        """Attend to a resource, unless it must not be or has to wait after a failure."""
        if not self._is_loaded(key):
            self._aside.forget((key,))
            return
        if self._aside.waits(key, self._ledger.wish):
            return
        wish, losses, unreadable = self._ledger.wish(key), self.losses, self._ledger.unreadable(key)
        if unreadable and self._leave is None:
            return
        view = self._ledger.view(key)
        attended = (
            self._leave(view, unreadable) if unreadable and self._leave else self._attend(view)
        )
        error = await contained(attended)
        if isinstance(error, BusUnavailable):
            raise error
        if error is None:
            self._aside.forget((key,))
        else:
            self._set_aside(key, wish, error)
            if losses == self.losses and self._is_loaded(key):
                await self._broke(view, error)

    def _set_aside(self, key: ResourceKey, wish: Wish, error: Exception) -> None:
        """Let a resource that breaks us wait; the others go on."""
        failures, pause = self._aside.put(key, wish)
        asyncio.get_running_loop().call_later(pause, self._try_again, key, failures)
        log.error(
            "resource set aside",
            exc_info=error,
            extra={"resource": str(key), "error": f"{type(error).__name__}: {error}"},
        )

    def _try_again(self, key: ResourceKey, failures: int) -> None:
        if self._aside.release(key, failures):
            self.look_at(key)

    def _let_go(self, key: ResourceKey) -> None:
        """Give a resource back; a large one rests first, and its news gather meanwhile."""
        rest = rest_for(self._ledger.size(key))
        if rest:
            asyncio.get_running_loop().call_later(rest, self._queue.let_go, key)
        else:
            self._queue.let_go(key)

    def _may_attend(self, key: ResourceKey) -> bool:
        """Whether the resource is ours, loaded, and all of its records are readable."""
        return self._is_loaded(key) and not self._ledger.unreadable(key)

    def _is_loaded(self, key: ResourceKey) -> bool:
        if self._generation != self._bus.generation:
            return False
        number = partition_of(key)
        return any(number in share.partitions and share.synced for share in self._shares.values())
