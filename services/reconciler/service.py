"""The reconciler's loop: take a resource that has news, fold, decide, record.

All the thinking is in `services.reconciler.decisions`; this file only carries things in and out.
The commit is a compare-and-set on the resource's last act: two owners, a woken zombie or a
repeated delivery lose, and fold the news instead. Its own act is folded when the tail brings it,
never before.
"""

import asyncio
import logging

import msgspec

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import RULES, Context
from services.reconciler.decisions.settings import DecisionSettings, digest_of
from services.reconciler.haste import Haste
from services.reconciler.metrics import BRAKED, COMMITTED, DECIDING, LOST
from services.reconciler.parking import where_broken
from shared.aggregates.view import View
from shared.bus.commit import Committed, Lost, commit
from shared.events import subjects
from shared.events.codec import encode
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import SCHEMA, Envelope
from shared.events.records import Parked
from shared.following.follower import Follower, Ownership
from shared.following.sessions import Sessions
from shared.kernel.ids import content_id
from shared.kernel.instants import EPOCH
from shared.kernel.keys import ResourceKey
from shared.ports.clock import Clock
from shared.ports.event_log import Bus, Entry
from shared.resources.observed import observed
from shared.telemetry.context import about

log = logging.getLogger(__name__)


class Reconciler:
    """Decides for the resources of its partitions."""

    def __init__(
        self, bus: Bus, clock: Clock, ownership: Ownership, settings: DecisionSettings, code: str
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._settings = settings
        self._code = code
        self._follower = Follower(bus, ownership, self._attend, broke=self._broke)
        kinds = observed(settings.surroundings)
        self._sessions = Sessions(bus, kinds, self._follower.look_at_everything)
        self._awaited: dict[ResourceKey, tuple[int, int]] = {}
        """Our last act of a resource: in which memory of the log, at which sequence."""
        self._undecided: set[ResourceKey] = set()
        """Those that are decided about, or over which the rules broke at the last look."""
        self._haste = Haste()
        self._braked: set[ResourceKey] = set()
        self._recorded_in = -1
        """The memory of the log in which our settings stand."""
        self._record_again_at = EPOCH

    def trouble(self) -> str | None:
        """Say why nothing is decided now, if so."""
        if not self._follower.synced:
            return "its partitions are not loaded"
        return None if self._sessions.current else "the watchers have not listed everything"

    async def run(self) -> None:
        """Serve until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._sessions.run(), name="sessions")
            group.create_task(self._follower.run(), name="follower")

    async def _attend(self, view: View) -> None:
        session, generation = self._sessions.current, self._bus.generation
        if session is None or not self._follower.has_read(view.key, self._sessions.listed_at):
            return
        if self._awaits(view) or self._is_hasty(view.key):
            return
        if view.last_act is not None and int(view.last_act.rules) > int(RULES):
            return
        self._undecided.add(view.key)
        with DECIDING.time():
            act = decide(view, Context(settings=self._settings, session=session))
        self._undecided.discard(view.key)
        if act is not None:
            with about(resource=str(view.key), kind=view.key.kind, revision=view.based_on):
                await self._commit(view, act, generation)
        elif view.parking is not None and _stands(view, view.parking.body):
            await self._park(view, "")

    async def _broke(self, view: View, error: Exception) -> None:
        """Say on the resource that the rules broke over it, and where."""
        if view.own is not None and view.key in self._undecided:
            await self._park(view, where_broken(error))

    async def _park(self, view: View, where: str) -> None:
        """Record where the rules broke over a resource, or that they hold again.

        Once, and again before it ages out, or if the log has forgotten it.
        """
        generation, last = self._bus.generation, view.parking
        seen = view.own.meta.generation if view.own else 0
        body = Parked(generation=seen, act=view.act_fence, where=where)
        again_at = last.at + self._settings.refresh_after if last else EPOCH
        known = last is not None and (last.body, last.uid) == (body, uid_of(view))
        if known and self._clock.now() < again_at:
            return
        for fence in (last.sequence, 0) if last else (0,):
            answer = await commit(
                self._bus.log,
                self._parked(view, body, fence),
                still=lambda: generation == self._bus.generation,
            )
            if not isinstance(answer, Lost) or answer.message is not None:
                return

    def _parked(self, view: View, body: Parked, fence: int) -> Entry:
        subject = subjects.parked(view.key)
        identity = content_id(subject, fence, body.generation, body.act, body.where)
        data = encode(self._envelope(view, identity, body))
        return Entry(subject=subject, id=identity, data=data, fence=fence)

    def _awaits(self, view: View) -> bool:
        """Whether our own last act is not in the view yet; one that the log lost never will be."""
        memory, sequence = self._awaited.get(view.key, (0, 0))
        if memory == self._follower.losses and view.act_fence < sequence:
            return True
        self._awaited.pop(view.key, None)
        return False

    def _is_hasty(self, key: ResourceKey) -> bool:
        """Whether it was decided on too often; then it is looked at again when it may be."""
        loop = asyncio.get_running_loop()
        seconds = self._haste.wait(key, loop.time())
        if seconds and key not in self._braked:
            self._braked.add(key)
            BRAKED.inc()
            loop.call_later(seconds, self._release, key)
            if self._haste.is_news(key):
                log.warning("decided on too often", extra={"resource": str(key)})
        return bool(seconds)

    def _release(self, key: ResourceKey) -> None:
        self._braked.discard(key)
        self._follower.look_at(key)

    async def _commit(self, view: View, act: Decided, generation: int) -> None:
        memory = self._follower.losses
        await self._record_settings()
        answer = await commit(
            self._bus.log,
            self._entry(view, act),
            still=lambda: generation == self._bus.generation,
        )
        if not isinstance(answer, Committed):
            LOST.inc()
            return
        if generation == self._bus.generation:
            self._awaited[view.key] = (memory, answer.sequence)
        COMMITTED.inc()
        self._haste.spend(view.key, asyncio.get_running_loop().time())
        log.info(
            "decided",
            extra={
                "because": "; ".join(act.because),
                "action": ", ".join(sorted({type(action).__name__ for action in act.actions})),
            },
        )

    def _entry(self, view: View, act: Decided) -> Entry:
        data = encode(self._envelope(view, act.id, act))
        return Entry(subject=subjects.act(view.key), id=act.id, data=data, fence=act.fence)

    def _envelope(self, view: View, identity: str, body: Decided | Parked) -> Envelope:
        return Envelope(
            schema=SCHEMA,
            id=identity,
            body=body,
            code=self._code,
            written_at=self._clock.now(),
            key=view.key,
            uid=uid_of(view),
            cause=view.based_on,
        )

    async def _record_settings(self) -> None:
        """Put our settings into the log, and again before they age out or when it was lost.

        Every act names them: without them it could not be decided again.
        """
        memory, now = self._follower.losses, self._clock.now()
        if self._recorded_in == memory and now < self._record_again_at:
            return
        digest = digest_of(self._settings)
        subject = subjects.settings(digest)
        last = await self._bus.log.last(subject)
        again_at = last.at + self._settings.refresh_after if last else now
        if now >= again_at:
            fence = last.sequence if last else 0
            await self._bus.log.append(self._settings_entry(subject, digest, fence))
            again_at = now + self._settings.refresh_after
        self._recorded_in, self._record_again_at = memory, again_at

    def _settings_entry(self, subject: str, digest: str, fence: int) -> Entry:
        body = SettingsUsed(digest=digest, settings=as_plain(self._settings))
        identity = content_id(subject, fence)
        envelope = Envelope(
            schema=SCHEMA, id=identity, body=body, code=self._code, written_at=self._clock.now()
        )
        return Entry(subject=subject, id=identity, data=encode(envelope), fence=fence)


def _stands(view: View, told: Parked) -> bool:
    """Whether it was told that the rules broke, and no act since says otherwise."""
    return bool(told.where) and told.act == view.act_fence


def uid_of(view: View) -> str:
    """Return whose view it is, also when that is gone."""
    return view.own.meta.uid if view.own else view.former.uid if view.former else ""


def as_plain(settings: DecisionSettings) -> dict[str, object]:
    """Return settings as the plain values that stand in the log."""
    plain: dict[str, object] = msgspec.to_builtins(settings, order="deterministic")
    return plain
