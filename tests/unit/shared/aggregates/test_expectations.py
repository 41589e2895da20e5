"""What acts have in flight: which outcome leaves which expectation, and what ends it."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from msgspec.structs import replace

from shared.actions.objects import Action, ConfirmObject, PostNotice
from shared.actions.outcomes import (
    AlreadySo,
    Done,
    Gone,
    Occupied,
    Outcome,
    Overtaken,
    Refused,
    Unknown,
)
from shared.aggregates.expectations import Name, answered, in_flight
from shared.events.decisions import Answered, Decided, Expectation
from shared.events.objects import Observation
from tests.support.builders import (
    NOON,
    act,
    creation,
    deleting,
    deletion,
    done,
    expectation,
    gone,
    worker,
)

OCCUPIED = Occupied(uid="stranger", resource_version=20, message="not ours")
REFUSED = Refused(code=403, reason="Forbidden", message="quota")
OVERTAKEN = Overtaken(because="newer spec")
UNKNOWN = Unknown(error="timeout")
CONFIRM = ConfirmObject(kind="pod", name="w1", rule="confirm", because="unseen")
NOTHING: Mapping[Name, Observation] = {}
UID_OF_W1 = "uid-of-w1"
RULE = creation("w1").rule


def flight(
    action: Action, outcome: Outcome | None, expected: tuple[Expectation, ...] = ()
) -> tuple[Expectation, ...]:
    """What one action leaves behind while nothing at all is seen."""
    decided = replace(act(action), expectations=expected)
    answer = Answered(act=decided.id, outcomes=(outcome,)) if outcome else None
    return in_flight(decided, answer, NOTHING)


def asked(entry: Expectation, *, error: str = "") -> Expectation:
    """The same after one more reading that did not settle it."""
    return replace(entry, asked=entry.asked + 1, error=error)


def remains(entry: Expectation, record: Observation) -> bool:
    """Whether an expectation stands although this is the last record of its object."""
    decided = replace(act(), expectations=(entry,))
    return in_flight(decided, None, {("pod", "w1"): record}) == (entry,)


@pytest.mark.parametrize(
    ("outcome", "left"),
    [
        (done("w1"), (expectation("w1", uid=UID_OF_W1, resource_version=20),)),
        (
            AlreadySo(uid=UID_OF_W1, resource_version=20),
            (expectation("w1", uid=UID_OF_W1, resource_version=20),),
        ),
        (
            done("w1", deleting=True),
            (expectation("w1", "delete", uid=UID_OF_W1, resource_version=20),),
        ),
        (UNKNOWN, (replace(expectation("w1"), error="timeout", rule=RULE),)),
        (None, (expectation("w1"),)),
        (REFUSED, ()),
        (OCCUPIED, ()),
        (OVERTAKEN, ()),
        (Gone(resource_version=20), ()),
    ],
)
def test_a_creation_is_expected_if_it_was_or_may_have_been_done(
    outcome: Outcome | None, left: tuple[Expectation, ...]
) -> None:
    assert flight(creation("w1"), outcome) == left


@pytest.mark.parametrize(
    ("outcome", "version"),
    [
        (done("w1", deleting=True), 20),
        (AlreadySo(uid=UID_OF_W1, resource_version=21, deleting=True), 21),
        (Gone(resource_version=22), 22),
        (UNKNOWN, 0),
        (None, 0),
    ],
)
def test_a_deletion_is_expected_if_it_was_or_may_have_been_done(
    outcome: Outcome | None, version: int
) -> None:
    entry = expectation("w1", "delete", uid=UID_OF_W1, resource_version=version, group="")
    doubt = {"error": "timeout", "rule": RULE} if outcome == UNKNOWN else {}

    assert flight(deletion("w1"), outcome) == (replace(entry, **doubt),)


@pytest.mark.parametrize("outcome", [REFUSED, OCCUPIED, OVERTAKEN])
def test_a_deletion_that_was_not_done_leaves_nothing_behind(outcome: Outcome) -> None:
    assert flight(deletion("w1"), outcome) == ()


@pytest.mark.parametrize(
    ("outcome", "left"),
    [
        (done("w1"), (asked(expectation("w1", uid=UID_OF_W1, resource_version=20)),)),
        (
            AlreadySo(uid=UID_OF_W1, resource_version=20, deleting=True),
            (asked(expectation("w1", "delete", uid=UID_OF_W1, resource_version=20)),),
        ),
        (Gone(resource_version=20), ()),
        (OCCUPIED, ()),
        (UNKNOWN, (asked(expectation("w1"), error="timeout"),)),
        (None, (expectation("w1"),)),
        (REFUSED, (asked(expectation("w1"), error=REFUSED.message),)),
        (OVERTAKEN, (expectation("w1"),)),
    ],
)
def test_a_reading_settles_what_was_unknown_and_a_failed_reading_settles_nothing(
    outcome: Outcome | None, left: tuple[Expectation, ...]
) -> None:
    assert flight(CONFIRM, outcome, (expectation("w1"),)) == left


def test_a_reading_of_what_nobody_expects_leaves_nothing_behind() -> None:
    assert flight(CONFIRM, done("w1")) == ()


@pytest.mark.parametrize(
    ("outcome", "what", "version"),
    [
        (Gone(resource_version=20), "gone", 20),
        (OCCUPIED, "gone", 20),
        (AlreadySo(uid=UID_OF_W1, resource_version=20, deleting=True), "delete", 20),
    ],
)
def test_a_reading_that_finds_an_end_that_nobody_expected_waits_for_its_sight(
    outcome: Outcome, what: str, version: int
) -> None:
    answer = Answered(act=act(CONFIRM).id, outcomes=(outcome,))
    (found,) = in_flight(act(CONFIRM), answer, {("pod", "w1"): worker("w1", version=10)})

    assert (found.kind, found.name) == ("pod", "w1")
    assert (found.what, found.resource_version) == (what, version)


def test_a_reading_starts_the_wait_again() -> None:
    long_ago = replace(expectation("w1"), since=NOON - timedelta(minutes=5))

    assert [entry.since for entry in flight(CONFIRM, done("w1"), (long_ago,))] == [NOON]
    assert [entry.since for entry in flight(CONFIRM, UNKNOWN, (long_ago,))] == [NOON]


@pytest.mark.parametrize("outcome", [Gone(resource_version=20), OCCUPIED])
def test_what_was_read_as_gone_is_remembered_while_the_watch_still_shows_it(
    outcome: Outcome,
) -> None:
    decided = replace(act(CONFIRM), expectations=(expectation("w1", "delete", uid=UID_OF_W1),))
    answer = Answered(act=decided.id, outcomes=(outcome,))

    found = in_flight(decided, answer, {("pod", "w1"): worker("w1", version=10)})

    assert found == (expectation("w1", "gone", uid=UID_OF_W1, resource_version=20),)


def test_a_notice_is_never_in_flight() -> None:
    notice = PostNotice(
        warning=True, reason="R", action="A", message="m", rule="invalid", because="b"
    )

    assert flight(notice, None) == ()
    assert flight(notice, Done()) == ()


def test_a_newer_action_replaces_what_was_expected_of_the_same_name() -> None:
    left = flight(deletion("w1"), UNKNOWN, (expectation("w1", resource_version=5),))

    replaced = expectation("w1", "delete", uid=UID_OF_W1, group="")
    assert left == (replace(replaced, error="timeout", rule=RULE),)


def test_expectations_come_sorted_by_kind_and_name_whatever_their_order_was() -> None:
    decided = replace(act(creation("w3"), creation("w1")), expectations=(expectation("w2"),))

    assert [entry.name for entry in in_flight(decided, None, NOTHING)] == ["w1", "w2", "w3"]


SHOWN_CREATE = expectation("w1", uid=UID_OF_W1, resource_version=20)
UNSURE_CREATE = expectation("w1")
SHOWN_DELETE = expectation("w1", "delete", uid=UID_OF_W1, resource_version=20)
UNSURE_DELETE = expectation("w1", "delete", uid=UID_OF_W1)
READ_AS_GONE = expectation("w1", "gone", uid=UID_OF_W1, resource_version=20)
OTHER = replace(worker("w1"), meta=replace(worker("w1").meta, uid="uid-of-another"))


def versioned(seen: Observation, version: int) -> Observation:
    match seen:
        case _ if not hasattr(seen, "meta"):
            return replace(seen, resource_version=version)
        case _:
            return replace(seen, meta=replace(seen.meta, resource_version=version))


@pytest.mark.parametrize(
    ("entry", "record", "stands"),
    [
        (SHOWN_CREATE, worker("w1", version=19), True),
        (SHOWN_CREATE, worker("w1", version=20), False),
        (SHOWN_CREATE, worker("w1", version=21), False),
        (SHOWN_CREATE, gone(worker("w1"), version=19), True),
        (SHOWN_CREATE, gone(worker("w1"), version=21), False),
        (UNSURE_CREATE, worker("w1", version=1), False),
        (UNSURE_CREATE, gone(worker("w1"), version=99), True),
        (SHOWN_DELETE, worker("w1", version=99), True),
        (SHOWN_DELETE, deleting(worker("w1"), version=19), True),
        (SHOWN_DELETE, deleting(worker("w1"), version=20), False),
        (SHOWN_DELETE, gone(worker("w1"), version=20), False),
        (SHOWN_DELETE, versioned(OTHER, 20), False),
        (UNSURE_DELETE, worker("w1", version=99), True),
        (UNSURE_DELETE, deleting(worker("w1"), version=1), False),
        (UNSURE_DELETE, gone(worker("w1"), version=1), False),
        (UNSURE_DELETE, versioned(OTHER, 1), False),
        (READ_AS_GONE, worker("w1", version=19), True),
        (READ_AS_GONE, worker("w1", version=20), False),
        (READ_AS_GONE, gone(worker("w1"), version=1), False),
        (READ_AS_GONE, versioned(OTHER, 1), False),
    ],
)
def test_an_expectation_ends_when_the_record_has_caught_up_with_it(
    entry: Expectation, record: Observation, *, stands: bool
) -> None:
    assert remains(entry, record) is stands


def test_what_was_found_after_it_was_told_to_be_gone_is_out_of_sight() -> None:
    """Its labels were taken away while nobody watched: asking for it again would go on for ever."""
    decided = act(creation("w1"))
    there = AlreadySo(uid=UID_OF_W1, resource_version=20)
    answer = Answered(act=decided.id, outcomes=(there,))
    told = {("pod", "w1"): gone(worker("w1"), version=90)}

    (entry,) = in_flight(decided, answer, told, {("pod", "w1")})

    assert (entry.what, entry.uid) == ("create", UID_OF_W1)
    assert in_flight(decided, answer, told) == ()


@pytest.mark.parametrize("entry", [SHOWN_CREATE, UNSURE_CREATE, SHOWN_DELETE, UNSURE_DELETE])
def test_a_slow_watch_never_ends_an_expectation(entry: Expectation) -> None:
    """Checklist 95."""
    long_ago = replace(entry, since=NOON - timedelta(days=7))
    decided = replace(act(), expectations=(long_ago,))

    assert in_flight(decided, None, NOTHING) == (long_ago,)


def test_each_action_has_the_outcome_of_its_place_and_the_rest_is_unknown() -> None:
    decided: Decided = act(creation("w1"), deletion("w2"), CONFIRM)
    answer = Answered(act=decided.id, outcomes=(REFUSED, done("w2")))

    assert list(answered(decided, answer)) == [
        (creation("w1"), REFUSED),
        (deletion("w2"), done("w2")),
        (CONFIRM, Unknown(error="no answer is recorded")),
    ]
