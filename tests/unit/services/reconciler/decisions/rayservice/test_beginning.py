"""A RayService from its first breath until it serves, and whose it is."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from shared.actions.objects import ConfigureServe, CreateObject, PatchObject
from shared.aggregates.rayservice import FINALIZER
from shared.events.records import StatusWritten
from shared.kernel.manifests import mapping_at, texts_at
from tests.support.builders import QUOTA, Raw, cluster_spec
from tests.support.rayservices import HEAD_SVC, OWNER, SERVE_SVC, service_spec
from tests.support.servicestory import ServiceStory, begun, ready


def named(name: str) -> ServiceStory:
    """A RayService under another name, as far as it comes by itself."""
    story = ServiceStory(service_spec())
    assert story.own is not None
    story.own = replace(story.own, meta=replace(story.own.meta, name=name))
    story.sees(story.own)
    story.goes_on()
    return story


def made(story: ServiceStory, name: str) -> Mapping[str, object]:
    """The manifest that an object was last asked for with."""
    for act in reversed(story.acts_written()):
        for action in act.actions:
            if isinstance(action, CreateObject) and action.name == name:
                return act.manifests[action.manifest]
    raise AssertionError(f"{name} was never asked for")


def test_the_first_act_sets_the_finalizer_and_nothing_else() -> None:
    """RayService checklist 4: the first pass only protects."""
    first = begun(service_spec()).acts_written()[0]

    assert [type(action) for action in first.actions] == [PatchObject]
    assert first.actions[0].because == "its clusters are to go before it"
    assert (first.noted, first.wants) == ((), ())


def test_a_name_of_47_letters_serves_and_one_of_48_does_not() -> None:
    """RayService checklist 1 and 2: the longest name works, one letter more is refused."""
    story = named("a" * 47)
    story.serves()

    assert set(story.services) == {"a" * 47 + "-head-svc", "a" * 47 + "-serve-svc"}
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")
    longer = named("a" * 48)
    assert longer.condition("Ready") == ("False", "ValidationFailed")
    assert "no more than 47 characters" in longer.message("Ready")
    assert longer.told_people() == ["InvalidRayServiceMetadata"]
    assert longer.clusters == {}


@pytest.mark.parametrize("name", ["1fruit", "fruit.stand"])
def test_a_name_that_is_no_label_is_refused(name: str) -> None:
    """RayService checklist 3: a leading digit or a dot."""
    story = named(name)

    assert story.condition("Ready") == ("False", "ValidationFailed")
    assert "DNS1035" in story.message("Ready")
    assert (story.clusters, story.services) == ({}, {})


@pytest.mark.parametrize("operator", ["kueue.x-k8s.io/multikueue", "", "somebody"])
def test_a_service_of_another_operator_is_left_alone(operator: str) -> None:
    """RayService checklist 5 and 6: no finalizer, no condition, no cluster."""
    story = begun(service_spec(managedBy=operator))

    assert story.own is not None
    assert story.own.meta.finalizers == ()
    assert (story.done, story.written(), story.clusters) == ([], [], {})


@pytest.mark.parametrize("operator", [None, "ray.io/kuberay-operator"])
def test_a_service_of_ours_is_looked_after(operator: str | None) -> None:
    """RayService checklist 6: unset, or our name."""
    story = begun(service_spec(managedBy=operator))

    assert story.own is not None
    assert story.own.meta.finalizers == (FINALIZER,)
    assert len(story.clusters) == 1


def test_a_cluster_is_made_only_under_the_name_that_the_status_told() -> None:
    """RayService checklist 8 and 19: the name first, then the object of exactly that name."""
    story = begun(service_spec())
    told = [record.envelope.body for record in story.records]
    first = next(index for index, body in enumerate(told) if isinstance(body, StatusWritten))

    assert list(story.clusters) == [story.pending]
    assert all(not getattr(body, "manifests", {}) for body in told[:first])
    assert story.pending.startswith("fruit-")
    assert set(story.pending.removeprefix("fruit-")) <= set("bcdfghjklmnpqrstvwxz2456789")


def test_a_pending_cluster_that_is_deleted_comes_again_under_its_name() -> None:
    """RayService checklist 8: a name in the status without an object."""
    story = begun(service_spec())
    name = story.pending
    story.remove_cluster(name)
    story.goes_on()

    assert (story.pending, list(story.clusters)) == (name, [name])


def test_a_service_begins_serves_and_settles() -> None:
    story = ready(service_spec(), workers=1)

    assert (story.active, story.pending) == (next(iter(story.clusters)), "")
    assert set(story.services) == {HEAD_SVC, SERVE_SVC}
    assert story.status["numServeEndpoints"] == 2
    assert story.status["serviceStatus"] == "Running"
    assert story.apps() == {"stand": "RUNNING"}
    assert texts_at(made(story, SERVE_SVC), "spec", "selector") == {
        "ray.io/cluster": story.active,
        "ray.io/serve": "true",
    }


def test_a_ready_service_costs_nothing() -> None:
    """A service that serves asks and decides nothing for an hour: its dashboard says the same."""
    story = ready(service_spec(), workers=1)
    story.time_passes(60)
    records = len(story.records)
    story.time_passes(3600)

    assert len(story.records) == records


def test_no_service_exists_before_something_serves() -> None:
    story = begun(service_spec())
    story.head_comes_up(story.pending)
    story.goes_on()

    assert len(story.did(ConfigureServe)) == 1
    assert story.services == {}
    assert story.apps("pending") == {"stand": "DEPLOYING"}


def test_a_cluster_that_is_refused_is_tried_again_later_and_later() -> None:
    story = ServiceStory(service_spec())
    story.refuses["raycluster"] = QUOTA.message
    story.goes_on()
    story.time_passes(60)

    tries = len(story.did(CreateObject, "raycluster"))
    assert 3 <= tries <= 6
    assert story.act.troubles[0].message == QUOTA.message
    del story.refuses["raycluster"]
    story.time_passes(300)
    assert len(story.clusters) == 1


def test_the_clusters_owner_is_the_service() -> None:
    story = begun(service_spec())
    metadata = mapping_at(made(story, story.pending), "metadata")

    assert metadata["ownerReferences"] == [
        {
            "apiVersion": "ray.io/v1",
            "kind": "RayService",
            "name": OWNER.name,
            "uid": OWNER.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]


def without_port() -> Raw:
    spec = cluster_spec()
    container: Raw = {"name": "ray", "image": "ray", "ports": [{"name": "x", "containerPort": 1}]}
    spec["headGroupSpec"] = {
        "rayStartParams": {},
        "template": {"spec": {"containers": [container]}},
    }
    return spec


def test_without_a_serve_port_people_are_told_once() -> None:
    """RayService checklist 47: no serve port, no service, and a word about it."""
    story = ready(service_spec(rayClusterConfig=without_port()))
    story.time_passes(600)

    assert SERVE_SVC not in story.services
    assert story.told_people() == ["FailedToCreateService"]
    assert story.notices[0].message.startswith("Please specify a port named 'serve'")


def test_a_cluster_with_a_strategy_of_its_own_is_refused() -> None:
    """RayService checklist 31: upgrades are the service's business."""
    config = cluster_spec(upgradeStrategy={"type": "Recreate"})
    story = begun(service_spec(rayClusterConfig=config))

    assert story.condition("Ready") == ("False", "ValidationFailed")
    assert "cannot be set when RayCluster is created by RayService" in story.message("Ready")
    assert story.clusters == {}
