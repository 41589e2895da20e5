"""Cutting acts into batches."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.executor.batches import SIDE_BY_SIDE, batches
from shared.actions.objects import Action, ConfirmObject
from tests.support.builders import creation, deletion

SERVICE = replace(creation("demo-head-svc", group=""), kind="service")
HEAD = creation("demo-head", group="headgroup")
CONFIRM = ConfirmObject(kind="pod", name="w0", rule="confirm", because="unseen for too long")
WORKERS = tuple(creation(f"w{number}") for number in range(SIDE_BY_SIDE + 2))


def test_the_service_goes_before_the_head_and_the_head_before_its_workers() -> None:
    cut = list(batches((SERVICE, HEAD, *WORKERS)))

    assert cut == [(SERVICE,), (HEAD,), WORKERS[:SIDE_BY_SIDE], WORKERS[SIDE_BY_SIDE:]]


def test_workers_of_two_groups_do_not_mix() -> None:
    other = creation("w9", group="large")

    assert list(batches((WORKERS[0], other, WORKERS[1]))) == [
        (WORKERS[0],),
        (other,),
        (WORKERS[1],),
    ]


def test_a_binding_waits_for_the_role_that_it_names() -> None:
    """The API server looks into the role, and refuses a binding to one that is not there yet."""
    account, role, binding = (
        replace(SERVICE, name="demo", kind=kind)
        for kind in ("serviceaccount", "role", "rolebinding")
    )

    assert list(batches((SERVICE, account, role, binding, SERVICE))) == [
        (SERVICE, account, role),
        (binding,),
        (SERVICE,),
    ]


def test_an_act_without_actions_has_no_batches() -> None:
    assert list(batches(())) == []


@given(st.lists(st.sampled_from([SERVICE, HEAD, CONFIRM, deletion("w1"), *WORKERS[:2]])))
def test_batches_are_bounded_and_keep_every_action_in_its_order(actions: list[Action]) -> None:
    cut = list(batches(actions))

    assert [action for batch in cut for action in batch] == actions
    assert all(1 <= len(batch) <= SIDE_BY_SIDE for batch in cut)
    assert all(len({type(action) for action in batch}) == 1 for batch in cut)
