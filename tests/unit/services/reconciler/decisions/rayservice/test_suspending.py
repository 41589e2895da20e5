"""Suspending a RayService and resuming it, and changes of mind on the way."""

from shared.actions.objects import CreateObject, DeleteObject
from shared.kernel.manifests import entries_at, integer_at
from tests.support.rayservices import MARKET, other_version, service_spec
from tests.support.servicestory import ServiceStory, begun, ready


def suspended() -> ServiceStory:
    """A RayService that served and is at rest."""
    story = ready(service_spec())
    story.passes(10)
    story.wishes(suspend=True)
    story.goes_on()
    return story


def test_a_suspended_service_has_nothing_and_serves_again() -> None:
    """RayService checklist 60: conditions, names, endpoints; then all of it comes back."""
    story = suspended()

    assert (story.clusters, story.services) == ({}, {})
    assert story.condition("Suspended") == ("True", "SuspendComplete")
    for type_ in ("Suspending", "Ready", "UpgradeInProgress", "RollbackInProgress"):
        assert story.condition(type_) == ("False", "SuspendComplete")
    assert story.message("Suspended") == "All owned resources have been deleted."
    assert story.message("Ready") == "RayService is suspended."
    assert (story.active, story.pending) == ("", "")
    assert story.status["numServeEndpoints"] == 0
    assert story.status["serviceStatus"] == ""
    story.wishes(suspend=False)
    story.goes_on()
    story.serves()
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")
    assert story.condition("Suspended") == ("False", "RayServiceResumed")


def test_what_is_removed_is_told_as_suspension() -> None:
    story = suspended()
    notes = {action.notice.done.message for action in story.did(DeleteObject)}  # type: ignore[union-attr]

    assert {note.rpartition("/")[2] for note in notes} >= {
        "fruit-head-svc during suspend",
        "fruit-serve-svc during suspend",
    }
    assert all(note.endswith(" during suspend") for note in notes)


def test_suspending_goes_through_whatever_the_user_wishes_meanwhile() -> None:
    """RayService checklist 61: a cluster that is held holds it up; then another one serves."""
    story = ready(service_spec())
    old = story.active
    story.held.add(old)
    for wish in (True, False, True, False):
        story.wishes(suspend=wish)
        story.goes_on()
        assert story.condition("Suspending") == ("True", "SuspendRequested")
        assert story.condition("Ready") == ("False", "SuspendInProgress")
    assert len(story.did(DeleteObject, "raycluster")) == 1
    story.held.clear()
    story.remove_cluster(old)
    story.goes_on()

    assert story.condition("Suspended") == ("False", "RayServiceResumed")
    assert story.pending not in ("", old)
    story.serves()
    assert story.condition("Ready")[0] == "True"


def test_a_service_that_is_made_suspended_makes_nothing() -> None:
    """RayService checklist 62: no cluster and no service; resuming works."""
    story = begun(service_spec(suspend=True))

    assert story.condition("Suspended") == ("True", "SuspendComplete")
    assert story.did(CreateObject) == []
    story.wishes(suspend=None)
    story.goes_on()
    story.serves()
    assert story.condition("Ready")[0] == "True"


def test_suspending_an_upgrade_removes_both_clusters() -> None:
    """RayService checklist 63: resumed, it runs the new spec."""
    story = ready(service_spec())
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    assert len(story.clusters) == 2
    story.wishes(suspend=True)
    story.goes_on()
    assert story.clusters == {}
    story.wishes(suspend=False)
    story.goes_on()
    story.serves()

    assert story.clusters[story.active].spec["rayVersion"] == "2.47.0"
    assert len(story.clusters) == 1


def test_resuming_begins_anew() -> None:
    """RayService checklist 65: Initializing with a new time, and a fresh generation."""
    story = suspended()
    assert integer_at(story.status, "observedGeneration") == 2
    before = story.since("Ready")
    story.passes(100)
    story.wishes(suspend=False)
    story.goes_on()

    assert story.condition("Ready") == ("False", "Initializing")
    assert story.condition("UpgradeInProgress") == ("False", "Initializing")
    assert story.message("Ready") == "RayService is initializing after resuming from suspend."
    assert story.since("Ready") > before
    assert story.condition("RollbackInProgress") == ("", "")
    assert integer_at(story.status, "observedGeneration") == 3


def test_the_first_step_tells_and_deletes_nothing() -> None:
    story = ready(service_spec())
    before, done = len(story.written()), len(story.done)
    story.wishes(suspend=True)
    story.reconciler_decides()
    story.status_tells()
    first = story.written()[before]

    assert len(story.done) == done
    told = {one["type"]: one["reason"] for one in entries_at(first, "conditions")}
    assert told["Suspending"] == "SuspendRequested"
    assert told["Ready"] == told["UpgradeInProgress"] == "SuspendInProgress"
    assert "activeServiceStatus" not in first


def test_a_suspended_service_that_is_changed_stays_as_it_is() -> None:
    story = suspended()
    done = len(story.done)
    story.wishes(serveConfigV2=MARKET)
    story.goes_on()
    story.time_passes(3600)

    assert len(story.done) == done
    assert story.condition("Suspended") == ("True", "SuspendComplete")


def test_an_invalid_service_is_not_suspended() -> None:
    story = ready(service_spec())
    story.wishes(suspend=True, upgradeStrategy={"type": "Sideways"})
    story.goes_on()

    assert story.condition("Ready") == ("False", "ValidationFailed")
    assert len(story.clusters) == 1


def test_changing_ones_mind_at_once_leaves_all_as_it_was() -> None:
    """What clusters and heads were told is not forgotten for a wish that was taken back."""
    story = ready(service_spec())
    done = len(story.done)
    story.wishes(suspend=True)
    story.reconciler_decides()
    story.wishes(suspend=False)
    story.goes_on()

    assert len(story.done) == done
    assert story.condition("Suspending") == ("", "")
