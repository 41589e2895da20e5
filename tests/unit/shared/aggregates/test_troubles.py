"""What is in the way: one trouble for each wish that was refused and not fulfilled since."""

import pytest
from msgspec.structs import replace

from shared.actions.jobs import SubmitJob
from shared.actions.objects import Action, ConfirmObject, PostNotice
from shared.actions.outcomes import UNAVAILABLE, Occupied, Outcome, Overtaken, Unknown
from shared.aggregates.troubles import Wish, fresh_troubles, troubles, wish_of
from shared.events.decisions import Trouble
from tests.support.builders import QUOTA, act, creation, deletion, done, resource
from tests.support.history import History

NOTICE = PostNotice(warning=True, reason="R", action="A", message="m", rule="r", because="b")
READING = ConfirmObject(kind="pod", name="w1", rule="confirm", because="unseen")
OCCUPIED = Occupied(uid="stranger", resource_version=1, message="taken")
SUBMISSION = SubmitJob(job_id="j1", address="a", service="s", rule="submit", because="b")
SMALL = Trouble(
    verb="create",
    rule="worker_groups",
    kind="pod",
    name="w2",
    group="small",
    message="exceeded quota: pods=4",
)


def told(*pairs: tuple[Action, Outcome], generation: int = 1) -> History:
    history = History()
    history.sees(resource(generation=generation))
    decided = act(*(action for action, _ in pairs))
    history.acts(decided)
    history.answers(decided, *(outcome for _, outcome in pairs))
    return history


@pytest.mark.parametrize(
    ("asked", "wish"),
    [
        (creation("w1"), ("create", "pod", "small")),
        (replace(creation("s"), kind="service", group=""), ("create", "service", "s")),
        (deletion("w1"), ("delete", "pod", "w1")),
        (SMALL, ("create", "pod", "small")),
        (NOTICE, None),
        (READING, None),
    ],
)
def test_a_wish_is_about_a_group_or_a_name(asked: Action | Trouble, wish: Wish | None) -> None:
    assert wish_of(asked) == wish


def test_what_is_never_watched_and_may_not_have_been_made_waits() -> None:
    secret = replace(creation("s"), kind="secret", group="")
    (found,) = fresh_troubles(told((secret, Unknown(error="down"))).view())

    assert (found.verb, found.kind, found.name, found.message) == ("create", "secret", "s", "down")


def test_each_refused_wish_is_one_trouble() -> None:
    history = told(
        (creation("w1"), QUOTA),
        (creation("w2"), QUOTA),
        (creation("b1", "big"), OCCUPIED),
        (deletion("w3"), QUOTA),
        (creation("w4", "fine"), done("w4")),
    )

    found = fresh_troubles(history.view())

    assert found[0] == SMALL
    assert [(one.verb, one.group or one.name, one.message) for one in found[1:]] == [
        ("create", "big", "taken"),
        ("delete", "w3", "exceeded quota: pods=4"),
    ]


def test_a_refusal_that_nobody_spoke_is_an_outage() -> None:
    away = replace(QUOTA, reason=UNAVAILABLE, message="the credential plugin failed")
    history = told((creation("w1"), away), (creation("b1", "big"), QUOTA))

    found = fresh_troubles(history.view())

    assert [(one.group, one.outage) for one in found] == [("small", True), ("big", False)]


@pytest.mark.parametrize("outcome", [done("w1"), Overtaken(because="x"), Unknown(error="x")])
def test_only_a_refusal_is_a_trouble(outcome: Outcome) -> None:
    assert fresh_troubles(told((creation("w1"), outcome)).view()) == ()


def test_a_notice_or_a_reading_that_is_refused_is_no_trouble() -> None:
    assert fresh_troubles(told((NOTICE, QUOTA), (READING, QUOTA)).view()) == ()


def test_troubles_that_wait_are_carried_by_the_act() -> None:
    history = History()
    history.sees(resource())
    history.acts(replace(act(), troubles=(SMALL,)))

    assert troubles(history.view()) == (SMALL,)


def test_a_trouble_that_is_tried_again_stays_until_there_is_an_answer() -> None:
    history = History()
    history.sees(resource())
    again = replace(act(creation("w9")), troubles=(SMALL,))
    history.acts(again)

    assert troubles(history.view()) == (SMALL,)

    history.answers(again, done("w9"))

    assert troubles(history.view()) == ()


def test_a_new_generation_starts_without_troubles() -> None:
    assert troubles(told((creation("w1"), QUOTA), generation=2).view()) == ()


def test_without_an_act_nothing_is_in_the_way() -> None:
    history = History()
    history.sees(resource())

    assert troubles(history.view()) == ()


def test_what_was_asked_of_ray_is_not_refused_before_an_answer_is_overdue() -> None:
    history = History()
    history.sees(resource())
    history.acts(act(SUBMISSION))

    assert troubles(history.view()) == ()

    history.fires(act(SUBMISSION), "wake")
    [overdue] = troubles(history.view())
    assert (overdue.verb, overdue.message) == ("submit", "no answer is recorded")
