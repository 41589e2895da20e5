"""Sizing worker groups: who is made, who goes, in which order, and who is never touched."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from shared.actions.objects import Action, CreateObject, DeleteObject, Notice, Words
from shared.actions.outcomes import Unknown
from shared.events.objects import ObjectGone, PodSeen
from tests.support.builders import (
    CONTEXT,
    FORMER_UID,
    SETTINGS,
    cluster_spec,
    deleting,
    done,
    failed,
    gone,
    group,
    head,
    owned_by,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot

Raw = dict[str, object]


def cluster(spec: Raw, *pods: PodSeen | ObjectGone, plot: Plot | None = None) -> Plot:
    """A cluster with service and head, and these pods."""
    plot = plot or Plot()
    plot.sees(resource(spec), service(), head(), *pods)
    return plot


def sized(replicas: int, *pods: PodSeen | ObjectGone, **more: object) -> Plot:
    return cluster(cluster_spec(group("small", replicas, **more)), *pods)


def removed(actions: Iterable[Action]) -> list[str]:
    return [action.name for action in actions if isinstance(action, DeleteObject)]


def made(actions: Iterable[Action]) -> list[str]:
    return [action.group for action in actions if isinstance(action, CreateObject)]


def test_a_group_grows_by_what_is_missing() -> None:
    plot = sized(3, worker("w1"))

    assert made(plot.asks()) == ["small", "small"]
    assert {action.because for action in plot.asks()} == {"group small has 1 of 3 workers"}


@pytest.mark.parametrize(
    ("bounds", "wanted"),
    [
        ({"replicas": 5, "maxReplicas": 2}, 2),
        ({"replicas": 0, "minReplicas": 2}, 2),
        ({"replicas": None, "minReplicas": 1}, 1),
        ({"replicas": 2, "suspend": True}, 0),
    ],
)
def test_the_size_is_kept_within_the_bounds(bounds: Raw, wanted: int) -> None:
    """Checklist 91."""
    spec = group("small") | bounds

    assert len(made(cluster(cluster_spec(spec)).asks())) == wanted


def test_the_unready_go_before_the_young_and_the_young_before_the_old() -> None:
    pods = (
        worker("old", age=9),
        worker("young", age=1),
        worker("unready-old", age=9, ready=False),
        worker("unready-young", age=1, ready=False),
    )

    assert removed(sized(3, *pods).asks()) == ["unready-young"]
    assert removed(sized(1, *pods).asks()) == ["young", "unready-old", "unready-young"]
    assert sorted(removed(sized(0, *pods).asks())) == sorted(pod.meta.name for pod in pods)


def test_scaling_down_by_two_removes_exactly_two_and_says_why() -> None:
    plot = sized(1, worker("w1"), worker("w2"), worker("w3"))

    assert len(removed(plot.asks())) == 2
    assert plot.commits().because == ("group small has 3 workers and wants 1",)


def test_a_victim_is_not_chosen_twice_while_its_end_is_not_seen() -> None:
    plot = sized(1, worker("w1"), worker("w2"))
    plot.answers(plot.commits(), done("w2", 50, deleting=True))

    assert plot.decides() is None

    plot.sees(deleting(worker("w2"), version=50))

    assert plot.decides() is None

    plot.sees(gone(worker("w2"), version=51))

    assert plot.decides() is None


def test_what_is_not_seen_yet_never_counts_for_deleting() -> None:
    plot = sized(2, worker("w1"))
    plot.executes(plot.commits())
    plot.sees(resource(cluster_spec(group("small", 1)), generation=2, version=2))

    assert plot.left_alone()


def test_a_deletion_of_unknown_outcome_frees_no_place() -> None:
    plot = sized(1, worker("w1"), worker("w2"))
    plot.answers(plot.commits(), Unknown(error="timeout"))
    plot.sees(resource(cluster_spec(group("small", 2)), generation=2, version=2))

    assert plot.left_alone()


def test_a_slow_watch_frees_no_place() -> None:
    plot = sized(2)
    plot.executes(plot.commits())
    plot.passes(3600)
    plot.sees(head(version=99))

    assert {action.rule for action in plot.asks()} == {"confirm"}


def test_a_worker_that_is_ending_is_replaced() -> None:
    assert made(sized(1, deleting(worker("w1"))).asks()) == ["small"]


def test_names_that_the_view_holds_are_not_used_again() -> None:
    first = [action.name for action in sized(2).asks() if isinstance(action, CreateObject)]
    strangers = (owned_by(worker(first[0]), FORMER_UID), gone(worker(first[1])))

    again = [a.name for a in sized(2, *strangers).asks() if isinstance(a, CreateObject)]

    assert len(again) == 2
    assert not set(first) & set(again)


def test_pods_of_another_owner_are_neither_counted_nor_removed() -> None:
    stranger = owned_by(worker("stranger"), FORMER_UID)
    orphan = replace(worker("orphan"), meta=replace(worker("orphan").meta, owners=()))

    assert made(sized(1, stranger, orphan).asks()) == ["small"]
    assert sized(0, stranger, orphan).left_alone()


def to_delete(*names: str) -> Raw:
    return {"scaleStrategy": {"workersToDelete": list(names)}}


def test_the_named_workers_go_although_others_are_younger() -> None:
    """Checklist 84."""
    plot = sized(1, worker("w1", age=9), worker("w2", age=1), **to_delete("w1"))

    assert removed(plot.asks()) == ["w1"]
    assert plot.commits().because == ("w1 is named in workersToDelete",)


def test_named_are_only_living_pods_of_this_very_group() -> None:
    """Checklist 84."""
    plot = cluster(
        cluster_spec(
            group("small", 1, **to_delete("b1", "stranger", "nobody", "ending", head().meta.name)),
            group("big", 1),
        ),
        worker("w1"),
        worker("b1", group="big"),
        owned_by(worker("stranger"), FORMER_UID),
        deleting(worker("ending")),
    )

    assert plot.left_alone()


def test_with_an_autoscaler_surplus_stays_until_it_is_named() -> None:
    """Checklist 85."""
    pods = (worker("w1"), worker("w2"), worker("w3"))
    autoscaled = {"enableInTreeAutoscaling": True}
    left = cluster(cluster_spec(group("small", 1), **autoscaled), *pods)
    named = cluster(cluster_spec(group("small", 1, **to_delete("w2")), **autoscaled), *pods)

    assert removed(left.asks()) == []
    assert removed(named.asks()) == ["w2"]


def test_a_suspended_group_loses_all_its_workers_and_no_other_group_does() -> None:
    spec = cluster_spec(group("small", 1, suspend=True), group("big", 1))
    plot = cluster(spec, worker("w1"), worker("b1", group="big"))

    assert removed(plot.asks()) == ["w1"]
    assert plot.commits().because == ("group small is suspended",)


@pytest.mark.parametrize(
    ("more", "notice"),
    [
        (
            to_delete("w1"),
            Notice(
                done=Words(reason="DeletedWorkerPod", message="Deleted pod prod/w1"),
                refused=Words(
                    reason="FailedToDeleteWorkerPod", message="Failed deleting pod prod/w1, "
                ),
            ),
        ),
        (
            {"suspend": True},
            Notice(
                done=Words(
                    reason="DeletedWorkerPod",
                    message="Deleted Pod w1 of suspended worker group small "
                    "in RayCluster prod/demo",
                ),
                refused=Words(
                    reason="FailedToDeleteWorkerPodCollection",
                    message="Failed deleting worker Pods for suspended group small "
                    "in RayCluster prod/demo, ",
                ),
            ),
        ),
    ],
)
def test_people_are_told_why_a_worker_goes(more: Raw, notice: Notice) -> None:
    asked = sized(1, worker("w1"), **more).asks()

    assert [one.notice for one in asked if isinstance(one, DeleteObject)] == [notice]


def test_the_operator_may_be_told_to_shrink_in_spite_of_an_autoscaler() -> None:
    settings = replace(SETTINGS, random_pod_delete=True)
    plot = Plot(replace(CONTEXT, settings=settings))
    spec = cluster_spec(group("small", 1), enableInTreeAutoscaling=True)

    assert removed(cluster(spec, worker("w1"), worker("w2", age=1), plot=plot).asks()) == ["w1"]


def test_pods_of_a_group_that_left_the_spec_are_cleaned_up() -> None:
    plot = cluster(cluster_spec(group("small", 1)), worker("w1"), worker("b1", group="big"))

    assert removed(plot.asks()) == ["b1"]
    assert plot.commits().because == ("group big is no longer in the spec",)


def test_a_new_worker_takes_the_index_that_came_free() -> None:
    """Checklist 93."""

    def placed(name: str, index: str) -> PodSeen:
        seen = worker(name)
        labels = {**seen.meta.labels, "ray.io/worker-group-replica-index": index}
        return replace(seen, meta=replace(seen.meta, labels=labels))

    plot = sized(4, placed("w0", "0"), placed("w2", "2"))

    indices = [one.labels for one in plot.asks() if isinstance(one, CreateObject)]
    assert indices == [
        {"ray.io/worker-group-replica-index": "1"},
        {"ray.io/worker-group-replica-index": "3"},
    ]


def test_a_failed_worker_makes_room_at_once() -> None:
    """Checklist 87."""
    plot = sized(2, worker("w1"), failed(worker("w2")))

    assert removed(plot.asks()) == ["w2"]
    assert made(plot.asks()) == ["small"]


def test_a_failed_worker_is_no_surplus() -> None:
    assert removed(sized(1, worker("w1"), failed(worker("w2"))).asks()) == ["w2"]
