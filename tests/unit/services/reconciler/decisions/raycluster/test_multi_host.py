"""Multi-host groups: a replica comes whole and goes whole, and holds its place while in doubt."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import ACTIONS_MAX
from shared.actions.objects import Action, DeleteObject
from shared.actions.outcomes import Unknown
from shared.events.objects import PodSeen
from shared.kernel.features import parse_features
from tests.support.builders import (
    CONTEXT,
    QUOTA,
    SETTINGS,
    cluster_spec,
    deleting,
    done,
    failed,
    gone,
    group,
    resource,
    worker,
)
from tests.support.plot import Plot
from tests.support.replicas import (
    HOST,
    INDEX,
    NAME,
    as_made,
    creations,
    host,
    removed,
    replica,
    sized,
    surroundings,
)


def places(actions: Iterable[Action]) -> list[tuple[str, str]]:
    """Replica and host index of what is made."""
    return [(one.labels[INDEX], one.labels[HOST]) for one in creations(actions)]


def test_a_replica_is_made_with_all_its_hosts() -> None:
    """Checklist 92: a name for each replica, indices from 0, a host index for each pod."""
    actions = sized(2).asks()

    assert places(actions) == [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]
    names = [one.labels[NAME] for one in creations(actions)]
    assert names[0] == names[1] != names[2] == names[3]
    assert all(name.startswith("small-") and len(name) == 11 for name in names)
    assert [one.unit for one in creations(actions)] == names
    assert {action.because for action in actions} == {"group small has 0 of 2 replicas"}


def test_a_new_replica_takes_the_lowest_free_index() -> None:
    pods = (*replica("a0"), *replica("c2"))

    assert places(sized(4, *pods).asks()) == [("1", "0"), ("1", "1"), ("3", "0"), ("3", "1")]


def test_whole_replicas_are_left_alone() -> None:
    assert sized(2, *replica("a0"), *replica("b1")).left_alone()


def test_what_is_made_and_not_seen_yet_counts_and_is_not_incomplete() -> None:
    plot = sized(2)
    act = plot.commits()
    plot.executes(act)

    assert plot.decides() is None

    for action in creations(act.actions):
        plot.sees(as_made(action))

        assert plot.decides() is None


def test_a_replica_in_doubt_has_no_replacement_although_a_host_of_it_failed() -> None:
    plot = sized(1)
    act = plot.commits()
    plot.executes(act)
    first, second = creations(act.actions)
    plot.sees(failed(as_made(first)))

    assert plot.decides() is None

    plot.sees(as_made(second))
    assert sorted(removed(plot.asks())) == sorted((first.name, second.name))
    assert places(plot.asks()) == [("0", "0"), ("0", "1")]


def test_when_one_host_goes_the_replica_is_made_anew() -> None:
    """Checklist 92: deleting one pod recreates the slice, with the same index."""
    plot = sized(2, *replica("a0"), deleting(host("b1", 0)), host("b1", 1))

    assert removed(plot.asks()) == ["b1-1"]
    assert places(plot.asks()) == [("1", "0"), ("1", "1")]
    assert plot.commits().because == (
        "replica b1 has 1 of 2 hosts",
        "group small has 1 of 2 replicas",
    )


def test_a_host_beyond_recovery_takes_its_replica_with_it() -> None:
    plot = sized(1, host("a0", 0), failed(host("a0", 1)))

    assert removed(plot.asks()) == ["a0-0", "a0-1"]
    assert places(plot.asks()) == [("0", "0"), ("0", "1")]
    assert plot.commits().because[0] == (
        "worker pod a0-1 of replica a0 cannot recover: its status is Failed, which is final"
    )


@pytest.mark.parametrize(
    ("pods", "told"),
    [
        ([host("a0", 0)], "cleanup of incomplete multi-host group"),
        ([host("a0", 0), failed(host("a0", 1))], "cleanup of unhealthy multi-host group"),
        ([*replica("a0"), *replica("b1", age=9)], "scaling down"),
    ],
)
def test_the_event_names_the_pod_its_group_and_the_reason(pods: list[PodSeen], told: str) -> None:
    first = next(one for one in sized(1, *pods).asks() if isinstance(one, DeleteObject))

    assert first.notice is not None
    assert first.notice.done.message == f"Deleted worker Pod prod/a0-0 for group small: {told}"
    assert first.notice.refused.message == (
        "Failed deleting worker Pod prod/a0-0 for group small; "
        "Pod status: Running; Pod restart policy: Never, "
    )


def test_scaling_down_takes_whole_replicas_the_unready_first_then_the_youngest() -> None:
    """Checklist 92: scale-down in whole slices."""
    pods = (
        *replica("a0", age=9),
        *replica("b1", age=1),
        *(host("c2", 0, age=9), host("c2", 1, age=9, ready=False)),
    )

    assert removed(sized(2, *pods).asks()) == ["c2-0", "c2-1"]
    assert removed(sized(1, *pods).asks()) == ["b1-0", "b1-1", "c2-0", "c2-1"]
    assert len(removed(sized(0, *pods).asks())) == 6


def test_with_an_autoscaler_surplus_stays_until_one_of_its_pods_is_named() -> None:
    pods = (*replica("a0"), *replica("b1"))
    for names, gone_ in (((), []), (("b1-1", "nobody", "b1-0"), ["b1-0", "b1-1"])):
        small = group("small", 1, numOfHosts=2, scaleStrategy={"workersToDelete": list(names)})
        plot = Plot()
        spec = cluster_spec(small, enableInTreeAutoscaling=True)
        plot.sees(resource(spec), *surroundings(), *pods)

        assert removed(plot.asks()) == gone_


def test_a_named_replica_holds_its_place_until_it_is_seen_to_go() -> None:
    plot = sized(2, *replica("a0"), *replica("b1"), scaleStrategy={"workersToDelete": ["b1-0"]})
    act = plot.commits()

    assert (removed(act.actions), creations(act.actions)) == (["b1-0", "b1-1"], [])

    plot.executes(act)

    assert places(plot.asks()) == [("1", "0"), ("1", "1")]


def test_a_suspended_group_loses_its_replicas_and_its_strays() -> None:
    plot = sized(1, *replica("a0"), worker("old"), suspend=True)

    assert removed(plot.asks()) == ["a0-0", "a0-1", "old"]
    assert plot.commits().because == ("group small is suspended",)


def test_when_a_host_cannot_be_made_the_others_go_once_they_are_seen() -> None:
    plot = sized(1)
    act = plot.commits()
    first, second = creations(act.actions)
    plot.answers(act, done(first.name, 20), QUOTA)
    assert plot.decides() is None

    plot.sees(as_made(first))

    assert (removed(plot.asks()), places(plot.asks())) == ([first.name], [])
    assert "retry" in [timer.name for timer in plot.commits().timers]
    assert second.unit == first.unit


def test_a_deletion_of_unknown_outcome_frees_no_place() -> None:
    plot = sized(1, *replica("a0"), *replica("b1"))
    plot.answers(plot.commits(), Unknown(error="timeout"), Unknown(error="timeout"))
    plot.sees(resource(cluster_spec(group("small", 2, numOfHosts=2)), generation=2, version=2))

    assert plot.left_alone()


def test_pods_without_a_replica_stay_until_enough_replicas_are_ready() -> None:
    old = (worker("old-1"), worker("old-2"))

    assert places(sized(1, *old).asks()) == [("0", "0"), ("0", "1")]
    assert sized(1, *old, *replica("a0", ready=False)).left_alone()
    assert removed(sized(1, *old, *replica("a0")).asks()) == ["old-1", "old-2"]


def test_a_pod_without_a_replica_goes_alone_when_it_is_named_or_beyond_recovery() -> None:
    named = sized(1, worker("old"), *replica("a0"), scaleStrategy={"workersToDelete": ["old"]})
    lost = sized(1, failed(worker("old")), *replica("a0", ready=False))

    assert removed(named.asks()) == ["old"]
    assert removed(lost.asks()) == ["old"]


def test_without_the_gate_pods_stand_for_themselves() -> None:
    features = parse_features("RayMultiHostIndexing=false")
    plot = Plot(replace(CONTEXT, settings=replace(SETTINGS, features=features)))
    plot.sees(resource(cluster_spec(group("small", 2, numOfHosts=2))), *surroundings())
    plot.sees(failed(host("a0", 0)), host("a0", 1))

    assert removed(plot.asks()) == ["a0-0"]
    assert [one.labels for one in creations(plot.asks())] == [{}] * 3


@pytest.mark.parametrize(
    ("hosts", "first", "second"), [(24, 2, 1), (60, 1, 1), (63, 0, 1), (64, 0, 1), (100, 0, 1)]
)
def test_no_act_holds_a_replica_in_part(hosts: int, first: int, second: int) -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 3, numOfHosts=hosts))))
    counts = []
    for _ in range(2):
        act = plot.commits()
        plot.executes(act)
        made = [one for one in creations(act.actions) if one.group == "small"]
        counts.append(len(made) / hosts)

    assert counts == [first, second]


def test_a_large_replica_goes_whole_as_well() -> None:
    plot = sized(0, *replica("a0", 40), *replica("b1", 40), hosts=40)

    assert len(removed(plot.commits().actions)) == 40 < ACTIONS_MAX


def test_the_gone_host_of_a_replica_is_told_from_one_that_was_never_seen() -> None:
    plot = sized(1, *replica("a0"))
    plot.sees(gone(host("a0", 0)))

    assert removed(plot.asks()) == ["a0-1"]
