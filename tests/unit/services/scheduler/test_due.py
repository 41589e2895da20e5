"""What to arm and what to cancel."""

from msgspec.structs import replace

from services.scheduler.due import Arm, Asked, Change, Disarm, changes_of, repairs
from shared.events.decisions import Timer
from shared.events.subjects import fired as went_off
from shared.events.subjects import timer as place
from shared.kernel.keys import ResourceKey
from tests.support.builders import KEY, UID
from tests.unit.services.scheduler.armed import timer, wanting

WAKE = timer("wake", 20)
RETRY = timer("retry", 2)
OTHER = ResourceKey(kind="raycluster", namespace="prod", name="demo.other")


def asked(*timers: Timer, sequence: int = 10, cancelled: tuple[str, ...] = ()) -> Asked:
    return Asked(key=KEY, uid=UID, sequence=sequence, act=wanting(*timers, cancelled=cancelled))


def arm(wanted: Timer, act: int = 10) -> Arm:
    return Arm(key=KEY, uid=UID, act=act, timer=wanted)


def repaired(asked: Asked, armed: dict[str, int]) -> list[Change]:
    return list(repairs({KEY: asked}, armed, {}))


def test_an_act_arms_what_it_wants_and_cancels_what_it_names() -> None:
    assert list(changes_of(asked(WAKE, RETRY, cancelled=("old",)))) == [
        arm(WAKE),
        arm(RETRY),
        Disarm(subject=place(KEY, "old"), act=10),
    ]


def test_arms_what_is_missing() -> None:
    assert repaired(asked(WAKE, RETRY), {place(KEY, "wake"): 10}) == [arm(RETRY)]


def test_moves_what_an_earlier_act_armed() -> None:
    assert repaired(asked(WAKE), {place(KEY, "wake"): 9}) == [arm(WAKE)]


def test_cancels_what_nobody_wants() -> None:
    assert repaired(asked(), {place(KEY, "wake"): 9, place(OTHER, "wake"): 3}) == [
        Disarm(subject=place(KEY, "wake"), act=10),
        Disarm(subject=place(OTHER, "wake"), act=4),
    ]


def test_replaces_what_an_act_armed_that_the_log_has_lost() -> None:
    assert repaired(asked(WAKE), {place(KEY, "wake"): 12}) == [
        Disarm(subject=place(KEY, "wake"), act=13),
        arm(WAKE),
    ]


def test_what_has_gone_off_is_not_armed_again() -> None:
    fired = {went_off(KEY, "wake"): WAKE.due_at}

    assert list(repairs({KEY: asked(WAKE)}, {}, fired)) == []


def test_what_went_off_at_another_time_does_not_count() -> None:
    fired = {went_off(KEY, "wake"): RETRY.due_at}

    assert list(repairs({KEY: asked(WAKE)}, {}, fired)) == [arm(WAKE)]


def test_timers_of_an_act_that_cannot_be_read_are_left_alone() -> None:
    armed = {place(KEY, "wake"): 9, place(OTHER, "wake"): 3}

    assert list(repairs({}, armed, {}, unread={OTHER})) == [
        Disarm(subject=place(KEY, "wake"), act=10)
    ]


def test_what_is_as_wanted_stays_as_it_is() -> None:
    same = replace(asked(WAKE, RETRY), sequence=7)

    assert repaired(same, {place(KEY, "wake"): 7, place(KEY, "retry"): 7}) == []
