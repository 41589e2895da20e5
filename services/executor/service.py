"""The executor's loop: take an act, carry it out once, record what came of it.

An act is in one hand at a time (`holding.py`); a call begins only after a look at the log's leader
that found the act still standing (`standing.py`), and only while the sessions that the act rests on
are the present ones (`footing.py`). Outcomes are recorded before the work item is
acknowledged; whoever gets it again finds them. Acts of many resources go on side by side, each in
bounded batches.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import timedelta

from msgspec import Struct

from services.executor.batches import batches
from services.executor.breaker import Breaker
from services.executor.budgets import Budgets, destroyed
from services.executor.finding import Job
from services.executor.footing import Footing
from services.executor.holding import Abandoned, Hold
from services.executor.metrics import ABANDONED, CARRYING_OUT, OUTCOMES
from services.executor.notices import notice_of
from services.executor.performing import Performer
from services.executor.shadow import Onlooker
from services.executor.standing import OvertakenBy, Standing, Stands, Superseded, standing
from shared.actions.objects import Action, ConfigureServe, ConfirmObject, PostNotice
from shared.actions.outcomes import Outcome, Overtaken
from shared.bus.commit import Committed, commit
from shared.dashboard.nowhere import NOWHERE
from shared.events import subjects
from shared.events.codec import UnreadableRecordError, decode, encode
from shared.events.decisions import WAKE, Answered, Decided
from shared.events.envelope import SCHEMA, Envelope, Record
from shared.events.records import TimerFired
from shared.ports.clock import Clock
from shared.ports.cluster import ClusterWriter
from shared.ports.dashboard import DEFAULT_TIMES, Dashboard
from shared.ports.event_log import Bus, BusUnavailable, Delivery, Entry
from shared.telemetry.context import about

log = logging.getLogger(__name__)

CONSUMER = "executor"
HANDS = 32
LATER = timedelta(seconds=30)
CALL_DEADLINE = timedelta(seconds=5)
SERVE_DEADLINE = timedelta(seconds=DEFAULT_TIMES.serve)
"""How long telling Serve what to run may take."""
ANSWERS_BETWEEN_MAX = 8
"""Answers to earlier acts that may come between; there is one per hand at most."""


class ExecutorSettings(Struct, frozen=True, kw_only=True):
    """How long a call may take, how much may be destroyed in a while, whether anything is done.

    `kinds` are those that the watchers must have listed, as the reconcilers have it.
    """

    call_deadline: timedelta = CALL_DEADLINE
    kinds: tuple[str, ...] = ()
    budgets: Budgets = Budgets()
    shadow: bool = False


USUAL = ExecutorSettings()


class Executor:
    """Carries out acts."""

    def __init__(
        self,
        bus: Bus,
        cluster: ClusterWriter,
        clock: Clock,
        code: str,
        *,
        dashboard: Dashboard = NOWHERE,
        wishes: ExecutorSettings = USUAL,
    ) -> None:
        self._bus = bus
        self._call_deadline = wishes.call_deadline
        self._performer = (
            Onlooker(cluster, dashboard) if wishes.shadow else Performer(cluster, clock, dashboard)
        )
        self._breaker = Breaker(bus, clock, wishes.budgets)
        self._footing = Footing(bus, wishes.kinds)
        self._clock = clock
        self._code = code
        self._draining = asyncio.Event()

    def drain(self) -> None:
        """Take no more acts; finish what is in hand."""
        self._draining.set()

    async def run(self) -> None:
        """Serve until cancelled or drained."""
        async with asyncio.TaskGroup() as group:
            counting = group.create_task(self._breaker.run(), name="counting")
            listening = group.create_task(self._footing.run(), name="sessions")
            await self._counted_or_draining()
            async with self._bus.log.deliveries(CONSUMER, most=HANDS) as deliveries:
                await self._serve_all(deliveries)
            counting.cancel()
            listening.cancel()

    async def _counted_or_draining(self) -> None:
        """Wait until the breaker knows what was done lately, unless it is time to go."""
        waits = {
            asyncio.create_task(self._breaker.ready()),
            asyncio.create_task(self._draining.wait()),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()

    async def _serve_all(self, deliveries: AsyncIterator[Delivery]) -> None:
        async with asyncio.TaskGroup() as group:
            taking = group.create_task(self._take(deliveries, group), name="taking")
            await self._draining.wait()
            taking.cancel()

    async def _take(self, deliveries: AsyncIterator[Delivery], group: asyncio.TaskGroup) -> None:
        async for delivery in deliveries:
            group.create_task(self._serve(delivery), name="carrying out")

    async def _serve(self, delivery: Delivery) -> None:
        try:
            record = decode(delivery.message)
            with about(resource=str(record.envelope.key), revision=record.sequence):
                async with Hold(self._bus, delivery) as hold:
                    await self._carry_out(record, hold, again=delivery.attempt > 1)
                await delivery.acknowledge()
        except UnreadableRecordError as problem:
            log.warning("act left to newer code", extra={"error": str(problem)})
            with suppress(BusUnavailable):
                await delivery.later(LATER)
        except (Abandoned, BusUnavailable) as problem:
            ABANDONED.inc()
            log.warning("act given up", extra={"error": str(problem)})

    async def _carry_out(self, record: Record, hold: Hold, *, again: bool) -> None:
        act, key = record.envelope.body, record.envelope.key
        if not isinstance(act, Decided) or key is None or not act.actions:
            return
        answer = await self._last(subjects.res(key))
        if answer is not None and _answers(answer, act):
            return
        job = Job(key=key, uid=record.envelope.uid, act=act)
        self._breaker.hears(record.at)
        outcomes: list[Outcome] = []
        with CARRYING_OUT.time():
            for batch in batches(act.actions):
                stands = await self._standing(record, hold)
                if isinstance(stands, Superseded):
                    return
                hold.check()
                outcomes += await asyncio.gather(
                    *(self._one(job, action, stands, hold, again=again) for action in batch)
                )
        await self._record(job, record, outcomes, hold, fence=answer.sequence if answer else 0)
        _count(job, outcomes)
        await self._tell(job, outcomes)

    async def _one(
        self, job: Job, action: Action, stands: Standing, hold: Hold, *, again: bool
    ) -> Outcome:
        if isinstance(stands, OvertakenBy) and not isinstance(action, ConfirmObject | PostNotice):
            done = await self._performer.read(job, action) if again else None
            return done or Overtaken(because=stands.because)
        held = self._breaker.holds(job, action)
        if held is not None:
            return held
        return await self._performer.perform(job, action, check=hold.check)

    async def _standing(self, record: Record, hold: Hold) -> Standing:
        """Tell whether the act stands; wait while nobody can know what it rests on."""
        while True:
            stands = await self._looked(record, hold)
            if not isinstance(stands, Stands):
                return stands
            footing = self._footing.of(record)
            if footing is not None:
                return footing
            if self._draining.is_set():
                raise Abandoned("it waits for the watchers, and we are leaving")
            await self._footing.changed()
            hold.check()

    async def _looked(self, record: Record, hold: Hold) -> Standing:
        key = record.envelope.key
        if key is None:
            return Superseded()
        last_act, own, status, woken = await asyncio.gather(
            self._last(subjects.act(key)),
            self._last(subjects.own(key)),
            self._last(subjects.status(key)),
            self._last(subjects.fired(key, WAKE)),
        )
        stands = standing(record, last_act, own, status)
        if isinstance(stands, Stands) and self._time_is_over(record, woken, hold):
            return OvertakenBy(because="its time is over")
        return stands

    def _time_is_over(self, record: Record, woken: Record | None, hold: Hold) -> bool:
        """Whether a call that begins now might still run when the act is replaced.

        Its end has been told, or is nearer than a call may take; the server's time is compared with
        the server's, so that a wrong clock of ours does no harm.
        """
        act = record.envelope.body
        if not isinstance(act, Decided):
            return False
        timers = act.timers
        due_at = next((timer.due_at for timer in timers if timer.name == WAKE), None)
        if due_at is None:
            return False
        fired = woken.envelope.body if woken is not None else None
        if isinstance(fired, TimerFired) and fired.due_at == due_at:
            return True
        serves = any(isinstance(action, ConfigureServe) for action in act.actions)
        longest = max(self._call_deadline, SERVE_DEADLINE) if serves else self._call_deadline
        return hold.held_for + longest >= due_at - record.at

    async def _last(self, subject: str) -> Record | None:
        message = await self._bus.log.last(subject)
        return decode(message) if message is not None else None

    async def _record(
        self, job: Job, record: Record, outcomes: Sequence[Outcome], hold: Hold, *, fence: int
    ) -> None:
        """Write the outcomes; again if a late answer to an earlier act came between."""
        for _ in range(ANSWERS_BETWEEN_MAX):
            hold.check()
            entry = self._entry(job, record, outcomes, fence=fence)
            written = await commit(self._bus.log, entry, still=lambda: hold.connected)
            if isinstance(written, Committed) or written.message is None:
                return
            if _answers(decode(written.message), job.act):
                return
            if isinstance(await self._standing(record, hold), Superseded):
                return
            fence = written.message.sequence
        log.warning("outcomes not recorded", extra={"because": "other answers kept coming"})

    def _entry(self, job: Job, record: Record, outcomes: Sequence[Outcome], *, fence: int) -> Entry:
        identity = f"{job.act.id}:res"
        envelope = Envelope(
            schema=SCHEMA,
            id=identity,
            body=Answered(
                act=job.act.id,
                outcomes=tuple(outcomes),
                destroyed=destroyed(job.act, outcomes),
            ),
            code=self._code,
            written_at=self._clock.now(),
            key=job.key,
            uid=job.uid,
            cause=record.sequence,
        )
        return Entry(subject=subjects.res(job.key), id=identity, data=encode(envelope), fence=fence)

    async def _tell(self, job: Job, outcomes: Sequence[Outcome]) -> None:
        """Post Kubernetes Events; best effort, the log has it anyway."""
        notices = [
            notice
            for action, outcome in zip(job.act.actions, outcomes, strict=True)
            if (notice := notice_of(action, outcome)) is not None
        ]
        await asyncio.gather(*(self._performer.perform(job, notice) for notice in notices))


def _count(job: Job, outcomes: Sequence[Outcome]) -> None:
    for action, outcome in zip(job.act.actions, outcomes, strict=True):
        what, came = type(action).__name__, type(outcome).__name__
        OUTCOMES.labels(what, came).inc()
        log.info("acted", extra={"action": what, "event": came, "because": action.because})


def _answers(answer: Record, act: Decided) -> bool:
    body = answer.envelope.body
    return isinstance(body, Answered) and body.act == act.id
