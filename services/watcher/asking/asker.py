"""Follow acts, and keep one errand for each want that the last of them states.

Askers share the resources as reconcilers do, by partitions: a resource is asked for by one of
them, or for a moment by two, which is harmless, because every answer is written under the fence of
the one before. A want that is no longer stated, a resource that is gone or was lost to another
asker: the errand ends.
"""

import asyncio
import logging
from datetime import timedelta

from msgspec import Struct

from services.watcher.asking.errands import Errand, Known, Means
from services.watcher.asking.questions import Questions
from services.watcher.metrics import ASKING, TOLD
from shared.aggregates.view import View
from shared.bus.commit import Committed, commit
from shared.events import subjects
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Envelope
from shared.events.told import Told, Want
from shared.following.follower import Follower, Ownership
from shared.kernel.ids import content_id
from shared.kernel.keys import ResourceKey
from shared.ports.clock import Clock
from shared.ports.event_log import Bus, BusUnavailable, Entry

log = logging.getLogger(__name__)

ASKED_FOR = ("rayjob", "rayservice")
"""Kinds whose acts want to know more than is watched."""
LOST_EVERY = 1.0
"""How often we look whether resources were lost to another asker, in seconds."""


class AskerSettings(Struct, frozen=True, kw_only=True):
    """How an asker works. `refresh_after` is a third of the log's age limit."""

    code: str
    refresh_after: timedelta = timedelta(days=7) / 3


class Asker:
    """One process's share in asking."""

    def __init__(
        self,
        bus: Bus,
        questions: Questions,
        clock: Clock,
        ownership: Ownership,
        settings: AskerSettings,
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._code = settings.code
        self._means = Means(
            questions=questions,
            clock=clock,
            write=self._write,
            refresh_after=settings.refresh_after,
        )
        self._follower = Follower(bus, ownership, self._attend, kinds=ASKED_FOR)
        self._errands: dict[ResourceKey, dict[str, tuple[Errand, asyncio.Task[None]]]] = {}
        self._fences: dict[str, int] = {}
        self._uids: dict[ResourceKey, str] = {}
        self._group: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Ask until cancelled; whoever runs again begins with nothing."""
        self._errands.clear()
        self._fences.clear()
        self._uids.clear()
        ASKING.set(0)
        async with asyncio.TaskGroup() as group:
            self._group = group
            group.create_task(self._follower.run(), name="follower")
            try:
                await self._let_go()
            finally:
                self._group = None  # who is told to end hears of news for a moment yet

    async def _attend(self, view: View) -> None:
        own, act = view.own, view.act
        wants = act.wants if act is not None and own is not None else ()
        self._uids[view.key] = own.meta.uid if own is not None else ""
        wanted = {want.name: want for want in wants}
        for name, (errand, _) in tuple(self._errands.get(view.key, {}).items()):
            if wanted.get(name) != errand.want:
                self._end(view.key, name)
        for want in wants:
            subject = subjects.told(view.key, want.name)
            told_at = view.dash_fences.get(want.name, 0)
            self._fences[subject] = max(told_at, self._fences.get(subject, 0))
            self._begin(view, want)
        if not wants:
            self._uids.pop(view.key, None)

    def _begin(self, view: View, want: Want) -> None:
        heard = view.told.get(want.name)
        known = Known(body=heard.body, at=heard.at) if heard is not None else None
        running = self._errands.get(view.key, {}).get(want.name)
        if running is not None:
            running[0].learn(known)
            return
        errand = Errand(view.key, want, self._means)
        errand.learn(known)
        if self._group is not None:
            task = self._group.create_task(errand.run(), name=f"ask {view.key} {want.name}")
            self._errands.setdefault(view.key, {})[want.name] = (errand, task)
            ASKING.inc()

    def _end(self, key: ResourceKey, name: str) -> None:
        errands = self._errands[key]
        _, task = errands.pop(name)
        task.cancel()
        self._fences.pop(subjects.told(key, name), None)
        if not errands:
            del self._errands[key]
        ASKING.dec()

    async def _let_go(self) -> None:
        """End the errands of resources that are another asker's now."""
        while True:
            await asyncio.sleep(LOST_EVERY)
            owned = self._follower.owned
            lost = [key for key in self._errands if subjects.partition_of(key) not in owned]
            for key in lost:
                for name in tuple(self._errands[key]):
                    self._end(key, name)

    async def _write(self, key: ResourceKey, want: Want, answer: Told) -> bool:
        subject = subjects.told(key, want.name)
        generation = self._bus.generation
        try:
            written = await commit(
                self._bus.log,
                self._entry(key, subject, answer),
                still=lambda: generation == self._bus.generation,
            )
        except BusUnavailable as problem:
            log.warning("answer not written", extra={"resource": str(key), "error": str(problem)})
            return False
        if isinstance(written, Committed):
            self._fences[subject] = written.sequence
            TOLD.inc()
            return True
        self._fences[subject] = written.message.sequence if written.message else 0
        return False

    def _entry(self, key: ResourceKey, subject: str, answer: Told) -> Entry:
        fence = self._fences.get(subject, 0)
        uid = self._uids.get(key, "")
        identity = content_id(subject, uid, fence, encode(answer))
        envelope = Envelope(
            schema=SCHEMA,
            id=identity,
            body=answer,
            code=self._code,
            written_at=self._clock.now(),
            key=key,
            uid=uid,
        )
        return Entry(subject=subject, id=identity, data=encode(envelope), fence=fence)
