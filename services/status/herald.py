"""Tells everybody what happens to resources: one event after the other, each once and in order.

An event is written to the log under a fence over all events of its resource, and the server passes
it on to RAYPUB. Whoever loses the race has told nothing. What was told last is read from the log,
so that any worker goes on where another one stopped; before it ages out there, it is told again. An
event that is too large is left out: nothing else may wait for it.
"""

import logging
from datetime import timedelta

from services.status.lifecycle.telling import Event, next_event, told_again
from services.status.metrics.counters import TOLD
from shared.aggregates.view import View
from shared.bus.commit import Committed, commit
from shared.bus.errors import EntryTooLargeError
from shared.events import subjects
from shared.events.cloudevents import Circumstances, Mode, cloud_event, write
from shared.kernel.ids import content_id
from shared.kernel.instants import print_precisely
from shared.kernel.keys import ResourceKey
from shared.ports.clock import Clock
from shared.ports.event_log import Bus, Entry

log = logging.getLogger(__name__)

REFRESH_AFTER = timedelta(days=7) / 3
AT_ONCE = 32
"""How many events of one resource are told before others have their turn."""


class Herald:
    """Writes lifecycle events."""

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        code: str,
        mode: Mode = "structured",
        refresh_after: timedelta = REFRESH_AFTER,
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._code = code
        self._mode: Mode = mode
        self._refresh_after = refresh_after
        self._awaited: dict[ResourceKey, tuple[int, int]] = {}
        """In which memory of the log the last event was written, and its sequence."""

    async def tell(self, view: View, generation: int, memory: int) -> None:
        """Tell what there is to tell of a resource; `memory` counts how often the log was lost."""
        try:
            await self._tell(view, generation, memory)
        except EntryTooLargeError as problem:
            log.warning("event is left out", extra={"error": str(problem)})

    async def _tell(self, view: View, generation: int, memory: int) -> None:
        told = view.life.body if view.life else None
        uid = view.life.uid if view.life else ""
        fence = view.life.sequence if view.life else 0
        if self._is_behind(view.key, fence, memory):
            return
        for _ in range(AT_ONCE):
            event = next_event(view, told, uid) or self._again(view, fence)
            if event is None:
                return
            written = await commit(
                self._bus.log,
                self._entry(view, event, fence),
                still=lambda: generation == self._bus.generation,
            )
            if not isinstance(written, Committed):
                if written.message is not None or not fence:
                    return
                fence = 0  # the log has forgotten what was told; nobody else has told anything
                continue
            TOLD.labels(kind=view.key.kind, event=event.body.what).inc()
            told, uid, fence = event.body, event.uid, written.sequence
            self._awaited[view.key] = (memory, fence)

    def _again(self, view: View, fence: int) -> Event | None:
        """Return the last event once more if the log would forget it soon."""
        life = view.life
        if life is None or life.sequence != fence or view.now - life.at < self._refresh_after:
            return None
        return told_again(view, life.body, life.uid)

    def _is_behind(self, key: ResourceKey, fence: int, memory: int) -> bool:
        """Whether the view does not hold yet what we have told; what the log lost it never will."""
        written_in, awaited = self._awaited.get(key, (memory, 0))
        if written_in == memory and fence < awaited:
            return True
        self._awaited.pop(key, None)
        return False

    def _entry(self, view: View, event: Event, fence: int) -> Entry:
        told = event.body
        identity = content_id(event.uid, told.number, told.what, print_precisely(view.now))
        about = Circumstances(
            key=view.key,
            uid=event.uid,
            id=identity,
            at=view.now,
            recorded_at=self._clock.now(),
            based_on=view.based_on,
            code=self._code,
        )
        written = write(cloud_event(told, about), self._mode)
        return Entry(
            subject=subjects.life(view.key, told.what),
            id=identity,
            data=written.body,
            headers=written.headers,
            fence=fence,
            fence_over=subjects.whole_life(view.key),
        )
