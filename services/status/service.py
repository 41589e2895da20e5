"""The status service's loop: take a resource that has news, assess it, write what differs.

Kubernetes first, under the resourceVersion and uid that the assessment rests on, then the log with
the version it got: of the resource's own observation and the written status the newer one is the
status, so an echo, a crash between the two and a lost log all read right. Never backwards: a write
that comes after newer news is refused by the API server, and the news is assessed instead. What is
not urgent (`urgency.py`) waits a moment for company (`patience.py`). Before a status is replaced,
everybody is told of it (`herald.py`): so no state is left out. A shadow has nothing to write with:
it tells what happens, and the statuses are those of the operator that acts.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from weakref import WeakSet

from msgspec import Struct

from services.status.assessing import assessed, must_not_wait, stamped
from services.status.conditions.raycluster import OF_ALL
from services.status.dropped import Dropped
from services.status.herald import REFRESH_AFTER, Herald
from services.status.left_alone import Silence, told_of
from services.status.metrics.attempts import JOBS
from services.status.metrics.collector import CLUSTERS
from services.status.metrics.counters import ASSESSING, CONFLICTS, UNREADABLE, WRITTEN
from services.status.metrics.obstacles import OBSTACLES
from services.status.metrics.services import SERVICES
from services.status.patch import described, difference
from services.status.patience import Patience
from services.status.reading import somebody_elses
from shared.aggregates.ledger import Unreadable
from shared.aggregates.view import View
from shared.bus.commit import commit
from shared.events import subjects
from shared.events.cloudevents import Mode
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Envelope
from shared.events.records import StatusWritten
from shared.following.follower import Follower, Ownership
from shared.following.sessions import Sessions
from shared.kernel.features import Features
from shared.kernel.ids import content_id
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import mapping_at, text_at
from shared.kube.kinds import KINDS
from shared.kube.reading import version_in
from shared.ports.clock import Clock
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, Object, StatusWriter
from shared.ports.event_log import Bus, Entry
from shared.resources.observed import OBSERVED
from shared.telemetry.context import about

log = logging.getLogger(__name__)

CONFLICT, NOT_FOUND = 409, 404
PAUSE_REFUSED = 30.0
"""How long a resource waits after Kubernetes said no, in seconds."""
PAUSE = 1.0
"""How long a resource waits after Kubernetes did not answer, in seconds."""
PAUSE_OVERTAKEN = 5.0
"""How long a resource waits for the news that a conflict speaks of, in seconds; none may come."""


_SERVING: WeakSet[Follower] = WeakSet()
UNREADABLE.set_function(lambda: sum(each.unreadable for each in tuple(_SERVING)))


class StatusSettings(Struct, frozen=True, kw_only=True):
    """What statuses depend on: the gates, and the kinds that must be listed before any is told."""

    features: Features = OF_ALL
    events: Mode = "structured"
    """How lifecycle events are written."""
    kinds: tuple[str, ...] = OBSERVED
    refresh_after: timedelta = REFRESH_AFTER
    """When a lifecycle event is told again, before the log forgets it."""


USUAL = StatusSettings()


class Status:
    """Writes the statuses of the resources of its partitions."""

    def __init__(
        self,
        bus: Bus,
        cluster: StatusWriter | None,
        clock: Clock,
        ownership: Ownership,
        code: str,
        *,
        wishes: StatusSettings = USUAL,
    ) -> None:
        self._bus = bus
        self._cluster = cluster
        self._clock = clock
        self._code = code
        self._features = wishes.features
        self._follower = Follower(bus, ownership, self._attend, leave=self._leave)
        self._sessions = Sessions(bus, wishes.kinds, self._follower.look_at_everything)
        self._awaited: dict[ResourceKey, int] = {}
        self._overtaken: dict[ResourceKey, int] = {}
        """The versions at which a write came too late."""
        self._dropped = Dropped()
        self._silence = Silence()
        self._patience = Patience()
        self._herald = Herald(bus, clock, code, wishes.events, wishes.refresh_after)
        self._looks: dict[ResourceKey, asyncio.TimerHandle] = {}

    def trouble(self) -> str | None:
        """Say why nothing is assessed now, if so."""
        if not self._follower.synced:
            return "its partitions are not loaded"
        return None if self._sessions.current else "the watchers have not listed everything"

    async def run(self) -> None:
        """Serve until cancelled."""
        outlines = self._follower.outlines
        with ExitStack() as shown:
            for collector in (CLUSTERS, JOBS, SERVICES, OBSTACLES):
                shown.enter_context(collector.showing(outlines))
            _SERVING.add(self._follower)
            try:
                await self._serve()
            finally:
                _SERVING.discard(self._follower)

    async def _serve(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._sessions.run(), name="sessions")
            group.create_task(self._follower.run(), name="follower")

    async def _leave(self, view: View, unreadable: Sequence[Unreadable]) -> None:
        """Say that a resource is left alone, once that has lasted for a while."""
        generation, key, first = self._bus.generation, view.key, unreadable[0]
        if view.own is None:
            self._forget(key)
            return
        seconds = self._silence.seconds(key, first.sequence, asyncio.get_running_loop().time())
        if seconds:
            self._look_later(key, seconds)
            return
        if self._silence.break_once(key):
            log.warning("left alone", extra={"resource": str(key), "error": first.problem})
        if self._cluster is not None and self._may_tell(view):
            status = told_of(view, unreadable, self._features)
            patch = difference(view.status, status)
            if patch and not self._dropped.hopeless(key, patch):
                await self._write(view, patch, status, generation)

    async def _attend(self, view: View) -> None:
        generation = self._bus.generation
        self._silence.end(view.key)
        if self._is_current(view):
            await self._herald.tell(view, generation, self._follower.losses)
        if view.own is None:
            self._forget(view.key)
        if self._cluster is None or not self._may_tell(view):
            self._patience.end(view.key)
            return
        with ASSESSING.time():
            status = assessed(view, self._features) or dict(view.status)
            patch = difference(view.status, status)
        if self._dropped.hopeless(view.key, patch):
            patch = {}
        if patch and not must_not_wait(view, patch):
            now = asyncio.get_running_loop().time()
            seconds = self._patience.wait(view.key, view.based_on, now)
            if seconds:
                self._look_later(view.key, seconds)
                return
        self._patience.end(view.key)
        if patch:
            await self._write(view, patch, status, generation)

    def _forget(self, key: ResourceKey) -> None:
        """Keep nothing of a resource that is gone."""
        self._awaited.pop(key, None)
        self._overtaken.pop(key, None)
        self._dropped.forget(key)
        self._silence.end(key)

    def _is_current(self, view: View) -> bool:
        """Whether everything is seen, and the resource is ours, there or gone."""
        if self._sessions.current is None or somebody_elses(view):
            return False
        return self._follower.has_read(view.key, self._sessions.listed_at)

    def _may_tell(self, view: View) -> bool:
        """Whether the resource is there, and our last write is in."""
        if not self._is_current(view) or view.own is None:
            return False
        return view.status_version >= self._awaited.get(view.key, 0)

    async def _write(
        self, view: View, patch: dict[str, object], status: dict[str, object], generation: int
    ) -> None:
        with about(resource=str(view.key), kind=view.key.kind, revision=view.based_on):
            stored = await self._patch(view, stamped(view, patch))
            if stored is not None:
                self._compare(view.key, stored, status)
                await self._record(view, stored, described(view.status, patch), generation)

    def _compare(self, key: ResourceKey, stored: Object, status: dict[str, object]) -> None:
        """Learn what the API server did not keep."""
        missing = difference(mapping_at(stored, "status"), status)
        fresh = self._dropped.learn(key, missing)
        if fresh:
            told = "the installed custom resource definition does not know these status fields"
            log.warning(told, extra={"fields": ", ".join(sorted(fresh))})

    async def _record(
        self, view: View, stored: Object, because: tuple[str, ...], generation: int
    ) -> None:
        version = version_in(text_at(stored, "metadata", "resourceVersion"))
        self._awaited[view.key] = version
        body = StatusWritten(
            status=dict(mapping_at(stored, "status")),
            resource_version=version,
            based_on=view.based_on,
            because=because,
        )
        JOBS.note(view, body.status, view.now)
        await commit(
            self._bus.log,
            self._entry(view, body),
            still=lambda: generation == self._bus.generation,
        )
        WRITTEN.inc()
        log.info("status written", extra={"because": "; ".join(because)})

    async def _patch(self, view: View, patch: dict[str, object]) -> Object | None:
        """Write to Kubernetes; None if there is newer news than the assessment rests on."""
        uid = view.own.meta.uid if view.own else ""
        body: Object = {
            "metadata": {"uid": uid, "resourceVersion": str(view.status_version)},
            "status": patch,
        }
        key = view.key
        if self._cluster is None:
            return None
        try:
            return await self._cluster.write_status(KINDS[key.kind], key.namespace, key.name, body)
        except ClusterRefusal as refusal:
            if refusal.code in (CONFLICT, NOT_FOUND):
                CONFLICTS.inc()
                self._look_later(key, self._pause_overtaken(view))
                return None
            log.warning("status refused", extra={"error": str(refusal)})
            self._look_later(key, PAUSE_REFUSED)
            return None
        except ClusterUnavailable as problem:
            log.warning("status not written", extra={"error": str(problem)})
            self._look_later(key, PAUSE)
            return None

    def _pause_overtaken(self, view: View) -> float:
        """Return how long to wait for newer news; longer if none came since the last conflict."""
        former = self._overtaken.get(view.key)
        self._overtaken[view.key] = view.status_version
        return PAUSE_REFUSED if former == view.status_version else PAUSE_OVERTAKEN

    def _look_later(self, key: ResourceKey, seconds: float) -> None:
        """Assess a resource again after a while, without keeping a hand busy meanwhile."""
        former = self._looks.get(key)
        if former is not None:
            former.cancel()
        self._looks[key] = asyncio.get_running_loop().call_later(seconds, self._look_again, key)

    def _look_again(self, key: ResourceKey) -> None:
        del self._looks[key]
        self._follower.look_at(key)

    def _entry(self, view: View, body: StatusWritten) -> Entry:
        subject = subjects.status(view.key)
        identity = content_id(subject, view.status_fence, body.resource_version)
        envelope = Envelope(
            schema=SCHEMA,
            id=identity,
            body=body,
            code=self._code,
            written_at=self._clock.now(),
            key=view.key,
            uid=view.own.meta.uid if view.own else "",
            cause=view.based_on,
        )
        return Entry(subject=subject, id=identity, data=encode(envelope), fence=view.status_fence)
