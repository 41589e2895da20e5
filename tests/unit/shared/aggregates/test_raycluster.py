"""A view as a RayCluster: what is there, what is alive, what is coming, what is held."""

from msgspec.structs import replace

from shared.actions.outcomes import Gone, Unknown
from shared.aggregates.raycluster import RayClusterState, raycluster_state
from tests.support.builders import (
    FORMER_UID,
    act,
    creation,
    deleting,
    deletion,
    done,
    expectation,
    gone,
    head,
    owned_by,
    owner,
    resource,
    service,
    suspending,
    with_status,
    worker,
)
from tests.support.history import History


def test_of_an_empty_cluster_there_is_nothing() -> None:
    history = History()
    history.sees(resource())

    assert raycluster_state(history.view()) == RayClusterState(
        phase="active/0",
        pods={},
        alive={},
        held={},
        coming={},
        services={},
        children={},
        unsettled=frozenset(),
        taken=frozenset(),
    )


def test_a_cluster_with_something_of_everything() -> None:
    history = History()
    asked = act(creation("coming"), deletion("unsure"), deletion("going"))
    history.sees(with_status(resource(), suspending(3)))
    history.sees(service(), head(), worker("w1"), deleting(worker("ending")), worker("unsure"))
    history.sees(worker("going"), gone(worker("past")), owned_by(worker("strange"), FORMER_UID))
    history.acts(asked)
    history.answers(asked, done("coming"), Unknown(error="timeout"), done("going", 99))

    state = raycluster_state(history.view())

    assert state.phase == "suspending/3"
    assert set(state.pods) == {head().meta.name, "w1", "ending", "unsure", "going"}
    assert set(state.alive) == {head().meta.name, "w1"}
    assert set(state.held) == {"unsure"}
    assert state.coming == {"coming": "small"}
    assert set(state.services) == {service().meta.name}
    assert {name for kind, name in state.taken if kind == "pod"} == {
        *state.pods,
        "coming",
        "past",
        "strange",
    }


def test_groups_count_what_lives_what_comes_and_what_is_held_apart() -> None:
    history = History()
    asked = act(creation("b1", "big"), creation("s2"), deletion("s3"))
    history.sees(resource(), worker("s1"), worker("s3"), worker("b2", group="big"), head())
    history.acts(asked)

    state = raycluster_state(history.view())

    assert (set(state.group("small")), set(state.group("big"))) == ({"s1"}, {"b2"})
    assert (state.coming_in("small"), state.coming_in("big")) == (1, 1)
    assert (state.held_in("small"), state.held_in("big")) == (1, 0)


def test_a_pod_that_was_read_as_gone_is_no_pod() -> None:
    history = History()
    asked = act(deletion("w1"))
    reading = replace(
        act(id_="act-2"),
        expectations=(expectation("w1", "gone", uid="uid-of-w1", resource_version=99),),
    )
    history.sees(resource(), worker("w1"))
    history.acts(asked)
    history.answers(asked, Gone(resource_version=99))

    assert set(raycluster_state(history.view()).pods) == {"w1"}

    history.acts(reading)

    assert raycluster_state(history.view()).pods == {}


def test_an_owner_that_does_not_control_does_not_own() -> None:
    history = History()
    meta = replace(worker("w1").meta, owners=(replace(owner(), controller=False),))
    history.sees(resource(), replace(worker("w1"), meta=meta))

    assert raycluster_state(history.view()).pods == {}


def test_a_service_that_is_being_deleted_still_holds_its_name() -> None:
    history = History()
    meta = replace(service().meta, deleted_at=service().meta.created_at)
    ending = replace(service(), meta=meta)
    history.sees(resource(), ending)

    assert raycluster_state(history.view()).services == {ending.meta.name: ending}


def test_what_is_seen_is_not_coming_although_its_act_is_open() -> None:
    history = History()
    history.sees(resource(), worker("w1"))
    history.acts(act(creation("w1"), creation("w2")))

    assert raycluster_state(history.view()).coming == {"w2": "small"}


def test_every_group_has_its_own() -> None:
    history = History()
    first = act(creation("w4"), creation("w5", group="large"), deletion("w3"))
    history.sees(resource(), worker("w1"), worker("w2", group="large"), worker("w3"))
    history.acts(first)
    history.answers(first, done("w4"), Unknown(error="no answer"), Unknown(error="no answer"))
    state = raycluster_state(history.view())

    groups = "small", "large", "unknown"
    assert [list(state.group(name)) for name in groups] == [["w1"], ["w2"], []]
    assert [state.coming_in(name) for name in groups] == [1, 1, 0]
    assert [state.held_in(name) for name in groups] == [1, 0, 0]
