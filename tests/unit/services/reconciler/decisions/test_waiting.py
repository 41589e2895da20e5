"""What was refused waits: only that wish, longer each time, until a timer or a new spec."""

from datetime import timedelta

import pytest

from shared.actions.objects import ConfirmObject, CreateObject
from shared.actions.outcomes import (
    NOBODY_READY,
    UNAVAILABLE,
    UNREADY,
    AlreadySo,
    Gone,
    Occupied,
    Outcome,
    Refused,
    Unknown,
)
from shared.aggregates.troubles import troubles
from shared.events.approvals import HELD
from shared.events.decisions import Decided
from tests.support.builders import (
    NOON,
    QUOTA,
    cluster_spec,
    done,
    failed,
    gone,
    group,
    head,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot

DOWN = Unknown(error="the API server answered 500 InternalError: etcd is full")
HELD_BACK = Refused(code=429, reason="DestructiveBudgetExceeded", message=f"{HELD}1 is the limit")
OCCUPIED = Occupied(uid="stranger", resource_version=9, message="the name is taken")


def spec(small: int, big: int = 0) -> dict[str, object]:
    return cluster_spec(group("small", small), group("big", big))


def ready(small: int, big: int = 0) -> Plot:
    """A cluster with service and head, and these workers wanted."""
    plot = Plot()
    plot.sees(resource(spec(small, big)), service(), head())
    return plot


def refused(plot: Plot, outcome: Outcome = QUOTA) -> Decided:
    """Everything that is asked for now is refused; return the act that says so."""
    asked = plot.commits()
    plot.answers(asked, *(outcome for _ in asked.actions))
    return plot.commits()


def pause(plot: Plot, act: Decided, name: str) -> float:
    """How long an act wants to sleep, in seconds."""
    return next((one.due_at - plot.now).total_seconds() for one in act.timers if one.name == name)


def read(act: Decided) -> list[ConfirmObject]:
    """What an act only looks at: everything that it asks for."""
    found = [one for one in act.actions if isinstance(one, ConfirmObject)]
    assert len(found) == len(act.actions)
    return found


def groups(plot: Plot) -> list[str]:
    return [action.group for action in plot.asks() if isinstance(action, CreateObject)]


@pytest.mark.parametrize("outcome", [QUOTA, OCCUPIED])
def test_a_refusal_is_held_in_an_act_that_asks_for_nothing(outcome: Outcome) -> None:
    plot = ready(1)

    hold = refused(plot, outcome)

    assert hold.actions == ()
    assert hold.because == (f"waiting before asking again: {getattr(outcome, 'message', '')}",)
    assert [(one.verb, one.kind, one.group) for one in hold.troubles] == [
        ("create", "pod", "small")
    ]
    assert hold.refusals == 1
    assert plot.decides() is None


def test_each_refusal_doubles_the_wait_up_to_five_minutes() -> None:
    plot = ready(1)
    waits = []
    for _ in range(10):
        hold = refused(plot)
        due_at = next(timer.due_at for timer in hold.timers if timer.name == "retry")
        waits.append((due_at - plot.now).total_seconds())
        plot.fires(hold, "retry")

    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


@pytest.mark.parametrize("words", ["no answer from kubernetes", "the credential plugin failed"])
def test_an_outage_of_the_api_server_is_waited_for_a_minute_at_most(words: str) -> None:
    down = Refused(code=0, reason=UNAVAILABLE, message=words)
    plot = ready(1)
    waits = []
    for _ in range(7):
        hold = refused(plot, down)
        waits.append(pause(plot, hold, "retry"))
        plot.fires(hold, "retry")

    assert waits == [2, 4, 8, 16, 32, 60, 60]


def test_what_ends_in_an_error_each_time_is_asked_for_ever_more_rarely() -> None:
    plot = ready(1)
    waits = []
    for _ in range(3):
        asked = plot.commits()
        plot.answers(asked, *(DOWN for _ in asked.actions))
        plot.fires(asked, "wake")
        reading = plot.commits()
        plot.answers(reading, *(Gone(resource_version=50) for _ in reading.actions))
        hold = plot.commits()
        waits.append(pause(plot, hold, "retry"))
        assert [(one.verb, one.group, one.message) for one in troubles(plot.view())] == [
            ("create", "small", DOWN.error)
        ]
        plot.fires(hold, "retry")

    assert waits == [2, 4, 8]


def test_what_was_not_deleted_after_an_error_waits_too() -> None:
    plot = ready(1)
    plot.sees(failed(worker("w1")))
    asked = plot.commits()
    plot.answers(asked, DOWN, done("w2"))
    plot.fires(asked, "wake")
    reading = plot.commits()
    there = AlreadySo(uid="uid-of-w1", resource_version=50)
    plot.answers(reading, *(there if one.name == "w1" else done("w2") for one in read(reading)))

    assert [(one.verb, one.name) for one in troubles(plot.view())] == [("delete", "w1")]
    assert plot.commits().because == (f"waiting before asking again: {DOWN.error}",)


@pytest.mark.parametrize("outcome", [QUOTA, DOWN])
def test_what_was_refused_and_is_wanted_no_longer_is_said_to_be_so(outcome: Outcome) -> None:
    plot = ready(1)
    asked = plot.commits()
    plot.sees(worker("w1"))
    plot.answers(asked, *(outcome for _ in asked.actions))
    if outcome == DOWN:
        plot.fires(asked, "wake")
        reading = plot.commits()
        plot.answers(reading, *(Gone(resource_version=50) for _ in reading.actions))
    told = plot.commits()

    assert told.because == ("what was refused before is no longer wanted",)
    assert troubles(plot.view()) == ()
    assert plot.decides() is None


def test_what_cannot_be_read_is_read_ever_more_rarely() -> None:
    plot = ready(1)
    asked = plot.commits()
    plot.answers(asked, *(DOWN for _ in asked.actions))
    waits = [pause(plot, asked, "wake")]
    for _ in range(3):
        plot.fires(asked, "wake")
        asked = plot.commits()
        waits.append(pause(plot, asked, "wake"))
        plot.answers(asked, DOWN)

    assert waits == [20, 40, 60, 60]
    assert [type(action) for action in asked.actions] == [ConfirmObject]


def test_what_is_there_and_never_seen_is_read_ever_more_rarely() -> None:
    plot = ready(1)
    asked = plot.commits()
    plot.answers(asked, done(getattr(asked.actions[0], "name", "")))
    waits = []
    for _ in range(5):
        plot.fires(asked, "wake")
        asked = plot.commits()
        waits.append(pause(plot, asked, "wake"))
        plot.answers(asked, AlreadySo(uid="uid-of-w1", resource_version=20))

    assert waits == [40, 60, 60, 60, 60]


def test_only_the_wish_that_was_refused_waits() -> None:
    plot = ready(1)
    hold = refused(plot)
    plot.sees(failed(worker("b1", group="big")))

    going_on = plot.commits()

    assert [action.because for action in going_on.actions] == [
        "worker pod b1 cannot recover: its status is Failed, which is final"
    ]
    assert going_on.troubles == hold.troubles
    assert [one for one in going_on.timers if one.name == "retry"] == [
        one for one in hold.timers if one.name == "retry"
    ]


def test_one_refused_worker_holds_back_its_whole_group_and_no_other() -> None:
    plot = ready(3, big=1)
    asked = plot.commits()
    plot.answers(asked, done("w1"), QUOTA, QUOTA, done("b1"))

    hold = plot.commits()

    assert hold.actions == ()
    assert [one.group for one in hold.troubles] == ["small"]
    assert [entry.group for entry in hold.expectations] == ["big", "small"]


def test_when_the_timer_fires_all_of_it_is_tried_again() -> None:
    plot = ready(2)
    hold = refused(plot)
    plot.fires(hold, "retry")

    assert groups(plot) == ["small", "small"]
    assert plot.commits().refusals == 1


def test_a_new_spec_is_tried_at_once_and_starts_counting_anew() -> None:
    plot = ready(2)
    refused(plot)
    plot.sees(resource(spec(1), generation=2, version=5))

    assert groups(plot) == ["small"]
    assert troubles(plot.view()) == ()

    hold = refused(plot)

    assert hold.refusals == 1


def test_who_was_not_ready_for_requests_is_not_waited_for_for_long() -> None:
    plot = ready(1)
    not_now = Refused(code=0, reason=NOBODY_READY, message=f"{UNREADY}no pod is ready")
    hold = refused(plot, not_now)
    for _ in range(6):
        plot.fires(hold, "retry")
        hold = refused(plot, not_now)

    assert hold.refusals == 7
    assert pause(plot, hold, "retry") == 8.0


def test_success_clears_the_trouble() -> None:
    plot = ready(1)
    hold = refused(plot)
    plot.fires(hold, "retry")
    retry = plot.commits()

    assert [one.group for one in troubles(plot.view())] == ["small"]

    plot.executes(retry)

    assert troubles(plot.view()) == ()
    assert plot.decides() is None


def test_what_is_no_longer_wanted_is_no_longer_waited_for() -> None:
    plot = ready(1)
    hold = refused(plot)
    plot.sees(worker("somebody-made-it"))

    cleared = plot.commits()

    assert (cleared.actions, cleared.troubles, cleared.refusals) == ((), (), 0)
    assert cleared.because == ("what was refused before is no longer wanted",)
    assert cleared.cancelled == ("retry",)
    assert "retry" not in {timer.name for timer in cleared.timers}
    assert hold.troubles
    assert plot.decides() is None


def test_what_is_no_longer_wanted_when_its_time_has_come_is_not_waited_for_either() -> None:
    plot = ready(1)
    hold = refused(plot)
    plot.sees(worker("somebody-made-it"))
    plot.fires(hold, "retry")

    cleared = plot.commits()

    assert (cleared.actions, cleared.troubles, cleared.refusals) == ((), (), 0)
    assert cleared.because == ("what was refused before is no longer wanted",)
    assert plot.decides() is None


def test_a_refused_deletion_waits_for_itself_alone() -> None:
    plot = ready(0)
    plot.sees(failed(worker("w1")), failed(worker("w2")))
    asked = plot.commits()
    plot.answers(asked, QUOTA, done("w2", deleting=True))

    hold = plot.commits()

    assert [(one.verb, one.name) for one in hold.troubles] == [("delete", "w1")]
    assert hold.actions == ()


def test_a_retry_without_an_answer_is_read_before_anything_is_asked_again() -> None:
    plot = ready(1)
    hold = refused(plot)
    plot.fires(hold, "retry")
    retry = plot.commits()
    plot.fires(retry, "wake")

    reading = plot.commits()

    assert [action.rule for action in reading.actions] == ["confirm"]
    assert plot.now == NOON + timedelta(seconds=22)


@pytest.mark.parametrize(("reason", "pauses"), [(HELD_BACK, [2, 2, 2]), (QUOTA, [2, 4, 8])])
def test_the_pause_of_a_budget_that_lets_some_through_does_not_grow(
    reason: Refused, pauses: list[float]
) -> None:
    plot = ready(0)
    left = [failed(worker(name)) for name in ("w1", "w2", "w3", "w4")]
    plot.sees(*left)
    found = []
    while len(left) > 1:
        asked, goes = plot.commits(), left.pop(0)
        plot.answers(asked, done(goes.meta.name, 30, deleting=True), *(reason for _ in left))
        hold = plot.commits()
        found.append(pause(plot, hold, "retry"))
        plot.sees(gone(goes, version=31))
        plot.fires(hold, "retry")

    assert found == pauses
