"""A RayService that is not ready in time: said once, for good, and only the first time."""

from services.status.reading import readable_service
from shared.kernel.manifests import entries_at
from shared.resources.rayservice import RayService
from shared.resources.reading import read_rayservice
from tests.support.builders import cluster_spec, group
from tests.support.rayservices import other_version, service_spec
from tests.support.servicestory import ServiceStory, begun, ready

TOO_LATE = (
    "RayService failed to become ready within the configured timeout of 30m0s. "
    "Time spent initializing: 30m0s"
)


def late(timeout: str = "30m") -> ServiceStory:
    story = begun(service_spec())
    story.is_annotated(initializing_timeout=timeout)
    story.goes_on()
    return story


def test_nothing_happens_before_the_timeout_and_one_thing_after() -> None:
    """RayService checklist 56: 10 minutes in, 35 minutes in, later."""
    story = late()
    name = story.pending
    story.time_passes(600)
    assert story.condition("Ready") == ("False", "Initializing")
    story.time_passes(1500)
    assert story.condition("Ready") == ("False", "InitializingTimeout")
    told = {one["type"]: one["message"] for one in entries_at(story.status, "conditions")}
    assert told["Ready"] == TOO_LATE
    assert (story.active, story.pending) == ("", "")
    assert story.told_people() == ["RayServiceInitializingTimeout"]
    assert story.notices[0].message == (
        "RayService initializing timeout exceeded after 30m0s (configured timeout: 30m0s)"
    )
    assert name not in story.clusters, "its delay has passed"
    story.time_passes(7200)
    assert story.told_people() == ["RayServiceInitializingTimeout"]
    assert story.condition("UpgradeInProgress") == ("False", "Initializing")


def test_no_head_at_all_does_not_keep_the_timeout_from_firing() -> None:
    story = late("10s")
    assert story.heads == {}
    story.time_passes(11)

    assert story.condition("Ready") == ("False", "InitializingTimeout")


def test_without_the_annotation_nothing_times_out() -> None:
    """RayService checklist 56: no annotation, no end."""
    story = begun(service_spec())
    story.time_passes(86_400)

    assert story.condition("Ready") == ("False", "Initializing")
    assert "initializing-timeout" not in story.timers()


def test_a_service_that_was_not_ready_in_time_stays_so() -> None:
    """RayService checklist 57 and 58: whatever is applied, no cluster is made."""
    story = late("10s")
    story.time_passes(120)
    assert story.clusters == {}
    made = len(story.done)
    story.wishes(rayClusterConfig=other_version())
    story.is_annotated(initializing_timeout="1h")
    story.goes_on()
    story.time_passes(60)

    assert story.condition("Ready") == ("False", "InitializingTimeout")
    assert (len(story.done), story.clusters) == (made, {})


def test_the_way_out_is_to_suspend_and_resume() -> None:
    story = late("10s")
    story.time_passes(120)
    story.wishes(suspend=True)
    story.goes_on()
    assert story.condition("Suspended") == ("True", "SuspendComplete")
    story.wishes(suspend=False)
    story.goes_on()
    story.serves()

    story.time_passes(60)
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")


def test_resuming_gives_all_the_time_again() -> None:
    story = begun(service_spec(suspend=True))
    story.is_annotated(initializing_timeout="10s")
    story.passes(3600)
    story.wishes(suspend=False)
    story.goes_on()
    story.time_passes(9)
    assert story.condition("Ready") == ("False", "Initializing")
    story.time_passes(2)

    assert story.condition("Ready") == ("False", "InitializingTimeout")


def test_a_service_that_was_ready_once_never_times_out() -> None:
    """RayService checklist 59: the timeout is for the first time only."""
    story = late("30s")
    story.serves()
    story.head_is_lost(story.active)
    story.goes_on()
    story.time_passes(3600)

    assert story.condition("Ready") == ("False", "ZeroServeEndpoints")
    assert story.active in story.clusters


def test_a_spec_that_was_invalid_at_first_begins_anew_when_repaired() -> None:
    """The time that its user took to repair it does not count."""
    story = ServiceStory(service_spec(upgradeStrategy={"type": "Sideways"}))
    story.is_annotated(initializing_timeout="60s")
    story.goes_on()
    assert story.condition("Ready") == ("False", "ValidationFailed")
    story.time_passes(3600)
    story.wishes(upgradeStrategy=None)
    story.goes_on()
    assert story.condition("Ready") == ("False", "Initializing")
    assert story.condition("UpgradeInProgress") == ("False", "Initializing")
    story.time_passes(59)
    assert story.condition("Ready") == ("False", "Initializing")
    story.time_passes(2)

    assert story.condition("Ready") == ("False", "InitializingTimeout")


def test_a_spec_that_became_invalid_and_lost_its_endpoints_does_not_begin_anew() -> None:
    """It served before: its clusters are not given up because it was late to be repaired."""
    story = ready(service_spec())
    story.is_annotated(initializing_timeout="60s")
    story.wishes(upgradeStrategy={"type": "Sideways"})
    story.goes_on()
    story.head_is_lost(story.active)
    story.wishes(upgradeStrategy=None)
    story.goes_on()
    assert story.condition("Ready") == ("False", "ZeroServeEndpoints")
    story.time_passes(3600)

    assert story.active in story.clusters


def test_the_spec_is_read_with_its_annotations() -> None:
    story = late()
    service = readable_service(story.view())

    assert isinstance(service, RayService)
    assert service.annotations == {"ray.io/initializing-timeout": "30m"}
    raw = {"metadata": {"name": "fruit"}, "spec": {"rayClusterConfig": cluster_spec(group())}}
    assert isinstance(read_rayservice(raw), RayService)
