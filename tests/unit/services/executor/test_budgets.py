"""What may be destroyed in a while: counted the same by everybody who reads the same records."""

from datetime import timedelta

from msgspec.structs import replace

from services.executor.budgets import Account, Budgets, destroyed, destructive
from shared.actions.objects import PatchObject
from shared.actions.outcomes import Done, Gone, Outcome
from shared.events import subjects
from shared.events.approvals import FLEET, HELD, Approved, namespace_scope
from shared.events.decisions import Answered
from shared.events.envelope import SCHEMA, Body, Envelope, Record
from shared.kernel.keys import ResourceKey
from tests.support.builders import KEY, NOON, act, creation, deletion

WINDOW = timedelta(minutes=10)
OTHER = ResourceKey(kind="raycluster", namespace="prod", name="other")
ELSEWHERE = ResourceKey(kind="raycluster", namespace="test", name="demo")


def account(**limits: int) -> Account:
    return Account(Budgets(window=WINDOW, **{"fleet": 0, **limits}))


def record(subject: str, body: Body, minutes: float = 0) -> Record:
    at = NOON + timedelta(minutes=minutes)
    envelope = Envelope(schema=SCHEMA, id="x", body=body, code="test", written_at=at)
    return Record(sequence=1, at=at, subject=subject, envelope=envelope)


def did(key: ResourceKey, *outcomes: Outcome, act: str = "a", minutes: float = 0) -> Record:
    count = sum(1 for one in outcomes if one == DELETED)
    return record(subjects.res(key), Answered(act=act, outcomes=outcomes, destroyed=count), minutes)


DELETED = Done(uid="u", resource_version=1, deleting=True)


def test_holds_back_what_is_beyond_the_budget_of_a_resource() -> None:
    spent = account(resource=2)

    assert [spent.take(KEY, "a", NOON) is None for _ in range(3)] == [True, True, False]
    assert spent.take(OTHER, "b", NOON) is None


def test_says_what_the_limit_is_and_how_to_pass_it() -> None:
    spent = account(namespace=1)
    spent.take(KEY, "a", NOON)

    assert spent.take(OTHER, "b", NOON) == (
        f"{HELD}1 deletions in namespace prod within 10 minutes are the limit; if more are meant: "
        "heliograph approve namespace/prod --for 1h"
    )
    assert spent.take(ELSEWHERE, "c", NOON) is None


def test_counts_what_others_did_and_nothing_else() -> None:
    spent = account(fleet=3)
    spent.note(did(KEY, DELETED, DELETED, Done(uid="made"), Gone(resource_version=3)))

    assert spent.spent()[FLEET] == 2
    assert spent.take(OTHER, "b", NOON) is None
    assert spent.take(OTHER, "b", NOON) is not None


def test_what_is_in_hand_is_counted_once() -> None:
    spent = account(fleet=3)
    spent.take(KEY, "a", NOON)
    spent.take(KEY, "a", NOON)
    spent.note(did(KEY, DELETED, act="a"))

    assert spent.spent()[FLEET] == 1, "of the two that were begun one was done"


def test_what_came_to_nothing_is_given_back() -> None:
    spent = account(fleet=1)
    spent.take(KEY, "a", NOON)
    spent.drop("a")

    assert spent.spent() == {}


def test_the_window_moves_on() -> None:
    spent = account(fleet=1)
    spent.note(did(KEY, DELETED))

    assert spent.exhausted(NOON + WINDOW)
    assert not spent.exhausted(NOON + WINDOW + timedelta(seconds=1))
    assert spent.take(KEY, "b", NOON + 2 * WINDOW) is None


def test_an_approval_lifts_its_own_scope_until_it_ends() -> None:
    spent = account(namespace=1, fleet=100)
    spent.take(KEY, "a", NOON)
    scope = namespace_scope("prod")
    spent.note(record(subjects.approval(scope), Approved(scope=scope, seconds=300)))

    assert spent.take(KEY, "b", NOON) is None
    assert spent.take(KEY, "c", NOON + timedelta(seconds=301)) is not None


def test_an_approval_covers_every_narrower_scope() -> None:
    spent = account(resource=1, namespace=1, fleet=100)
    spent.take(KEY, "a", NOON)
    spent.note(record(subjects.approval(FLEET), Approved(scope=FLEET, seconds=300)))

    assert spent.take(KEY, "b", NOON) is None


def test_what_is_in_hand_still_counts_when_the_log_is_read_anew() -> None:
    spent = account(fleet=10)
    spent.take(KEY, "a", NOON)
    spent.clear()
    assert spent.spent()[FLEET] == 1

    spent.note(did(OTHER, DELETED, DELETED, act="b"))
    spent.note(did(KEY, DELETED, act="a"))
    assert spent.spent()[FLEET] == 3


def test_a_log_that_is_read_anew_counts_nothing_twice() -> None:
    spent = account(fleet=10)
    spent.note(did(KEY, DELETED))
    spent.clear()
    spent.note(did(KEY, DELETED))

    assert spent.spent()[FLEET] == 1


def test_what_a_user_deleted_and_what_was_only_let_go_is_not_counted() -> None:
    asked = act(deletion("a"), deletion("b"), creation("c"))
    let_go = PatchObject(kind="rayjob", name="j", uid="u", patch={}, rule="r", because="b")
    by_user = replace(asked, seen=replace(asked.seen, deleting=True))

    assert destroyed(asked, (DELETED, Gone(resource_version=3), Done(uid="made"))) == 1
    assert destroyed(by_user, (DELETED, DELETED, Done(uid="made"))) == 0
    assert destroyed(act(let_go), (DELETED,)) == 0


def test_only_what_takes_work_away_counts() -> None:
    assert destructive(deletion("a"))
    assert not destructive(creation("a"))
