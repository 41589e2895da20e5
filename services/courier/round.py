"""One subscription's round: from its durable consumer to its sink, in order, until it is over.

One courier at a time goes a round: it holds the lease of the subscription, and lets the consumer
begin again at the first event that nobody acknowledged. So whatever another courier left in hand
comes first, and the order of a resource's events survives a change of hands. An event may be sent
twice then; its id tells. Nothing is sent once the lease is not certain any more, and should a hand
that was thought dead take an event after all, the gap is seen before anything later is sent.
"""

import asyncio
import logging
from datetime import timedelta
from itertools import count
from typing import assert_never

from msgspec import Struct

from services.courier.filters import wants_of
from services.courier.gate import Gate
from services.courier.lanes import Lanes
from services.courier.letters import event_in, letter_entry
from services.courier.metrics import (
    BLOCKED,
    DELIVERED,
    LAG,
    REFUSED,
    RETRIED,
    UNDECIDED,
    UNDELIVERED,
)
from services.courier.pace import Pace, slower
from services.courier.patience import LONGEST, pause
from services.courier.sink import Allowed, Denied, Sink
from services.courier.starting import start_of
from services.courier.subscriptions import Subscription
from services.courier.verdict import Refused, Retired, Taken, TryLater
from shared.bus.tenancy import Held, Tenant
from shared.events.cloudevents import CloudEvent
from shared.ports.clock import Clock
from shared.ports.event_log import Bus, BusUnavailable, Message, Work
from shared.runtime.backoff import Backoff
from shared.runtime.chance import SYSTEM_CHANCE
from shared.runtime.ending import apart
from shared.telemetry.context import about

log = logging.getLogger(__name__)

ACK_WAIT = timedelta(seconds=30)
LOOK_EVERY = 1.0
COUNT_EVERY = 5.0
WINDOW = 256
"""So many events in hand: one resource that is not taken holds up others only when it has more."""
AGAIN = Backoff(first=timedelta(milliseconds=200), most=timedelta(seconds=10))
ASKING = Backoff(first=timedelta(seconds=1), most=LONGEST)


class LeaseLost(Exception):  # noqa: N818 - a state of the world, not a programming error
    """Another courier may be going this round by now."""


class SinkRetired(Exception):  # noqa: N818 - a state of the world, not a programming error
    """The sink wants nothing any more."""


class Means(Struct, frozen=True, kw_only=True):
    """What every round needs of the world."""

    bus: Bus
    clock: Clock
    member: str


class Round:
    """Goes the round of one subscription."""

    def __init__(
        self, subscription: Subscription, sink: Sink, means: Means, tenant: Tenant
    ) -> None:
        self.subscription = subscription
        self._sink = sink
        self._means = means
        self._tenant = tenant
        self._news = means.bus.news
        self._name = subscription.name
        self._wants = wants_of(subscription.filter)
        self._gate = Gate(subscription.in_flight)
        self._pace = Pace(subscription.rate_per_minute)
        self._retired = False
        self._failures = 0

    async def close(self) -> None:
        """Begin no request any more, and return when none is under way."""
        await self._gate.close()

    async def run(self) -> None:
        """Go it until cancelled, over every trouble of the bus."""
        with about(subscription=self._name):
            while True:
                try:
                    await apart(self._once())
                except* (BusUnavailable, LeaseLost) as troubles:
                    first = troubles.exceptions[0]
                    log.warning("the round begins again", extra={"error": _words(first)})
                self._failures += 1
                again = AGAIN.pause(self._failures, SYSTEM_CHANCE)
                await asyncio.sleep(again.total_seconds())

    async def _once(self) -> None:
        """Wait for the lease, and serve while it is held."""
        async with self._tenant.hold(self.subscription.consumer, self._means.member) as held:
            await self._serve_or_rest(held)

    async def _serve_or_rest(self, held: Held) -> None:
        try:
            if not self._retired:
                await self._serve(held)
        except* SinkRetired:
            self._retired = True
        finally:
            self._show_nothing()
        log.error(
            "the sink is gone for good: nothing is sent until the subscription changes",
            extra={"because": "it answered 410 Gone"},
        )
        BLOCKED.labels(self._name, "gone").set(1)
        try:
            await held.lost()
        finally:
            self._show_nothing()

    async def _serve(self, held: Held) -> None:
        bus, subscription = self._means.bus, self.subscription
        generation = bus.generation
        work = work_of(subscription)
        self._pace = Pace(subscription.rate_per_minute)  # turns of those who are gone do not count
        await self._news.ensure_consumer(work, await start_of(self._news, subscription.begin))
        await self._ask_permission(held)
        await self._news.rewind(subscription.consumer)
        async with (
            self._news.deliveries(work.consumer, most=work.most) as deliveries,
            asyncio.TaskGroup() as group,
        ):
            lanes = Lanes(group, lambda message: self._deliver(lanes, held, message))
            group.create_task(lanes.keep(ACK_WAIT / 3), name="keeping")
            group.create_task(self._watch(held, generation), name="lease")
            group.create_task(self._count(), name="lag")
            self._failures = 0
            expected = count(1)
            async for delivery in deliveries:
                if delivery.order != next(expected):
                    raise LeaseLost("another hand took events, or they were rewound")
                lanes.put(delivery)

    async def _watch(self, held: Held, generation: int) -> None:
        """End the round when it is not ours any more, or when the bus was away."""
        while held.valid:
            if self._means.bus.generation != generation:
                raise BusUnavailable("the bus was away")
            await asyncio.sleep(LOOK_EVERY)
        raise LeaseLost("the lease of the subscription was lost")

    async def _count(self) -> None:
        while True:
            backlog = await self._news.backlog(self.subscription.consumer)
            LAG.labels(self._name).set(backlog.waiting + backlog.held)
            await asyncio.sleep(COUNT_EVERY)

    async def _ask_permission(self, held: Held) -> None:
        """Wait until the sink agrees; without its word nothing is sent."""
        for failures in count(1) if self.subscription.handshake else ():
            answer = await self._sink.permission()
            match answer:
                case Allowed(per_minute):
                    rate = slower(self.subscription.rate_per_minute, per_minute)
                    self._pace = Pace(rate)
                    BLOCKED.labels(self._name, "handshake").set(0)
                    log.info("the sink agrees to be sent events", extra={"per_minute": rate})
                    return
                case Retired():
                    raise SinkRetired
                case Denied(because):
                    BLOCKED.labels(self._name, "handshake").set(1)
                    log.warning("nothing is sent without permission", extra={"because": because})
                case _:
                    assert_never(answer)
            await self._rest(held, ASKING.pause(failures, SYSTEM_CHANCE))

    async def _rest(self, held: Held, span: timedelta) -> None:
        try:
            async with asyncio.timeout(span.total_seconds()):
                await held.lost()
        except TimeoutError:
            return
        raise LeaseLost("the lease of the subscription was lost")

    async def _deliver(self, lanes: Lanes, held: Held, message: Message) -> None:
        event = event_in(message)
        if event is None:
            await self._give_up(message, "the event cannot be read", 0)
        elif self._is_wanted(event):
            await self._carry(lanes, held, message, event)
            return
        await lanes.acknowledge(message)

    def _is_wanted(self, event: CloudEvent) -> bool:
        wanted = self._wants(event)
        if wanted is None:
            UNDECIDED.labels(self._name).inc()
        return bool(wanted)

    async def _carry(self, lanes: Lanes, held: Held, message: Message, event: CloudEvent) -> None:
        for tries in count(1):
            await asyncio.sleep(self._pace.turn(asyncio.get_running_loop().time()))
            async with self._gate.inside():
                if not held.valid:
                    raise LeaseLost("the lease of the subscription was lost")
                again = await self._try(message, event, tries)
                if again is None:
                    await lanes.acknowledge(message)
                    return
            await asyncio.sleep(again.total_seconds())

    async def _try(self, message: Message, event: CloudEvent, tries: int) -> timedelta | None:
        """Send it once; return after what pause to try again, or None if it is over."""
        verdict = await self._sink.send(event, tries)
        match verdict:
            case Taken():
                DELIVERED.labels(self._name).inc()
            case Refused(because):
                REFUSED.labels(self._name).inc()
                await self._give_up(message, because, tries)
            case Retired():
                raise SinkRetired
            case TryLater(because, after):
                if tries > self.subscription.retry:
                    await self._give_up(message, because, tries)
                    return None
                RETRIED.labels(self._name).inc()
                wait = pause(self.subscription, tries, after)
                _tell_retry(message, because, tries, wait)
                return wait
            case _:
                assert_never(verdict)
        return None

    async def _give_up(self, message: Message, because: str, tries: int) -> None:
        kept = self.subscription.dead_letter
        if kept:
            await self._news.append(letter_entry(self._name, message, because, tries))
        UNDELIVERED.labels(self._name).inc()
        log.error(
            "event was not delivered",
            extra={"event": message.subject, "because": because, "tries": tries, "kept": kept},
        )

    def _show_nothing(self) -> None:
        """Leave the counting of what waits to whoever goes the round now."""
        blocked = ((BLOCKED, (self._name, reason)) for reason in ("handshake", "gone"))
        for metric, labels in ((LAG, (self._name,)), *blocked):
            metric.labels(*labels)  # removing what is not there would be told as a mistake
            metric.remove(*labels)


def work_of(subscription: Subscription) -> Work:
    """Return the consumer that a subscription needs."""
    return Work(
        consumer=subscription.consumer,
        filters=subscription.filter.subjects,
        most=WINDOW,
        ack_wait=ACK_WAIT,
    )


def _tell_retry(message: Message, because: str, tries: int, wait: timedelta) -> None:
    log.warning(
        "event will be sent again",
        extra={
            "event": message.subject,
            "because": because,
            "tries": tries,
            "again_in": round(wait.total_seconds(), 3),
        },
    )


def _words(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
