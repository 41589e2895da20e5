"""The courier's loop: a round for each subscription of the file, and the file looked at again.

A subscription that changed gets a new round when the old one has finished its requests; one that
vanished from the file keeps its place on the bus for a month. What is wrong in the file is told and
leaves the others alone; a file that cannot be read at all changes nothing.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import aiohttp

from services.courier.loading import Source
from services.courier.metrics import PROBLEMS
from services.courier.round import Means, Round
from services.courier.sink import Sink, open_session
from services.courier.subscriptions import Problem, Read, Subscription
from shared.bus.tenancy import Tenant
from shared.runtime.backoff import Backoff
from shared.runtime.chance import SYSTEM_CHANCE
from shared.runtime.supervision import contained

log = logging.getLogger(__name__)

LOOK_EVERY = timedelta(seconds=5)
AGAIN = Backoff(first=timedelta(seconds=1), most=timedelta(seconds=60))


class Courier:
    """Serves every subscription of one file until it is told to stop."""

    def __init__(
        self, means: Means, source: Source, code: str, *, look_every: timedelta = LOOK_EVERY
    ) -> None:
        self._means = means
        self._tenant = Tenant(means.bus, f"courier-{means.member}")
        self._source = source
        self._code = code
        self._look_every = look_every.total_seconds()
        self._stopping = asyncio.Event()
        self._rounds: dict[str, tuple[Round, asyncio.Task[None]]] = {}
        self._problems: tuple[Problem, ...] = ()

    def drain(self) -> None:
        """Send nothing new; finish the requests that are under way."""
        self._stopping.set()

    async def run(self) -> None:
        """Serve until drained."""
        async with asyncio.TaskGroup() as group:
            leases = group.create_task(self._tenant.run(), name="leases")
            async with self._session() as http:
                await self._serve(http)
            leases.cancel()

    async def _serve(self, http: aiohttp.ClientSession) -> None:
        while not self._stopping.is_set():
            read = self._source.look()
            if read is not None:
                await self._take(read, http)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._look_every):
                    await self._stopping.wait()

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[aiohttp.ClientSession]:
        """Open what sinks share; end every round before it closes, gently if nothing broke."""
        async with open_session(self._code) as http:
            try:
                yield http
                await self._close(tuple(self._rounds))
            finally:
                await self._cancel(tuple(self._rounds))

    async def _take(self, read: Read, http: aiohttp.ClientSession) -> None:
        self._tell(read.problems)
        if any(not problem.path for problem in read.problems):
            return
        wanted = {one.name: one for one in read.subscriptions}
        over = [
            name
            for name, (each, _) in self._rounds.items()
            if wanted.get(name) != each.subscription
        ]
        await self._close(over)
        await self._cancel(over)
        for name in over:
            if name not in wanted:
                log.info("subscription is served no more", extra={"subscription": name})
        for name, subscription in wanted.items():
            if name not in self._rounds:
                self._begin(subscription, http)

    def _tell(self, problems: tuple[Problem, ...]) -> None:
        PROBLEMS.set(len(problems))
        if problems != self._problems:
            for problem in problems:
                log.error("subscription file has a mistake", extra={"error": str(problem)})
        self._problems = problems

    def _begin(self, subscription: Subscription, http: aiohttp.ClientSession) -> None:
        sink = Sink(http, self._source, subscription, self._means.clock)
        each = Round(subscription, sink, self._means, self._tenant)
        task = asyncio.create_task(_keep(each), name=f"round {subscription.name}")
        self._rounds[subscription.name] = (each, task)
        log.info("subscription is served", extra={"subscription": subscription.name})
        if not subscription.verified:
            log.warning(
                "the sink's certificate is not checked", extra={"subscription": subscription.name}
            )

    async def _close(self, names: Sequence[str]) -> None:
        """Let requests that are under way come to their end."""
        await asyncio.gather(*(self._rounds[name][0].close() for name in names))

    async def _cancel(self, names: Sequence[str]) -> None:
        tasks = [self._rounds.pop(name)[1] for name in names]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep(each: Round) -> None:
    """Begin a round again that broke: one bad subscription must not stop all the others."""
    failures = 0
    while True:
        error = await contained(each.run())
        failures += 1
        again = AGAIN.pause(failures, SYSTEM_CHANCE).total_seconds()
        log.error(
            "subscription broke and will begin again",
            exc_info=error,
            extra={"subscription": each.subscription.name, "again_in": round(again, 3)},
        )
        await asyncio.sleep(again)
