"""A changed cluster spec: another cluster takes over, or nothing happens, or workers are added."""

import pytest
from msgspec.structs import replace

from services.reconciler.manifests.rayservice.cluster import GROUPS, HASH
from shared.actions.objects import ConfigureServe, CreateObject, PatchObject
from shared.kernel.manifests import entries_at
from shared.resources.labels import OPERATOR_VERSION
from tests.support.builders import CONTEXT, Raw, cluster_spec, group
from tests.support.rayservices import MARKET, STAND, other_version, service_spec
from tests.support.servicestory import ServiceStory, ready

GROWN = cluster_spec(group("small", 1), group("large", 2))


def upgrading(spec: Raw | None = None) -> ServiceStory:
    """A RayService that serves, with another cluster on its way."""
    story = ready(spec or service_spec())
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    return story


def without_zero_downtime() -> ServiceStory:
    settings = replace(CONTEXT.settings, one_cluster=True)
    return ready(service_spec(), replace(CONTEXT, settings=settings))


def patches(story: ServiceStory) -> list[PatchObject]:
    found = story.did(PatchObject, "raycluster")
    return [action for action in found if isinstance(action, PatchObject)]


def test_another_version_of_ray_is_served_by_another_cluster() -> None:
    """RayService checklist 12 and 20: the pending cluster is prepared, then takes over."""
    story = upgrading()
    old, new = story.active, story.pending
    assert new
    assert new != old
    assert story.leads_to == old
    story.serves()

    assert (story.active, story.pending, story.leads_to) == (new, "", new)
    assert story.clusters[new].spec["rayVersion"] == "2.47.0"
    assert old in story.clusters, "the old one stays for a while"


def test_selectors_move_and_names_follow_in_one_write() -> None:
    """RayService checklist 29: whoever looks finds services that lead to the active cluster."""
    story = upgrading()
    before = len(story.written())
    story.serves()
    promoted = [
        status for status in story.written()[before:] if "pendingServiceStatus" not in status
    ]

    assert promoted[0]["activeServiceStatus"]["rayClusterName"] == story.leads_to  # type: ignore[index]
    assert story.status["numServeEndpoints"] == 1


def test_nothing_moves_until_a_pod_of_the_new_cluster_takes_requests() -> None:
    story = upgrading()
    head = story.head_comes_up(story.pending)
    story.goes_on()
    head.well = False
    story.apps_are("RUNNING")
    story.goes_on()
    assert (story.leads_to, bool(story.pending)) == (story.active, True)
    head.well = True
    story.goes_on()

    assert (story.leads_to, story.pending) == (story.active, "")


def test_a_further_change_replaces_the_pending_cluster() -> None:
    """RayService checklist 21: another pending name."""
    story = upgrading()
    first = story.pending
    story.wishes(rayClusterConfig=other_version("2.48.0"))
    story.goes_on()

    assert story.pending not in ("", first, story.active)
    assert first in story.clusters, "it dangles"
    story.time_passes(61)
    assert first not in story.clusters


def test_a_change_when_the_services_have_moved_comes_after_the_promotion() -> None:
    """RayService checklist 22: who serves already is not replaced as pending."""
    story = upgrading()
    second = story.pending
    story.head_comes_up(second)
    story.goes_on()
    story.apps_are("RUNNING")
    story.wishes(rayClusterConfig=other_version("2.48.0"))
    story.asker_asks()
    story.goes_on()

    assert story.leads_to == story.active
    assert story.pending not in ("", second)


def test_a_change_before_the_pending_cluster_exists_goes_into_it() -> None:
    """RayService checklist 23: the name stays, the cluster is made from the newest spec."""
    story = ready(service_spec())
    story.refuses["raycluster"] = "no room"
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    name = story.pending
    assert name
    assert name not in story.clusters
    story.refuses.clear()
    story.wishes(rayClusterConfig=other_version("2.48.0"))
    story.goes_on()

    assert story.pending == name
    assert story.clusters[name].spec["rayVersion"] == "2.48.0"


@pytest.mark.parametrize("up", [False, True])
def test_going_back_drops_the_pending_cluster(*, up: bool) -> None:
    """Back to the spec of the active cluster: no third one, and the second one goes."""
    story = upgrading()
    first, second = story.active, story.pending
    if up:
        story.head_comes_up(second)
        story.goes_on()
    story.wishes(rayClusterConfig=cluster_spec(group("small", 1)))
    story.goes_on()

    assert (story.active, story.pending, story.leads_to) == (first, "", first)
    assert story.condition("UpgradeInProgress") == ("False", "NoPendingCluster")
    story.time_passes(61)
    assert list(story.clusters) == [first]


def test_going_back_just_when_the_pending_cluster_serves_does_not_promote_it() -> None:
    story = upgrading()
    first, second = story.active, story.pending
    story.head_comes_up(second)
    story.goes_on()
    story.apps_are("RUNNING", second)
    story.asker_asks()
    story.wishes(rayClusterConfig=cluster_spec(group("small", 1)))
    story.goes_on()

    assert (story.active, story.leads_to) == (first, first)
    assert len(story.did(CreateObject, "raycluster")) == 2


def test_going_back_before_the_pending_cluster_exists_makes_none() -> None:
    story = ready(service_spec())
    story.refuses["raycluster"] = "no room"
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    story.refuses.clear()
    story.wishes(rayClusterConfig=cluster_spec(group("small", 1)))
    story.goes_on()

    assert (list(story.clusters), story.pending) == ([story.active], "")


def test_appended_workers_join_the_active_cluster() -> None:
    """RayService checklist 14 and 16: updated in place, no other cluster."""
    story = ready(service_spec())
    name = story.active
    story.wishes(rayClusterConfig=GROWN)
    story.goes_on()
    groups = entries_at(story.clusters[name].spec, "workerGroupSpecs")

    assert [one["groupName"] for one in groups] == ["small", "large"]
    assert (story.active, story.pending) == (name, "")
    assert story.clusters[name].meta.annotations[GROUPS] == "2"
    notice = patches(story)[0].notice
    assert notice is not None
    assert notice.done.message == f"Updated the active RayCluster prod/{name}"


def test_growing_leaves_what_the_autoscaler_set() -> None:
    """RayService checklist 18: replicas of a living cluster are the autoscaler's."""
    story = ready(service_spec())
    scaled = story.clusters[story.active]
    spec = {**scaled.spec, "workerGroupSpecs": [group("small", 7)]}
    meta = replace(scaled.meta, resource_version=next(story.versions))
    story.clusters[story.active] = replace(scaled, spec=spec, meta=meta)
    story.sees_cluster(story.active)
    story.goes_on()
    assert (story.pending, patches(story)) == ("", [])
    story.wishes(rayClusterConfig=GROWN)
    story.goes_on()
    groups = entries_at(story.clusters[story.active].spec, "workerGroupSpecs")

    assert [one["replicas"] for one in groups] == [7, 2]


def test_appended_workers_join_the_pending_cluster() -> None:
    """RayService checklist 17: the pending name stays."""
    story = upgrading()
    name = story.pending
    story.wishes(rayClusterConfig=other_version("2.47.0", group("small", 1), group("large", 2)))
    story.goes_on()

    assert story.pending == name
    assert len(story.clusters[name].spec["workerGroupSpecs"]) == 2  # type: ignore[arg-type]
    assert [one.name for one in patches(story)] == [name]


@pytest.mark.parametrize("sizes", [{"replicas": 5}, {"minReplicas": 1}, {"maxReplicas": 9}])
def test_other_sizes_change_nothing(sizes: Raw) -> None:
    """RayService checklist 11: replicas are not part of what makes another cluster."""
    story = ready(service_spec())
    done = len(story.done)
    story.wishes(rayClusterConfig=cluster_spec({**group("small", 1), **sizes}))
    story.goes_on()

    assert len(story.done) == done


def test_another_operator_version_stamps_and_nothing_else() -> None:
    """RayService checklist 15 and 30: annotations only; later upgrades work as ever."""
    story = ready(service_spec())
    seen = story.clusters[story.active]
    stamps = {**seen.meta.annotations, OPERATOR_VERSION: "v1.6.0", HASH: "SOMEBODY-ELSES"}
    meta = replace(seen.meta, annotations=stamps, resource_version=next(story.versions))
    story.clusters[story.active] = replace(seen, meta=meta)
    story.sees_cluster(story.active)
    story.goes_on()
    [patch] = patches(story)

    assert set(patch.patch) == {"metadata"}
    assert story.clusters[story.active].meta.annotations[OPERATOR_VERSION] == "v1.7.0"
    assert (story.pending, story.condition("Ready")[0]) == ("", "True")
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    story.serves()
    assert story.clusters[story.active].spec["rayVersion"] == "2.47.0"


def test_an_edit_made_while_nobody_looked_is_not_lost_with_the_stamp() -> None:
    """What was edited while one operator followed another is an upgrade like any other."""
    story = ready(service_spec())
    seen = story.clusters[story.active]
    stamps = {**seen.meta.annotations, OPERATOR_VERSION: "v1.6.0", HASH: "SOMEBODY-ELSES"}
    meta = replace(seen.meta, annotations=stamps, resource_version=next(story.versions))
    story.clusters[story.active] = replace(seen, meta=meta)
    story.sees_cluster(story.active)
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()

    assert story.pending
    story.serves()
    assert story.clusters[story.active].spec["rayVersion"] == "2.47.0"


def test_zero_downtime_is_the_default_and_can_be_switched_off() -> None:
    """RayService checklist 24: unset means another cluster, unless the operator says otherwise."""
    assert upgrading().pending
    story = without_zero_downtime()
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()

    assert (story.pending, patches(story)) == ("", [])


def test_the_strategy_beats_the_operators_default() -> None:
    """RayService checklist 25: NewCluster and None each win."""
    story = without_zero_downtime()
    story.wishes(rayClusterConfig=other_version(), upgradeStrategy={"type": "NewCluster"})
    story.goes_on()
    assert story.pending
    other = ready(service_spec(upgradeStrategy={"type": "None"}))
    other.wishes(rayClusterConfig=other_version())
    other.goes_on()
    assert other.pending == ""


def test_strategy_none_serves_the_new_configuration_on_the_old_cluster() -> None:
    """RayService checklist 28: the RayCluster is not touched."""
    story = ready(service_spec(upgradeStrategy={"type": "None"}))
    before = story.clusters[story.active]
    story.wishes(serveConfigV2=MARKET, rayClusterConfig=other_version())
    story.goes_on()
    story.apps_are("RUNNING")
    story.goes_on()

    assert story.clusters == {story.active: before}
    assert story.apps() == {"market": "RUNNING"}


def test_both_changes_at_once_leave_the_old_cluster_its_configuration() -> None:
    """RayService checklist 27: the new configuration is for the new cluster only."""
    story = ready(service_spec())
    old = story.active
    story.wishes(serveConfigV2=MARKET, rayClusterConfig=other_version())
    story.goes_on()
    story.serves()
    told = [(action.cluster, action.config) for action in story.did(ConfigureServe)]  # type: ignore[union-attr]

    assert [name for name, _ in told] == [old, story.active]
    assert story.heads[old].apps == {"stand": "RUNNING"}
    assert story.apps() == {"market": "RUNNING"}
    assert STAND not in str(told[1])


def test_an_active_cluster_that_is_deleted_by_hand_comes_again() -> None:
    story = ready(service_spec())
    name = story.active
    story.remove_cluster(name)
    story.goes_on()
    assert story.condition("Ready") == ("False", "ZeroServeEndpoints")
    assert (story.active, story.pending, list(story.clusters)) == (name, "", [name])
    story.serves()

    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")


def test_the_pending_cluster_takes_over_when_the_active_one_is_deleted_by_hand() -> None:
    story = upgrading()
    new = story.pending
    story.remove_cluster(story.active)
    story.goes_on()
    assert list(story.clusters) == [new]
    story.serves()

    assert (story.active, story.leads_to, list(story.clusters)) == (new, new, [new])


def test_services_are_not_led_to_a_cluster_that_is_going() -> None:
    story = upgrading()
    name = story.pending
    story.head_comes_up(name)
    story.goes_on()
    story.held.add(name)
    head = story.heads[name]
    story.remove_cluster(name)
    story.heads[name] = head
    story.apps_are("RUNNING", name)
    story.goes_on()

    assert story.leads_to == story.active != name


def test_services_are_changed_by_a_switch_and_by_nothing_else() -> None:
    """RayService checklist 42: other ports or types wait for another cluster."""
    story = ready(service_spec(upgradeStrategy={"type": "None"}))
    before = dict(story.services)
    wider: Raw = {"name": "ray", "image": "ray", "ports": [{"name": "serve", "containerPort": 99}]}
    config = cluster_spec(group("small", 1))
    head = {"rayStartParams": {}, "template": {"spec": {"containers": [wider]}}}
    story.wishes(
        rayClusterConfig={**config, "headGroupSpec": head},
        serveService={"spec": {"type": "NodePort"}},
    )
    story.goes_on()
    assert story.services == before
    story.wishes(upgradeStrategy={"type": "NewCluster"})
    story.goes_on()
    story.serves()

    assert {one.selector["ray.io/cluster"] for one in story.services.values()} == {story.active}
    patched = [action.patch["spec"] for action in story.did(PatchObject, "service")]  # type: ignore[union-attr]
    assert [spec.get("type") for spec in patched] == [None, "NodePort"]  # type: ignore[union-attr]
    assert patched[1]["ports"] == [{"name": "serve", "port": 99}]  # type: ignore[index]
