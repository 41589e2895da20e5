"""The operator around the real decisions, small enough to play hundreds of schedules.

One log, two reconcilers that may lag and hold back what they decided, two status services, two
executors that may sleep, crash and lose answers, one scheduler. Nothing runs by itself: whoever
plays a schedule calls `step`. Only `decide` and the folds are the real ones.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from services.reconciler.decisions.decide import decide
from shared.actions.objects import Action, ConfirmObject
from shared.actions.outcomes import Outcome, Overtaken, Unknown
from shared.aggregates.ledger import Ledger
from shared.aggregates.phases import phase_of
from shared.aggregates.raycluster import raycluster_state
from shared.aggregates.view import View, view
from shared.events import subjects
from shared.events.decisions import WAKE, Answered, Decided
from shared.events.envelope import Body, Record
from shared.events.records import StatusWritten
from tests.support.builders import CONTEXT, KEY, Raw, resumed, suspended, suspending
from tests.support.history import History

ACKNOWLEDGE_WITHIN = timedelta(seconds=8)
CALL_WITHIN = timedelta(seconds=2)


class Log(History):
    """A history that knows the last record of each subject, as the server does."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, Record] = {}

    def append(self, subject: str, body: Body) -> Record:
        self._last[subject] = super().append(subject, body)
        return self._last[subject]

    def last(self, subject: str) -> Record | None:
        return self._last.get(subject)

    def view(self) -> View:
        return view(KEY, self._last.values())

    def fence(self, subject: str) -> int:
        found = self.last(subject)
        return found.sequence if found else 0


@dataclass
class Tail:
    """A worker's place in the log, and what it has decided and not written yet."""

    log: Log
    chance: random.Random
    ledger: Ledger = field(default_factory=Ledger)
    position: int = 0
    settled: bool = False
    """Whether there was nothing to say when it last looked."""
    asleep_until: datetime | None = None

    @property
    def bored(self) -> bool:
        return self.settled and self.position == len(self.log.records)

    def follow(self) -> View:
        news = self.log.records[self.position : self.position + self.chance.randint(1, 4)]
        for record in news:
            self.ledger.take(record, KEY)
        self.position += len(news)
        return self.ledger.view(KEY)


@dataclass
class Item:
    """An act on its way to an executor."""

    act: Decided
    uid: str
    free_at: datetime
    tries: int = 0


@dataclass
class Job:
    """An act in the hands of an executor."""

    item: Item
    until: datetime
    fence: int
    outcomes: list[Outcome] = field(default_factory=list)
    checked_at: datetime | None = None
    current: bool = True


@dataclass
class Reconciler(Tail):
    """Follows, decides, and commits later, under the fence it decided with."""

    held: tuple[Decided, View] | None = None

    def step(self, commit: Callable[[Decided, View], None]) -> None:
        if self.held:
            (act, seen), self.held = self.held, None
            if self.log.fence(subjects.act(KEY)) == act.fence:
                commit(act, seen)
            return
        if self.bored:
            return
        seen = self.follow()
        decided = decide(seen, CONTEXT)
        self.held = (decided, seen) if decided else None
        self.settled = decided is None


@dataclass
class StatusWriter(Tail):
    """Stores phases in Kubernetes under the version they were assessed from, then in the log."""

    held: tuple[str, Raw, int, int] | None = None

    def step(self, patch: Callable[[str, Raw, int], int]) -> None:
        if self.held:
            (uid, status, version, fence), self.held = self.held, None
            stored = patch(uid, status, version)
            if (
                stored
                and self.log.fence(subjects.status(KEY)) == fence
                and self.chance.random() < 0.8
            ):
                body = StatusWritten(status=status, resource_version=stored, based_on=0)
                self.log.uid = uid
                self.log.append(subjects.status(KEY), body)
            return
        if self.bored:
            return
        seen = self.follow()
        news = assess(seen)
        self.settled = news is None
        if news is not None and seen.own:
            self.held = (seen.own.meta.uid, news, seen.status_version, seen.status_fence)


def assess(seen: View) -> Raw | None:
    """The phase that a cluster should be in, if it is another than it is in."""
    if seen.own is None or seen.own.meta.deleted_at:
        return None
    phase, suspend = phase_of(seen.status), seen.own.spec.get("suspend")
    generation = seen.own.meta.generation
    quiet = seen.act and seen.act.seen.phase == phase and not seen.open and not seen.expectations
    if phase.startswith("active/") and suspend:
        return suspending(generation)
    if phase.startswith("suspending/") and quiet and not raycluster_state(seen).pods:
        return suspended(generation)
    if phase.startswith("suspended/") and suspend is False:
        return resumed(generation)
    return None


@dataclass
class Executor:
    """Performs acts, one call at a time, each within a moment of looking at the log.

    Whoever is late leaves the act to the next hand, and leaves answering to it, too: an answer that
    tells of refusals would cover what the next hand got done since. And nobody begins a call that
    could land after the act's wake-up: the act that replaces it may have read the object by then.
    """

    log: Log
    call: Callable[[Decided, str, Action], Outcome]
    read: Callable[[str, Action], Outcome]
    chance: random.Random
    job: Job | None = None
    asleep_until: datetime | None = None
    unsure: float = 0.0

    def step(self, queue: list[Item]) -> None:
        if self.job is None:
            self._take(queue)
            return
        job, now = self.job, self.log.now
        if now > job.until:
            self.job = None
        elif len(job.outcomes) == len(job.item.act.actions):
            self._answer(queue)
        elif job.checked_at is None or now - job.checked_at > CALL_WITHIN:
            self._look(queue)
        else:
            job.outcomes.append(self._perform(job))
            job.checked_at = None

    def _take(self, queue: list[Item]) -> None:
        item = next((one for one in queue if one.free_at <= self.log.now), None)
        if item is None:
            return
        item.free_at = self.log.now + ACKNOWLEDGE_WITHIN
        item.tries += 1
        fence = self.log.fence(subjects.res(KEY))
        self.job = Job(item, until=item.free_at - timedelta(seconds=1), fence=fence)

    def _look(self, queue: list[Item]) -> None:
        """Read the log before a call: the act must be the last, and what it saw must hold."""
        assert self.job
        act, uid = self.job.item.act, self.job.item.uid
        seen = self.log.view()
        woken_at = next(timer.due_at for timer in act.timers if timer.name == WAKE)
        stale = self.log.now + CALL_WITHIN >= woken_at
        if stale or seen.last_act is None or seen.last_act.id != act.id or seen.answer:
            self._acknowledge(queue)
            return
        own = seen.own
        self.job.checked_at = self.log.now
        self.job.current = (
            own is not None
            and own.meta.uid == uid
            and own.meta.generation <= act.seen.generation
            and not own.meta.deleted_at
            and phase_of(seen.status) == act.seen.phase
        )

    def _perform(self, job: Job) -> Outcome:
        action = job.item.act.actions[len(job.outcomes)]
        if not job.current and not isinstance(action, ConfirmObject):
            again = job.item.tries > 1
            return self.read(job.item.uid, action) if again else Overtaken(because="news")
        if self.chance.random() < self.unsure / 2:
            return Unknown(error="the connection broke before the call")
        outcome = self.call(job.item.act, job.item.uid, action)
        lost = self.chance.random() < self.unsure / 2
        return Unknown(error="the connection broke after the call") if lost else outcome

    def _answer(self, queue: list[Item]) -> None:
        assert self.job
        act = self.job.item.act
        last = self.log.last(subjects.act(KEY))
        current = last is not None and last.envelope.body == act
        if current and self.log.fence(subjects.res(KEY)) == self.job.fence:
            self.log.uid = self.job.item.uid
            body = Answered(act=act.id, outcomes=tuple(self.job.outcomes))
            self.log.append(subjects.res(KEY), body)
        self._acknowledge(queue)

    def _acknowledge(self, queue: list[Item]) -> None:
        if self.job and self.job.item in queue:
            queue.remove(self.job.item)
        self.job = None
