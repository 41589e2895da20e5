"""Who works, who has listed, and what waits for hands: what is said of the services. Pure."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from heliograph.views.doctor.checks import Area, Check
from heliograph.views.doctor.facts import Bus, Consumer, Here, Presence, Unknown
from heliograph.views.doctor.nats import INIT, differences
from heliograph.views.waits import span_words
from shared.kernel.counting import counted

AREA = Area("services")
SESSIONS = Area("sessions")
COURIER = "courier-"
LATE = timedelta(seconds=30)
"""So long may work wait for a hand while hands are there."""
FULL = 32
"""So many acts one process takes: a living one with fewer asks for more, all the time."""
_MEMBERS = {
    "reconciler": "nothing new is decided",
    "status": "no status is written and no lifecycle event is told",
}
_HANDS = {
    "executor": "what is decided is not done",
    "scheduler": "new timers are not armed; armed ones still go off",
}


def service_checks(bus: Bus, here: Here, now: datetime) -> Iterator[Check]:
    """Judge every service: whether somebody is there, and keeps up."""
    yield _watcher(bus.presence, here)
    for service, then in _MEMBERS.items():
        yield _members(bus.presence, service, then, here)
    for service, then in _HANDS.items():
        yield from _worker(service, bus.consumers.get(service), then, here, now)
    yield from _couriers(bus, now)


def _start(service: str, here: Here) -> tuple[str, ...]:
    labels = f"-l app.kubernetes.io/name=heliograph-{service}"
    return (
        f"heliograph run {service} (or heliograph run all)",
        f"if it is deployed: kubectl get deployment,pods -n {here.namespace} {labels}",
    )


def _watcher(presence: Presence | Unknown, here: Here) -> Check:
    if isinstance(presence, Unknown):
        return AREA.unknown("watcher", presence.why)
    sessions = sessions_of(presence)
    watching = {holder.partition(":")[2] for holder in sessions.values()}
    asking = set(presence.members.get("asker", ()))
    everyone = sorted(watching | asking)
    if not everyone:
        then = "nobody looks at Kubernetes, so nothing is decided"
        return AREA.wrong("watcher", "no member is alive", then, *_start("watcher", here))
    kinds = counted(len(sessions), "kind")
    return AREA.well("watcher", f"{_count(everyone)}; {kinds} in hand")


def sessions_of(presence: Presence) -> Mapping[str, str]:
    """Return the session that holds each watched kind."""
    return {each.what: each.holder for each in presence.leases if not each.what.startswith(COURIER)}


def _members(presence: Presence | Unknown, service: str, then: str, here: Here) -> Check:
    if isinstance(presence, Unknown):
        return AREA.unknown(service, presence.why)
    found = sorted(presence.members.get(service, ()))
    if not found:
        return AREA.wrong(service, "no member is alive", then, *_start(service, here))
    return AREA.well(service, _count(found))


def _count(members: list[str]) -> str:
    return f"{counted(len(members), 'member')} ({', '.join(members)})"


def _worker(
    service: str, consumer: Consumer | Unknown | None, then: str, here: Here, now: datetime
) -> Iterator[Check]:
    if consumer is None or isinstance(consumer, Unknown):
        yield AREA.unknown(service, consumer.why if consumer else "not asked")
        return
    if not consumer.there:
        yield AREA.wrong(service, "its consumer of the log is not there", then, INIT)
        return
    yield from differences(AREA, service, consumer.differences)
    if consumer.paused:
        yield AREA.warning(
            service,
            "its consumer is paused",
            then,
            f"nats consumer resume RAYLOG {service}, when that is meant",
        )
    elif not taken(consumer.hands, consumer.held):
        left = consumer.pending + consumer.held
        waits = f"; {_acts(left)}" if left else ""
        yield AREA.wrong(service, f"nobody takes work{waits}", then, *_start(service, here))
    else:
        yield _pace(service, consumer, now)


def taken(hands: int, held: int) -> bool:
    """Whether somebody takes work: who is not full asks; what a dead hand holds does not."""
    return hands > 0 or held >= FULL


def _acts(count: int) -> str:
    return "1 act waits" if count == 1 else f"{count} acts wait"


def _pace(service: str, consumer: Consumer, now: datetime) -> Check:
    waited = now - consumer.oldest_at if consumer.oldest_at else timedelta()
    if waited > LATE:
        return AREA.warning(
            service,
            f"{_acts(consumer.pending)}, the oldest for {span_words(waited)}",
            "it falls behind: what is decided comes late",
            f"run more of it: heliograph run {service}",
            "see whether Kubernetes answers slowly, or --qps is low",
        )
    if consumer.redelivered:
        return AREA.warning(
            service,
            f"{consumer.redelivered} acts were given to another hand",
            "a hand was lost or is slow; what it did is read before anything is repeated",
            "look again in a minute; if it stays, see the service's log lines",
        )
    hands = "1 hand waits" if consumer.hands == 1 else f"{consumer.hands} hands wait"
    busy = f"{hands} for work" if consumer.hands else "every hand is full"
    return AREA.well(service, f"{busy}; {consumer.held} in hand, {consumer.pending} waiting")


def _couriers(bus: Bus, now: datetime) -> Iterator[Check]:
    if isinstance(bus.couriers, Unknown):
        yield AREA.unknown("courier", bus.couriers.why)
        return
    leases = bus.presence.leases if isinstance(bus.presence, Presence) else None
    held = {each.what for each in leases or ()}
    for consumer in bus.couriers:
        name = f"courier, {consumer.name.removeprefix(COURIER)}"
        if leases is not None and consumer.name not in held:
            yield AREA.warning(
                name,
                f"no courier serves it; {consumer.pending} events wait",
                "its webhook hears nothing; what waits is kept as long as lifecycle events are",
                "heliograph run courier --subscriptions FILE",
                "or nothing, if you took it out of the file: it is forgotten after a month",
            )
        elif consumer.oldest_at and now - consumer.oldest_at > LATE:
            late = span_words(now - consumer.oldest_at)
            yield AREA.warning(
                name,
                f"{consumer.pending + consumer.held} events wait, the oldest for {late}",
                "its webhook is slow or refuses",
                "heliograph subscriptions --help: how to see and repeat what was not taken",
            )
        else:
            yield AREA.well(name, f"{consumer.pending + consumer.held} events wait")


def session_checks(bus: Bus, here: Here, now: datetime) -> Iterator[Check]:
    """Judge whether every kind that decisions rest on is listed by a living session."""
    presence, listed = bus.presence, bus.listed
    if isinstance(presence, Unknown):
        yield SESSIONS.unknown("kinds", presence.why)
        return
    if isinstance(listed, Unknown):
        yield SESSIONS.unknown("kinds", listed.why)
        return
    held, marks = sessions_of(presence), {each.kind: each for each in listed}
    by = {kind: mark.session for kind, mark in marks.items()}
    kinds = tuple(dict.fromkeys((*here.kinds, *held)))
    free = [kind for kind in kinds if kind not in held]
    other = [kind for kind in kinds if kind in held and by.get(kind) != held[kind]]
    if free:
        yield SESSIONS.wrong(
            "kinds",
            f"no session looks at {_some(free)}",
            "nothing is decided until every kind is listed",
            "heliograph run watcher, with the same settings as the other services",
        )
    if other:
        yield SESSIONS.warning(
            "kinds",
            f"{_some(other)}: not listed by the session that looks at it now",
            "nothing is decided until every kind is listed; a new session takes some seconds",
            "look again in a minute; if it stays, see the watcher's log lines and its rights below",
        )
    if not free and not other:
        oldest = min(marks[kind].at for kind in kinds) if kinds else now
        yield SESSIONS.well(
            "kinds", f"{len(kinds)} listed; the oldest mark is {span_words(now - oldest)} old"
        )


def _some(names: list[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
