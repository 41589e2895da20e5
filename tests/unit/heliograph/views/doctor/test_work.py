"""What is said of services, of hands and of sessions."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from heliograph.views.doctor.checks import Mark
from heliograph.views.doctor.facts import Consumer, Facts, Lease, Presence, Unknown
from tests.support.examinations import (
    BUS,
    LISTED,
    NOW,
    PRESENCE,
    bus_with,
    only_trouble,
    troubles,
)

EVENTS = Consumer(name="courier-chat", pending=4, hands=1)


def consumer_with(name: str, **changes: object) -> Facts:
    changed = replace(Consumer(name=name, hands=1), **changes)
    return bus_with(consumers={**BUS.consumers, name: changed})


def without(service: str) -> Presence:
    left = {name: who for name, who in PRESENCE.members.items() if name != service}
    return replace(PRESENCE, members=left)


@pytest.mark.parametrize("service", ["reconciler", "status"])
def test_a_service_without_a_member_is_wrong(service: str) -> None:
    found = only_trouble(bus_with(presence=without(service)))

    assert (found.what, found.mark, found.says) == (service, Mark.WRONG, "no member is alive")
    assert found.todo[0] == f"heliograph run {service} (or heliograph run all)"
    assert f"-n heliograph -l app.kubernetes.io/name=heliograph-{service}" in found.todo[1]


def test_without_a_watcher_nothing_is_listed() -> None:
    nobody = Presence(members={"reconciler": ("one",), "status": ("one",)}, leases=())

    found = troubles(bus_with(presence=nobody))

    assert [(one.what, one.mark) for one in found] == [
        ("watcher", Mark.WRONG),
        ("kinds", Mark.WRONG),
    ]
    assert found[1].says == "no session looks at raycluster, pod"


def test_a_courier_is_no_watcher() -> None:
    only = (Lease(what="courier-chat", holder="one"),)

    found = troubles(bus_with(presence=Presence(members={}, leases=only)))

    assert "watcher" in [one.what for one in found]


@pytest.mark.parametrize("service", ["executor", "scheduler"])
def test_work_that_nobody_takes_is_wrong(service: str) -> None:
    found = only_trouble(consumer_with(service, hands=0, pending=7))

    assert (found.what, found.mark) == (service, Mark.WRONG)
    assert found.says == "nobody takes work; 7 acts wait"
    assert found.todo[0].startswith(f"heliograph run {service}")


def test_hands_that_are_full_take_work_and_what_a_dead_hand_holds_waits() -> None:
    assert troubles(consumer_with("executor", hands=0, held=32)) == ()
    found = only_trouble(consumer_with("executor", hands=0, held=1))
    assert (found.mark, found.says) == (Mark.WRONG, "nobody takes work; 1 act waits")


@pytest.mark.parametrize(
    ("changes", "mark", "words"),
    [
        ({"there": False}, Mark.WRONG, "its consumer of the log is not there"),
        ({"paused": True, "hands": 0}, Mark.WARNING, "its consumer is paused"),
        ({"redelivered": 2, "held": 2}, Mark.WARNING, "2 acts were given to another hand"),
        (
            {"pending": 9, "oldest_at": NOW - timedelta(minutes=2)},
            Mark.WARNING,
            "9 acts wait, the oldest for 2 min",
        ),
    ],
)
def test_a_consumer_in_trouble_is_told(changes: dict[str, object], mark: Mark, words: str) -> None:
    found = only_trouble(consumer_with("executor", **changes))

    assert (found.mark, found.says) == (mark, words)


def test_work_that_came_just_now_is_no_trouble() -> None:
    fresh = {"pending": 9, "oldest_at": NOW - timedelta(seconds=3)}

    assert troubles(consumer_with("executor", **fresh)) == ()


def test_a_subscription_that_no_courier_serves_is_told() -> None:
    found = only_trouble(bus_with(couriers=(EVENTS,)))

    assert (found.what, found.mark) == ("courier, chat", Mark.WARNING)
    assert found.says == "no courier serves it; 4 events wait"


def test_a_subscription_that_is_served_is_well_unless_it_is_late() -> None:
    served = (*PRESENCE.leases, Lease(what="courier-chat", holder="one"))
    presence = replace(PRESENCE, leases=served)
    late = replace(EVENTS, oldest_at=NOW - timedelta(hours=1))

    assert troubles(bus_with(couriers=(EVENTS,), presence=presence)) == ()
    found = only_trouble(bus_with(couriers=(late,), presence=presence))
    assert found.says == "4 events wait, the oldest for 1 h"


def test_a_kind_that_another_session_listed_is_told() -> None:
    former = (replace(LISTED[0], session="6:gone"), LISTED[1])

    found = only_trouble(bus_with(listed=former))

    assert (found.area, found.mark) == ("sessions", Mark.WARNING)
    assert found.says.startswith("raycluster: not listed by the session")


def test_who_is_here_and_could_not_be_read_is_nobodys_absence() -> None:
    found = troubles(bus_with(presence=Unknown("no answer within 10 s")))

    assert {one.mark for one in found} == {Mark.UNKNOWN}
    assert [one.what for one in found] == ["watcher", "reconciler", "status", "kinds"]
