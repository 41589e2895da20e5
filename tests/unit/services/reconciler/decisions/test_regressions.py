"""Decisions that once went wrong, each with its story."""

from msgspec.structs import replace

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import ACTIONS_MAX
from shared.actions.objects import CreateObject, DeleteObject
from shared.actions.outcomes import AlreadySo, Gone, Overtaken, Unknown
from shared.events.codec import encode
from shared.events.decisions import Decided
from shared.kernel.keys import ResourceKey
from tests.support.builders import (
    CONTEXT,
    NOON,
    cluster_spec,
    failed,
    gone,
    group,
    head,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot


def names(act: Decided | None) -> list[tuple[str, str]]:
    """What an act creates and deletes, by group or name."""
    asked = act.actions if act else ()
    return [
        ("create", action.group or action.kind)
        if isinstance(action, CreateObject)
        else ("delete", action.name)
        for action in asked
        if isinstance(action, CreateObject | DeleteObject)
    ]


def test_a_worker_named_twice_for_deletion_is_deleted_once() -> None:
    plot = Plot()
    strategy = {"workersToDelete": ["w1", "w1"]}
    plot.sees(resource(cluster_spec(group("small", 1, scaleStrategy=strategy))))
    plot.sees(service(), head(), worker("w1"))

    assert names(plot.decides()) == [("delete", "w1")]


def test_the_place_of_a_named_worker_is_filled_only_when_it_is_seen_to_go() -> None:
    plot = Plot()
    strategy = {"workersToDelete": ["w1"]}
    plot.sees(resource(cluster_spec(group("small", 2, scaleStrategy=strategy))))
    plot.sees(service(), head(), worker("w1"), worker("w2"))
    act = plot.commits()
    plot.executes(act)
    plot.sees(gone(worker("w1"), version=90))

    assert names(act) == [("delete", "w1")]
    assert names(plot.decides()) == [("create", "small")]


def test_a_head_service_on_its_way_out_is_waited_for() -> None:
    plot = Plot()
    ending = replace(service(), meta=replace(service().meta, deleted_at=NOON, resource_version=20))
    plot.sees(resource(cluster_spec(group("small", 0))), head(), ending)

    assert plot.left_alone()
    plot.sees(gone(ending, version=21))
    assert names(plot.decides()) == [("create", "service")]


def test_a_reading_without_an_answer_is_not_repeated_at_once() -> None:
    plot = Plot()
    plot.sees(resource())
    first = plot.commits()
    plot.executes(first)
    plot.fires(first, "wake")
    reading = plot.commits()
    plot.answers(reading, *(Unknown(error="no answer") for _ in reading.actions))

    assert plot.decides() is None


def test_a_tombstone_of_the_same_uid_ends_its_deletion_whatever_the_versions() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 0))), service(), failed(head(version=10)))
    act = plot.commits()
    plot.sees(gone(head(), version=20))
    plot.answers(act, Gone(resource_version=25))

    assert names(plot.decides()) == [("create", "headgroup")]


def test_a_failed_worker_whose_deletion_is_unsure_takes_no_place() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))), service(), head(), failed(worker("w1")))
    act = plot.commits()
    plot.answers(act, Unknown(error="no answer"), Overtaken(because="newer news"))
    assert plot.decides() is None

    plot.fires(act, "wake")
    assert names(plot.decides()) == [("create", "small")]


def test_two_groups_of_one_name_are_refused_instead_of_flapping() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1), group("small", 2))))
    plot.sees(service(), head(), worker("w1"))
    act = plot.decides()

    assert names(act) == []
    assert act is not None
    assert act.because == ("spec.workerGroupSpecs[1].groupName: worker group names must be unique",)


def test_a_kind_that_nobody_decides_for_is_left_alone() -> None:
    plot = Plot()
    plot.sees(resource())
    stranger = replace(plot.view(), key=ResourceKey("rayothers", "prod", "demo"))

    assert decide(stranger, CONTEXT) is None


def test_an_ending_object_found_under_the_name_is_not_asked_for_again_at_once() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 0))), head())
    act = plot.commits()
    plot.answers(act, AlreadySo(uid="other", resource_version=30, deleting=True))

    assert plot.decides() is None


def test_a_head_that_left_our_sight_is_not_asked_for_again_and_again() -> None:
    """Its selecting label was removed: the watch tells of a deletion, the API of its presence."""
    plot = Plot()
    plot.settles(resource(cluster_spec(group("small", 0))), service(), head())
    plot.sees(gone(head(), version=5000))
    act = plot.commits()
    plot.answers(act, AlreadySo(uid=head().meta.uid, resource_version=5000))

    assert plot.decides() is None


def test_a_head_service_without_its_label_still_is_the_one_of_that_name() -> None:
    plot = Plot()
    plot.settles(resource(cluster_spec(group("small", 0))), service(), head())
    bare = replace(service(), meta=replace(service().meta, labels={}, resource_version=5000))
    plot.sees(bare)

    assert plot.decides() is None


def test_an_act_is_small_enough_for_a_message_however_large_its_manifests() -> None:
    plot = Plot()
    bulky: dict[str, object] = {"metadata": {"annotations": {"bulk": "x" * 40_000}}}
    groups = [group(f"g{number}", 1, template=_bulky(bulky)) for number in range(40)]
    plot.sees(resource(cluster_spec(*groups)))
    act = plot.commits()

    assert len(encode(act)) < 1_000_000
    assert act.actions


def _bulky(template: dict[str, object]) -> dict[str, object]:
    return {**template, "spec": {"containers": [{"name": "ray", "image": "ray"}]}}


def test_a_replica_of_absurdly_many_hosts_is_refused() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1, numOfHosts=3000))))

    assert names(plot.decides()) == []


def test_very_many_replicas_of_several_hosts_are_asked_for_a_few_at_a_time() -> None:
    plot = Plot()
    wanted = group("small", 2_000_000_000, numOfHosts=2, maxReplicas=2_000_000_000)
    plot.sees(resource(cluster_spec(wanted)))
    act = plot.commits()

    assert 0 < len(act.actions) <= ACTIONS_MAX
