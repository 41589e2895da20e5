"""A RayCluster's first rounds: what is asked for, in which order, and how much at once."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import ACTIONS_MAX
from shared.actions.objects import CreateObject
from shared.events.codec import encode
from tests.support.builders import (
    CONTEXT,
    HEAD_NAME,
    SERVICE_NAME,
    SETTINGS,
    being_deleted,
    cluster_spec,
    group,
    head,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot


def created(plot: Plot) -> list[tuple[str, str, str]]:
    return [
        (action.kind, action.group, action.manifest)
        for action in plot.asks()
        if isinstance(action, CreateObject)
    ]


def test_the_first_round_asks_for_service_head_and_workers_in_this_order() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 2), group("big", 1))))

    assert created(plot) == [
        ("service", "", "head-service"),
        ("pod", "headgroup", "head"),
        ("pod", "small", "worker/small"),
        ("pod", "small", "worker/small"),
        ("pod", "big", "worker/big"),
    ]
    assert plot.commits().because == (
        "the cluster has no head service",
        "the cluster has no head pod",
        "group small has 0 of 2 workers",
        "group big has 0 of 1 workers",
    )


def test_names_of_one_act_are_all_different_and_told_by_their_group() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 9), group("big", 9))))

    names = [getattr(action, "name", "") for action in plot.asks()]

    assert names[:2] == [SERVICE_NAME, HEAD_NAME]
    assert len(set(names)) == 20
    assert all(name.startswith("demo-small-worker-") for name in names[2:11])
    assert all(name.startswith("demo-big-worker-") for name in names[11:])


def test_five_hundred_workers_come_in_bounded_acts_that_hold_each_manifest_once() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 500))))

    first = plot.commits()

    assert len(first.actions) == ACTIONS_MAX
    assert sorted(first.manifests) == ["head", "head-service", "worker/small"]
    assert len(encode(first)) < 100_000


def test_bounded_acts_add_up_to_exactly_what_was_wanted() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 150))))
    names: set[str] = set()
    while act := plot.decides():
        plot.acts(act)
        plot.executes(act)
        names |= {getattr(action, "name", "") for action in act.actions}

    assert len(names) == 152
    assert len(plot.view().expectations) == 152


def test_an_act_holds_only_the_manifests_that_its_actions_name() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1), group("big", 0))), service(), head())

    assert list(plot.commits().manifests) == ["worker/small"]


def test_a_cluster_that_is_as_wanted_is_left_alone() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))), service(), head(), worker("w1"))

    assert plot.left_alone()


@pytest.mark.parametrize(
    ("manager", "ours"),
    [("ray.io/kuberay-operator", True), ("kueue.x-k8s.io/multikueue", False)],
)
def test_a_cluster_of_another_manager_is_none_of_our_business(manager: str, *, ours: bool) -> None:
    """Checklist 1."""
    plot = Plot()
    plot.sees(resource(cluster_spec(managedBy=manager)))

    assert bool(plot.decides()) is ours


def test_nothing_is_made_or_removed_for_a_cluster_that_is_being_deleted() -> None:
    plot = Plot()
    plot.sees(being_deleted(resource(cluster_spec(group("small", 3)))), worker("w1"))

    assert plot.left_alone()


def test_what_was_under_way_when_deletion_began_is_still_read_when_it_is_late() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))))
    first = plot.commits()
    plot.sees(being_deleted(resource(cluster_spec(group("small", 1)), version=2)))
    plot.fires(first, "wake")

    assert [action.rule for action in plot.asks()] == ["confirm"] * 3


def test_the_settings_reach_the_manifests() -> None:
    plain, login = Plot(), Plot(replace(CONTEXT, settings=_with_login_shell()))
    for plot in (plain, login):
        plot.sees(resource())

    assert plain.commits().manifests != login.commits().manifests
    assert plain.view().act != login.view().act


def _with_login_shell() -> object:
    return replace(SETTINGS, manifests=replace(SETTINGS.manifests, login_shell=True))
