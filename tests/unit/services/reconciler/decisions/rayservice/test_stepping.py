"""Traffic that moves in steps: what is made for it, when it moves, and what it waits for."""

from datetime import timedelta
from itertools import pairwise

import pytest
from msgspec.structs import replace

from shared.actions.objects import ConfigureServe, PatchObject
from shared.kernel.features import parse_features
from shared.kernel.manifests import entries_at, text_at
from shared.resources.service_options import INCREMENTAL
from tests.support.builders import CONTEXT, Raw
from tests.support.rayservices import MARKET, SERVE_SVC, STAND, service_spec
from tests.support.servicestory import ready
from tests.support.steppingstory import (
    GATEWAY,
    ROUTE,
    SteppingStory,
    cluster_of,
    stepped_spec,
    stepping,
    upgrading,
)

NEXT = cluster_of("2.47.0")
STEP = "traffic-step"


def application(config: Raw) -> str:
    """The name of the first application that Serve was told to run."""
    return text_at(config, "applications", 0, "name")


def waiting() -> SteppingStory:
    """Return a service whose next cluster is there and has no head yet."""
    story = stepping(stepped_spec())
    story.wishes(rayClusterConfig=NEXT)
    story.goes_on()
    return story


def deploying() -> SteppingStory:
    """Return one whose next cluster was told what to run, and does not run it yet."""
    story = waiting()
    story.starts = "DEPLOYING"
    story.head_comes_up(story.pending)
    story.goes_on()
    return story


def test_a_first_cluster_gets_everything_at_once_and_a_route_of_its_own() -> None:
    """RayService checklist 69: without a pending cluster there is one backend with 100."""
    story = stepping(stepped_spec())

    assert story.percents == (100, -1, 100, -1)
    assert story.weights == {story.active: 100}
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")
    assert story.status["numServeEndpoints"] == 1
    assert SERVE_SVC not in story.services
    assert story.configured[0][1]["target_capacity"] == 100


def test_each_cluster_has_a_service_that_it_controls() -> None:
    """RayService checklist 72: made once, selector cluster and serve, owned by the cluster."""
    story = upgrading(stepped_spec(), NEXT)
    made = [one for one in story.done if getattr(one, "rule", "") == "cluster_service"]

    for name in (story.active, story.pending):
        living = story.services[f"{name}-serve-svc"]
        assert living.selector == {"ray.io/cluster": name, "ray.io/serve": "true"}
        assert [owner.name for owner in living.meta.owners] == [name]
    assert len(made) == 2


def test_a_service_of_a_former_cluster_is_waited_for() -> None:
    """A creation would be answered "already so" and decided again, as fast as the bus goes."""
    story = stepping(stepped_spec())
    name = f"{story.active}-serve-svc"
    living = story.services[name]
    former = replace(living.meta.owners[0], uid="uid-of-a-former-cluster")
    story.services[name] = replace(living, meta=replace(living.meta, owners=(former,)))
    story.sees(story.services[name])
    made = len(story.done)
    story.goes_on()

    assert [one for one in story.done[made:] if getattr(one, "rule", "") == "cluster_service"] == []


def test_a_service_that_kuberay_made_is_told_whose_it_is() -> None:
    story = stepping(stepped_spec())
    name = f"{story.active}-serve-svc"
    living = story.services[name]
    story.services[name] = replace(living, meta=replace(living.meta, labels={}))
    story.sees(story.services[name])
    act = story.view().act
    story.reconciler_decides()

    [label] = [one for one in story.act.actions if isinstance(one, PatchObject)]
    assert story.act != act
    assert label.owner == story.clusters[story.active].meta.uid
    assert label.patch == {"metadata": {"labels": {"heliograph.dev/rayservice": "fruit"}}}


def test_the_next_cluster_begins_with_nothing() -> None:
    """RayService checklist 69: a pending cluster that is not ready gets no traffic."""
    story = waiting()
    [group] = entries_at(story.clusters[story.pending].spec, "workerGroupSpecs")

    assert story.percents == (100, 0, 100, 0)
    assert story.weights == {story.active: 100, story.pending: 0}
    assert "replicas" not in group


def test_traffic_waits_until_everything_runs() -> None:
    story = deploying()

    assert story.percents == (100, 50, 100, 0)
    story.time_passes(60)
    assert story.percents == (100, 50, 100, 0)
    story.apps_are("RUNNING")
    story.goes_on()
    assert story.percents == (100, 50, 75, 25)


def test_traffic_waits_until_an_endpoint_is_ready() -> None:
    story = deploying()
    story.heads[story.pending].well = False
    story.goes_on()
    story.apps_are("RUNNING")
    story.time_passes(60)

    assert story.percents == (100, 50, 100, 0)


def test_a_step_waits_for_the_interval() -> None:
    """RayService checklist 69: not elapsed, nothing moves; elapsed, one step."""
    story = upgrading(stepped_spec(step=10, surge=50, interval=30), NEXT)

    assert story.percents == (100, 50, 90, 10)
    story.time_passes(29)
    assert story.percents == (100, 50, 90, 10)
    story.time_passes(1)
    assert story.percents == (100, 50, 80, 20)


def test_a_step_is_capped_by_the_capacity() -> None:
    """RayService checklist 69: capacity 5 lets 5 percent through."""
    story = upgrading(stepped_spec(step=5, surge=5, interval=10), NEXT)

    assert story.weights == {story.active: 95, story.pending: 5}


def test_the_moment_of_the_next_step_outlives_restarts() -> None:
    """The due time comes from the status: no act, whoever writes it, moves it."""
    story = upgrading(stepped_spec(interval=30), NEXT)
    due = story.timers()[STEP]
    story.passes(7)
    story.sees(story.services[f"{story.active}-serve-svc"])
    story.wishes(rayClusterDeletionDelaySeconds=5)
    story.goes_on()

    assert story.timers()[STEP] == due
    moved = text_at(story.status, "pendingServiceStatus", "lastTrafficMigratedTime")
    assert moved == "2030-01-01T12:00:00Z"
    assert due - story.now == timedelta(seconds=23)


def forget(story: SteppingStory) -> None:
    """The log is lost: what was decided, done and asked is no longer known."""
    for subject in [one for one in story.latest if one.split(".")[5] in ("act", "res", "dash")]:
        del story.latest[subject]
    story.sees(*story.children.values())


def test_a_log_without_memory_goes_on_where_the_status_is() -> None:
    story = upgrading(stepped_spec(interval=30), NEXT)
    before, weights, due = story.percents, story.weights, story.timers()[STEP]
    story.passes(5)
    forget(story)
    story.goes_on()

    assert (story.percents, story.weights) == (before, weights)
    assert story.timers()[STEP] == due


def test_whoever_does_not_know_what_a_cluster_accepted_tells_it_nothing() -> None:
    """KubeRay sends the new text to the old cluster after a restart in the middle of an upgrade."""
    story = stepping(stepped_spec())
    old = story.active
    story.wishes(rayClusterConfig=NEXT, serveConfigV2=MARKET)
    story.goes_on()
    new = story.pending
    story.head_comes_up(new)
    story.goes_on()
    forget(story)
    story.goes_on()
    for _ in range(10):
        story.time_passes(10)

    assert (story.active, story.weights) == (new, {new: 100})
    assert {application(config) for name, config in story.configured if name == old} == {"stand"}


@pytest.mark.parametrize(
    ("step", "surge", "interval"), [(100, 100, 1), (25, 50, 5), (5, 25, 10), (25, 30, 7)]
)
def test_a_whole_upgrade(step: int, surge: int, interval: int) -> None:
    """RayService checklist 76: monotonic, no step before its time, the new text at the end."""
    story = stepping(stepped_spec(step=step, surge=surge, interval=interval))
    old = story.active
    story.wishes(rayClusterConfig=NEXT, serveConfigV2=MARKET)
    story.goes_on()
    new = story.pending
    story.head_comes_up(new)
    story.goes_on()
    for _ in range(30):
        story.time_passes(interval)

    assert (story.active, story.pending, story.weights) == (new, "", {new: 100})
    assert story.condition("UpgradeInProgress") == ("False", "NoPendingCluster")
    assert_came_through(story, step, interval)
    texts = {(cluster, application(config)) for cluster, config in story.configured}
    assert texts == {(old, "stand"), (new, "market")}
    story.time_passes(60)
    assert list(story.clusters) == [new]


def assert_came_through(story: SteppingStory, step: int, interval: int) -> None:
    """Capacity and traffic go one way, all of it goes somewhere, and steps keep their distance."""
    states = story.states()
    for before, after in pairwise(states):
        assert after[0] <= before[0]
        assert after[1] >= before[1]
        assert 0 <= after[3] - before[3] <= step
        assert after[2] + after[3] == 100
    moved = [
        text_at(status, "pendingServiceStatus", "lastTrafficMigratedTime")
        for status in story.written()
    ]
    seconds = [int(one[17:19]) + 60 * int(one[14:16]) for one in dict.fromkeys(moved) if one]
    assert all(later - earlier >= interval for earlier, later in pairwise(seconds))


def test_capacity_steps_send_each_cluster_its_own_text() -> None:
    """RayService checklist 70: the old text to the old cluster, with exactly the new capacity."""
    story = stepping(stepped_spec(step=100, surge=100, interval=1))
    old = story.active
    story.wishes(rayClusterConfig=NEXT, serveConfigV2=MARKET)
    story.goes_on()
    new = story.pending
    story.head_comes_up(new)
    story.goes_on()

    sent = [(name, config["target_capacity"]) for name, config in story.configured]
    apps = {name: application(config) for name, config in story.configured}
    assert sent == [(old, 100), (new, 0), (new, 100), (old, 0)]
    assert apps == {old: "stand", new: "market"}


def test_people_are_told_of_capacity_once_for_each_change() -> None:
    story = upgrading(stepped_spec(), NEXT)
    told = [
        one.notice.done.reason
        for one in story.done
        if isinstance(one, ConfigureServe) and one.notice is not None
    ]

    assert told.count("UpdatedServeTargetCapacity") == 1


@pytest.mark.parametrize("programmed", [True, False])
def test_nothing_moves_while_the_gateway_does_not_work(*, programmed: bool) -> None:
    """RayService checklist 71: gateway or route not ready, no change of capacity."""
    story = waiting()
    story.gateway_is(programmed=programmed)
    story.head_comes_up(story.pending)
    story.goes_on()

    assert story.percents == ((100, 50, 75, 25) if programmed else (100, 0, 100, 0))
    story.gateway_is(programmed=True)
    story.goes_on()
    assert story.percents == (100, 50, 75, 25)


def test_a_cluster_without_gateways_serves_and_says_what_is_missing() -> None:
    story = SteppingStory(stepped_spec())
    story.refuses = {"gateway": "the server has no gateways", "httproute": "no httproutes"}
    story.starts = "RUNNING"
    story.goes_on()
    story.head_comes_up(story.pending)
    story.goes_on()

    assert story.active
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")
    assert {one.kind for one in story.act.troubles} == {"gateway", "httproute"}


def test_what_others_did_to_route_and_gateway_is_undone() -> None:
    """RayService checklist 68: the class of the options, one listener; the wished weights."""
    story = upgrading(stepped_spec(), NEXT)
    before, weights = story.percents, story.weights
    for name in (GATEWAY, ROUTE):
        spec = {**story.children[name].spec, "gatewayClassName": "other", "rules": []}
        story.child_is(story.children[name].kind, name, spec, next(story.versions))
    story.goes_on()

    assert story.children[GATEWAY].spec["gatewayClassName"] == "istio"
    assert (story.percents, story.weights) == (before, weights)


def test_behind_a_shut_gate_the_strategy_counts_as_none() -> None:
    """RayService checklist 67: not enabled, so a changed cluster spec is left alone."""
    features = parse_features("RayServiceIncrementalUpgrade=false")
    context = replace(CONTEXT, settings=replace(CONTEXT.settings, features=features))
    story = ready(service_spec(upgradeStrategy={"type": INCREMENTAL}), context)
    story.wishes(rayClusterConfig=NEXT)
    story.goes_on()

    assert not context.settings.surroundings.steps
    assert story.pending == ""
    assert story.leads_to == story.active


def test_a_dead_old_cluster_does_not_hold_up_the_new_one() -> None:
    story = upgrading(stepped_spec(), NEXT)
    new = story.pending
    story.head_is_lost(story.active)
    story.goes_on()
    for _ in range(10):
        story.time_passes(10)

    assert (story.active, story.pending) == (new, "")


def test_a_vanished_old_cluster_makes_way_at_once() -> None:
    story = upgrading(stepped_spec(), NEXT)
    new = story.pending
    story.remove_cluster(story.active)
    story.goes_on()

    assert (story.active, story.pending, story.weights) == (new, "", {new: 100})
    assert story.told_people().count("RollbackImpossible") == 1


def test_a_vanished_new_cluster_begins_again_with_nothing() -> None:
    story = upgrading(stepped_spec(), NEXT)
    new = story.pending
    story.remove_cluster(new)
    story.goes_on()

    assert story.pending == new
    assert story.weights == {story.active: 100, new: 0}
    story.head_comes_up(new)
    story.goes_on()
    for _ in range(10):
        story.time_passes(10)
    assert (story.active, story.weights) == (new, {new: 100})


def test_a_changed_text_alone_stays_on_its_cluster() -> None:
    story = stepping(stepped_spec(config=STAND))
    story.wishes(serveConfigV2=MARKET)
    story.goes_on()

    assert story.pending == ""
    assert story.configured[-1][0] == story.active
    assert story.configured[-1][1]["target_capacity"] == 100


def test_suspending_removes_gateway_and_route_and_resuming_brings_them_back() -> None:
    """RayService checklist 64: also in the middle of an upgrade."""
    story = upgrading(stepped_spec(), NEXT)
    story.wishes(suspend=True)
    story.goes_on()

    assert story.condition("Suspended") == ("True", "SuspendComplete")
    assert (story.children, story.clusters) == ({}, {})
    story.wishes(suspend=False)
    story.goes_on()
    story.head_comes_up(story.pending)
    story.goes_on()
    assert story.weights == {story.active: 100}
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")
