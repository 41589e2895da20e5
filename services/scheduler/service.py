"""The scheduler's loop: read acts, arm what they want, cancel what they no longer want.

The bus itself keeps the time: a schedule is stored in RAYTIME and its firing comes back into the
log in its place in the one order, once and never early, whoever of us is alive then. Starting, and
after every reconnection, the last acts are compared with what is armed. Any number of schedulers
work side by side; correctness rests on the act sequence in each schedule.
"""

import asyncio
import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import assert_never

from services.scheduler.due import Arm, Asked, Change, Disarm, changes_of, repairs
from services.scheduler.metrics import ARMED, CANCELLED, REPAIRED
from shared.events import subjects
from shared.events.codec import UnreadableRecordError, decode, encode
from shared.events.decisions import Decided
from shared.events.envelope import SCHEMA, Envelope
from shared.events.records import TimerFired
from shared.kernel.ids import content_id
from shared.kernel.instants import print_precisely
from shared.kernel.keys import ResourceKey
from shared.ports.clock import Clock
from shared.ports.event_log import (
    Bus,
    BusUnavailable,
    Delivery,
    Entry,
    FromSnapshot,
    Message,
    Refused,
    Schedule,
)
from shared.telemetry.context import about

log = logging.getLogger(__name__)

CONSUMER = "scheduler"
HANDS = 32
ACT_HEADER = "Ray-Act"
PAUSE = 0.2
LOOKS = 15
"""How often it is looked for a firing in the log that the server has yet to bring there."""
LATER = timedelta(seconds=30)


class Scheduler:
    """Arms and cancels timers."""

    def __init__(self, bus: Bus, clock: Clock, code: str) -> None:
        self._bus = bus
        self._clock = clock
        self._code = code
        self._repaired_in = -1

    def trouble(self) -> str | None:
        """Say why timers cannot be relied on now, if so."""
        if self._repaired_in == self._bus.generation:
            return None
        return "timers are not compared with the log yet"

    async def run(self) -> None:
        """Serve until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_repaired(), name="repairs")
            group.create_task(self._serve(), name="acts")

    async def _serve(self) -> None:
        async with (
            self._bus.log.deliveries(CONSUMER, most=HANDS) as deliveries,
            asyncio.TaskGroup() as group,
        ):
            async for delivery in deliveries:
                group.create_task(self._take(delivery), name="act")

    async def _take(self, delivery: Delivery) -> None:
        try:
            asked = read_act(delivery.message)
            if asked is None:
                await delivery.later(LATER)
                return
            with about(resource=str(asked.key), revision=asked.sequence):
                await self._change(changes_of(asked))
            await delivery.acknowledge()
        except BusUnavailable as problem:
            log.warning("act will come again", extra={"error": str(problem)})

    async def _keep_repaired(self) -> None:
        while True:
            generation = self._bus.generation
            try:
                await self._repair()
            except BusUnavailable as problem:
                log.warning("timers not compared yet", extra={"error": str(problem)})
                await asyncio.sleep(PAUSE)
                continue
            self._repaired_in = generation
            await self._bus.reconnected(generation)

    async def _repair(self) -> None:
        """Arm what the last acts want and is missing; cancel what none wants."""
        armed = {
            message.subject: _act_in(message)
            async for message in self._bus.time.read(
                ("timer.>",), FromSnapshot(), headers_only=True
            )
            if not message.gone
        }
        acts: dict[ResourceKey, Asked] = {}
        unread: set[ResourceKey] = set()
        async for message in self._bus.log.read((subjects.ALL_ACTS,), FromSnapshot()):
            asked, place = read_act(message), subjects.place_of(message.subject)
            if asked is not None:
                acts[asked.key] = asked
            elif place is not None:
                unread.add(place.key)
        fired: dict[str, datetime] = {}
        async for message in self._bus.log.read(("ray.*.*.*.*.fire.*",), FromSnapshot()):
            due_at = _due(message)
            if due_at is not None:
                fired[message.subject] = due_at
        changes = tuple(repairs(acts, armed, fired, unread))
        REPAIRED.inc(len(changes))
        await self._change_many(changes)

    async def _change_many(self, changes: Iterable[Change]) -> None:
        """Make changes many at a time; what concerns one timer goes one after another.

        After a long absence there may be one for every resource: one by one that takes minutes.
        """
        by_timer: dict[str, list[Change]] = {}
        for change in changes:
            by_timer.setdefault(_subject(change), []).append(change)
        left = iter(by_timer.values())

        async def hand() -> None:
            for group in left:
                await self._change(group)

        ends = await asyncio.gather(*(hand() for _ in range(HANDS)), return_exceptions=True)
        for problem in ends:
            if problem is not None:
                raise problem

    async def _change(self, changes: Iterable[Change]) -> None:
        for change in changes:
            match change:
                case Arm():
                    await self._arm(change)
                case Disarm():
                    await self._disarm(change)
                case _:
                    assert_never(change)

    async def _arm(self, wish: Arm) -> None:
        """Arm a timer, unless it is armed or has gone off.

        The fence is over both: a timer that is due goes off at once and is armed no longer, and
        whoever wanted to arm it as well must not find its place free.
        """
        subject = subjects.timer(wish.key, wish.timer.name)
        while True:
            last = await self._bus.time.last(_armed_or_fired(wish))
            armed = last is not None and last.subject == subject
            if last is not None and armed and _act_in(last) >= wish.act:
                return
            if not armed and await self._went_off(wish, last):
                return
            entry = self._schedule(wish, subject, last.sequence if last else 0)
            if not isinstance(await self._bus.time.append(entry), Refused):
                ARMED.inc()
                return

    async def _went_off(self, wish: Arm, last: Message | None) -> bool:
        """Whether the timer has gone off, and the log tells so.

        What went off a moment ago may be on its way there. If it does not come, the log has lost
        it with its tail, and it has to go off again.
        """
        lately = last is not None and _due(last) == wish.timer.due_at
        for _ in range(LOOKS if lately else 1):
            fired = await self._bus.log.last(subjects.fired(wish.key, wish.timer.name))
            if fired is not None and _due(fired) == wish.timer.due_at:
                return True
            if lately:
                await asyncio.sleep(PAUSE)
        return False

    def _schedule(self, wish: Arm, subject: str, fence: int) -> Entry:
        timer = wish.timer
        body = TimerFired(timer=timer.name, due_at=timer.due_at, act=wish.act)
        identity = content_id(subject, wish.act, fence, print_precisely(timer.due_at))
        envelope = Envelope(
            schema=SCHEMA,
            id=identity,
            body=body,
            code=self._code,
            written_at=self._clock.now(),
            key=wish.key,
            uid=wish.uid,
            cause=wish.act,
        )
        return Entry(
            subject=subject,
            id="",  # fences begin anew after a cancellation: an id could be one that was seen
            data=encode(envelope),
            fence=fence,
            fence_over=_armed_or_fired(wish),
            headers={ACT_HEADER: str(wish.act)},
            schedule=Schedule(
                due_at=timer.due_at, target=subjects.timer_target(wish.key, timer.name)
            ),
        )

    async def _disarm(self, wish: Disarm) -> None:
        last = await self._bus.time.last(wish.subject)
        if last is None or _act_in(last) >= wish.act:
            return
        await self._bus.time.purge(wish.subject, up_to=last.sequence)
        CANCELLED.inc()


def read_act(message: Message) -> Asked | None:
    """Read an act; None for what is none or cannot be read by this version."""
    try:
        record = decode(message)
    except UnreadableRecordError as problem:
        log.warning("act left to newer code", extra={"error": str(problem)})
        return None
    body, key = record.envelope.body, record.envelope.key
    if not isinstance(body, Decided) or key is None:
        return None
    return Asked(key=key, uid=record.envelope.uid, sequence=record.sequence, act=body)


def _armed_or_fired(wish: Arm) -> str:
    return subjects.timer_and_target(wish.key, wish.timer.name)


def _subject(change: Change) -> str:
    if isinstance(change, Disarm):
        return change.subject
    return subjects.timer(change.key, change.timer.name)


def _act_in(schedule: Message) -> int:
    return int(schedule.headers.get(ACT_HEADER, "0"))


def _due(message: Message) -> datetime | None:
    try:
        body = decode(message).envelope.body
    except UnreadableRecordError:
        return None
    return body.due_at if isinstance(body, TimerFired) else None
