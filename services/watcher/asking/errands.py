"""One want, asked again and again; what changed is written.

An errand lives as long as its want. Dashboards that hang hold up nobody else: every errand has its
own task, and every call its bound. The pause between two questions is spread a little, so that a
thousand jobs that began together are not asked together.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from random import Random

from msgspec import Struct

from services.watcher.asking.questions import Questions
from shared.events.told import Told, Want
from shared.kernel.keys import ResourceKey
from shared.ports.clock import Clock
from shared.runtime.chance import SYSTEM_CHANCE
from shared.runtime.supervision import contained

log = logging.getLogger(__name__)

SPREAD = 0.2
"""How much of a pause may be added or left out."""

Write = Callable[[ResourceKey, Want, Told], Awaitable[bool]]
"""Writes an answer; False if it did not land."""


class Known(Struct, frozen=True, kw_only=True):
    """What the log holds of an answer."""

    body: Told
    at: datetime


class Means(Struct, frozen=True, kw_only=True):
    """What every errand works with. Answers older than `refresh_after` are written again."""

    questions: Questions
    clock: Clock
    write: Write
    refresh_after: timedelta
    chance: Random = SYSTEM_CHANCE


class Errand:
    """Asks for one want of one resource until it is cancelled."""

    def __init__(self, key: ResourceKey, want: Want, means: Means) -> None:
        self.want = want
        self._key = key
        self._means = means
        self._known: Known | None = None

    def learn(self, known: Known | None) -> None:
        """Take over what the log holds now."""
        self._known = known

    async def run(self) -> None:
        """Ask until cancelled."""
        while True:
            error = await contained(self._ask())
            if error is not None:
                log.error("asking failed", exc_info=error, extra={"resource": str(self._key)})
            spread = 1 + SPREAD * (2 * self._means.chance.random() - 1)
            await asyncio.sleep(self.want.every.total_seconds() * spread)

    async def _ask(self) -> None:
        answer = await self._means.questions.ask(self._key.namespace, self.want)
        if answer is None or not self._is_news(answer):
            return
        if await self._means.write(self._key, self.want, answer):
            self._known = Known(body=answer, at=self._means.clock.now())

    def _is_news(self, answer: Told) -> bool:
        """Whether the log does not say so yet, or not for much longer."""
        known = self._known
        if known is None or known.body != answer:
            return True
        return self._means.clock.now() - known.at >= self._means.refresh_after
