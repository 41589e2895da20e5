"""The view of one resource: the last record of each subject, by uid, and nothing else."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from shared.actions.outcomes import AlreadySo
from shared.aggregates.view import View, view
from shared.events.decisions import Answered
from shared.kernel.instants import EPOCH
from tests.support.builders import (
    FORMER_UID,
    KEY,
    NOON,
    QUOTA,
    UID,
    act,
    creation,
    done,
    expectation,
    gone,
    head,
    owned_by,
    resource,
    resumed,
    suspended,
    suspending,
    with_status,
    worker,
)
from tests.support.history import History

OWN_GONE = replace(gone(head()), kind="raycluster", name="demo", uid=FORMER_UID)


def told(history: History) -> tuple[object, ...]:
    """What a view says, less its place in the log."""
    seen = history.view()
    return (seen.own, seen.act, seen.answer, seen.status, seen.woken, seen.expectations)


def test_of_a_resource_without_records_nothing_is_known() -> None:
    assert view(KEY, ()) == View(
        key=KEY,
        based_on=0,
        now=EPOCH,
        own=None,
        former=None,
        children={},
        act=None,
        answer=None,
        last_act=None,
        status={},
        status_version=0,
        act_fence=0,
        answer_fence=0,
        status_fence=0,
        woken=frozenset(),
        expectations=(),
    )


def test_a_whole_history_is_one_view() -> None:
    history = History()
    history.sees(resource(version=1), worker("w1"))
    decided = act(creation("w2"))
    history.acts(decided)
    history.passes(5)
    history.answers(decided, done("w2", 30))
    history.writes_status(suspended(1), 9)

    assert history.view() == View(
        key=KEY,
        based_on=5,
        now=NOON + timedelta(seconds=5),
        own=resource(version=1),
        former=None,
        children={("pod", "w1"): worker("w1")},
        act=decided,
        answer=Answered(act=decided.id, outcomes=(done("w2", 30),)),
        last_act=decided,
        status=suspended(1),
        status_version=9,
        act_fence=3,
        answer_fence=4,
        status_fence=5,
        woken=frozenset(),
        expectations=(expectation("w2", uid="uid-of-w2", resource_version=30),),
    )


def test_only_the_last_record_of_a_subject_counts() -> None:
    history = History()
    history.sees(resource(version=1), worker("w1", version=1), gone(worker("w1", version=1)))
    history.sees(resource(version=3, generation=2))
    history.acts(act(creation("w2"), id_="first"))
    history.acts(act(id_="second"))

    seen = history.view()

    assert seen.own == resource(version=3, generation=2)
    assert seen.children == {("pod", "w1"): gone(worker("w1", version=1))}
    assert seen.act == act(id_="second")
    assert seen.expectations == ()


def test_what_an_act_found_although_it_was_told_to_be_gone_stays_expected() -> None:
    history = History()
    history.sees(resource(), worker("w1"), gone(worker("w1"), version=90))
    asked = replace(act(creation("w1")), based_on=history.view().based_on)
    history.acts(asked)
    history.answers(asked, AlreadySo(uid="uid-of-w1", resource_version=20))
    assert [entry.name for entry in history.view().expectations] == ["w1"]

    history.sees(gone(worker("w1"), version=95))
    assert history.view().expectations == ()


def test_what_came_of_a_former_act_says_nothing_about_the_present_one() -> None:
    history = History()
    history.sees(resource())
    former, present = act(creation("w1"), id_="former"), act(creation("w2"), id_="present")
    history.acts(former)
    history.acts(present)
    history.answers(former, done("w1"))

    seen = history.view()

    assert seen.answer is None
    assert seen.open
    assert seen.answer_fence == 4
    assert seen.expectations == (expectation("w2"),)


@pytest.mark.parametrize(
    ("actions", "answered", "open_"),
    [(0, False, False), (1, False, True), (1, True, False), (2, True, False)],
)
def test_an_act_is_open_while_it_has_actions_and_no_answer(
    actions: int, *, answered: bool, open_: bool
) -> None:
    history = History()
    history.sees(resource())
    decided = act(*(creation(f"w{number}") for number in range(actions)))
    history.acts(decided)
    if answered:
        history.answers(decided, *(QUOTA for _ in range(actions)))

    assert history.view().open is open_


def test_no_act_is_not_an_open_act() -> None:
    history = History()
    history.sees(resource())

    assert not history.view().open


def test_a_timer_counts_only_at_the_very_time_that_the_last_act_wants() -> None:
    history = History()
    history.sees(resource())
    first = act(creation("w1"), id_="first")
    later = replace(first.timers[0], due_at=first.timers[0].due_at + timedelta(seconds=1))
    second = replace(first, id="second", timers=(later,))
    history.acts(first)
    history.fires(first, "wake")

    assert history.view().woken == {"wake"}

    history.acts(second)

    assert history.view().woken == frozenset()

    history.fires(second, "wake")

    assert history.view().woken == {"wake"}


def test_a_timer_that_nobody_wants_wakes_nobody() -> None:
    history = History()
    history.sees(resource())
    history.fires(act(creation("w1")), "wake")

    assert history.view().woken == frozenset()


def test_the_status_is_the_one_with_the_higher_version() -> None:
    history = History()
    history.sees(with_status(resource(version=10), resumed(1)))

    assert (history.view().status, history.view().status_version) == (resumed(1), 10)

    history.writes_status(suspending(2), 12)

    assert (history.view().status, history.view().status_version) == (suspending(2), 12)


def test_the_echo_of_a_written_status_changes_nothing_but_its_source() -> None:
    history = History()
    history.sees(with_status(resource(version=10), resumed(1)))
    history.writes_status(suspending(2), 12)
    history.sees(with_status(resource(version=12), suspending(2)))

    assert (history.view().status, history.view().status_version) == (suspending(2), 12)


def test_a_status_stored_before_a_crash_is_read_from_kubernetes() -> None:
    history = History()
    history.writes_status(suspending(2), 12)
    history.sees(with_status(resource(version=15), suspended(2)))

    assert (history.view().status, history.view().status_version) == (suspended(2), 15)


def test_without_a_written_status_kubernetes_has_the_word() -> None:
    history = History()
    history.sees(with_status(resource(version=15), suspended(2)))

    assert history.view().status == suspended(2)
    assert history.view().status_fence == 0


def former_life(history: History) -> None:
    history.uid = FORMER_UID
    decided = act(creation("w1"))
    history.sees(resource(uid=FORMER_UID, version=3))
    history.acts(decided)
    history.answers(decided, done("w1"))
    history.writes_status(suspended(1), 99)
    history.fires(decided, "wake")
    history.sees(owned_by(worker("w1"), FORMER_UID))


def test_of_a_former_uid_only_fences_and_names_remain() -> None:
    history, fresh = History(), History()
    former_life(history)
    history.sees(resource(uid=UID, version=50))
    fresh.sees(resource(uid=UID, version=50))

    seen = history.view()

    assert told(history) == told(fresh)
    assert (seen.act_fence, seen.answer_fence, seen.status_fence) == (2, 3, 4)
    assert seen.last_act == act(creation("w1"))
    assert seen.children == {("pod", "w1"): owned_by(worker("w1"), FORMER_UID)}


def test_a_tombstone_leaves_the_last_act_and_nothing_else() -> None:
    history = History()
    former_life(history)
    history.sees(OWN_GONE)

    seen = history.view()

    assert told(history) == (None, None, None, {}, frozenset(), ())
    assert seen.former == OWN_GONE
    assert seen.last_act == act(creation("w1"))
