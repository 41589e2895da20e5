"""What a RayService's status tells: the exact conditions, their times, and what stays."""

import pytest
from msgspec.structs import replace

from services.status.assessing import must_not_wait
from services.status.conditions.rayservice.assess import assess_rayservice
from services.status.patch import difference
from services.status.reading import readable_service
from shared.actions.objects import PatchObject
from shared.events.decisions import Expectation
from tests.support.builders import NOON, Raw
from tests.support.rayservices import SERVE_SVC, endpoints, other_version, service_spec
from tests.support.servicestory import ServiceStory, begun, ready


def conditions(status: Raw) -> dict[str, tuple[str, str, str]]:
    found = status.get("conditions")
    assert isinstance(found, list)
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in found}


def test_a_new_service_is_initializing() -> None:
    """RayService checklist 52: both conditions, and the name in the same write."""
    story = begun(service_spec())
    first = next(status for status in story.written() if status.get("conditions"))

    assert conditions(first) == {
        "Ready": ("False", "Initializing", "RayService is initializing"),
        "UpgradeInProgress": ("False", "Initializing", "RayService is initializing"),
    }
    assert story.status["serviceStatus"] == ""
    assert story.status["observedGeneration"] == 1


def test_ready_follows_the_endpoints() -> None:
    """RayService checklist 53: more than none, none any more, none yet."""
    story = begun(service_spec())
    assert story.condition("Ready") == ("False", "Initializing")
    story.serves()
    assert conditions(story.status)["Ready"] == (
        "True",
        "NonZeroServeEndpoints",
        "Number of serve endpoints is greater than 0",
    )
    story.head_is_lost(story.active)
    story.goes_on()
    assert conditions(story.status)["Ready"] == (
        "False",
        "ZeroServeEndpoints",
        "Number of serve endpoints dropped to 0",
    )
    assert story.status["serviceStatus"] == ""
    story.passes(5)
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    assert story.condition("Ready") == ("False", "ZeroServeEndpoints"), "unchanged while none"


def test_conditions_name_the_generation_that_was_judged() -> None:
    """As KubeRay's do; whoever waits for a condition can tell which wish it speaks of."""
    story = ready(service_spec())

    def named() -> set[object]:
        found = story.status["conditions"]
        assert isinstance(found, list)
        return {one.get("observedGeneration") for one in found}

    assert named() == {1}
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    assert named() == {2} == {story.status["observedGeneration"]}
    story.wishes(suspend=True)
    story.goes_on()
    assert story.condition("Suspended")[0] == "True"
    assert named() == {3} == {story.status["observedGeneration"]}


def test_a_pod_of_two_families_counts_once() -> None:
    story = ready(service_spec())
    extra = endpoints(SERVE_SVC, ("one", "two"), next(story.versions))
    slice_of = replace(extra, meta=replace(extra.meta, name="second"))
    story.sees(slice_of, replace(slice_of, meta=replace(slice_of.meta, name="third")))
    story.goes_on()

    assert story.status["numServeEndpoints"] == 3


def test_an_upgrade_is_told_with_the_name_and_ends_with_the_promotion() -> None:
    """RayService checklist 54: two names, one name."""
    story = ready(service_spec())
    assert conditions(story.status)["UpgradeInProgress"] == (
        "False",
        "NoPendingCluster",
        "Active Ray cluster exists and no pending Ray cluster",
    )
    before = len(story.written())
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    named = [status for status in story.written()[before:] if "pendingServiceStatus" in status]
    assert conditions(named[0])["UpgradeInProgress"] == (
        "True",
        "BothActivePendingClustersExist",
        "Both active and pending Ray clusters exist",
    )
    story.serves()
    assert story.condition("UpgradeInProgress") == ("False", "NoPendingCluster")


def test_a_lost_active_name_is_unknown() -> None:
    """RayService checklist 54: no active name and not initializing."""
    story = ready(service_spec())
    status = {key: value for key, value in story.status.items() if key != "activeServiceStatus"}
    assert story.own is not None
    story.own = replace(story.own, status=status)
    story.writes_status(status, next(story.versions))
    told = assess_rayservice(story.view(), readable_service(story.view()))

    assert conditions(told)["UpgradeInProgress"][:2] == ("Unknown", "NoActiveCluster")
    story.goes_on()
    assert story.pending, "another one is made"


def test_times_move_with_the_status_only() -> None:
    story = ready(service_spec())
    since = story.since("UpgradeInProgress")
    story.passes(30)
    story.head_is_lost(story.active)
    story.goes_on()

    assert story.since("UpgradeInProgress") == since
    assert story.since("Ready") == "2030-01-01T12:00:30Z"


def test_what_a_cluster_tells_of_itself_may_wait_and_the_rest_may_not() -> None:
    """RayService checklist 82: applications and states matter, a copied status does not."""
    story = ready(service_spec())
    before = dict(story.view().status)
    active = before["activeServiceStatus"]
    assert isinstance(active, dict)

    def urgent(**changes: object) -> bool:
        patch = difference(before, {**before, "activeServiceStatus": {**active, **changes}})
        assert patch
        return must_not_wait(story.view(), patch)

    assert not urgent(rayClusterStatus={"state": "ready", "maxWorkerReplicas": 4})
    assert urgent(applicationStatuses={"stand": {"status": "UNHEALTHY"}})
    assert urgent(rayClusterName="other")
    assert must_not_wait(story.view(), {"serviceStatus": ""})
    assert difference(before, {**before, "lastUpdateTime": "2031-01-01T00:00:00Z"}) == {}


def test_no_name_is_given_while_a_service_may_be_about_to_promote() -> None:
    """The services were led to the pending cluster, and nobody has seen it yet."""
    story = ready(service_spec())
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    name = story.pending
    story.wishes(rayClusterConfig=other_version("2.48.0"))
    story.reconciler_decides()
    led = Expectation(kind="service", name=SERVE_SVC, what="change", since=NOON, uid="any")
    view = replace(story.view(), expectations=(led,))
    told = assess_rayservice(view, readable_service(view))

    assert told["pendingServiceStatus"]["rayClusterName"] == name  # type: ignore[index]
    settled = assess_rayservice(story.view(), readable_service(story.view()))
    assert settled["pendingServiceStatus"]["rayClusterName"] != name  # type: ignore[index]


@pytest.mark.parametrize("finalized", [False, True])
def test_nothing_is_told_before_our_finalizer_holds(*, finalized: bool) -> None:
    story = ServiceStory(service_spec())
    story.reconciler_decides()
    if not finalized:
        assert isinstance(story.done[0], PatchObject)
        assert story.own is not None
        story.own = replace(story.own, meta=replace(story.own.meta, finalizers=()))
        meta = replace(story.own.meta, resource_version=next(story.versions))
        story.sees(replace(story.own, meta=meta))
    story.status_tells()

    assert ("conditions" in story.status) is finalized
