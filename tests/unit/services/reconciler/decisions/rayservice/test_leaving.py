"""Clusters that are no longer needed, and RayServices on their way out."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from shared.actions.objects import DeleteObject
from tests.support.builders import NOON
from tests.support.rayservices import other_version, service_spec
from tests.support.servicestory import ServiceStory, begun, ready


def replaced(delay: int | None) -> tuple[ServiceStory, str]:
    """A RayService whose cluster was just replaced, and the old one's name."""
    story = ready(service_spec(rayClusterDeletionDelaySeconds=delay))
    old = story.active
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    story.serves()
    return story, old


@pytest.mark.parametrize(("delay", "seconds"), [(None, 60), (5, 5), (10, 10)])
def test_a_replaced_cluster_stays_for_its_delay(delay: int | None, seconds: int) -> None:
    """RayService checklist 32 and 33: 60 s, or what the user says; gone shortly after."""
    story, old = replaced(delay)
    assert story.timers()[f"dangling/{old}"] == NOON + timedelta(seconds=seconds)
    story.time_passes(seconds - 1)
    assert old in story.clusters
    story.time_passes(2)

    assert list(story.clusters) == [story.active]
    [deletion] = story.did(DeleteObject)
    assert isinstance(deletion, DeleteObject)
    assert deletion.notice is not None
    assert deletion.notice.done.message == f"Deleted the RayCluster prod/{old}"


def test_a_delay_of_zero_is_none() -> None:
    """RayService checklist 32: deleted at once."""
    story, old = replaced(0)

    assert old not in story.clusters


def test_another_delay_later_does_not_move_the_end() -> None:
    story, old = replaced(10)
    story.time_passes(3)
    story.wishes(rayClusterDeletionDelaySeconds=600)
    story.goes_on()
    story.time_passes(8)

    assert old not in story.clusters


def test_a_replaced_cluster_goes_although_the_spec_became_invalid() -> None:
    story, old = replaced(10)
    due = story.timers()[f"dangling/{old}"]
    story.wishes(upgradeStrategy={"type": "Sideways"})
    story.goes_on()
    assert story.condition("Ready") == ("False", "ValidationFailed")
    assert story.timers()[f"dangling/{old}"] == due
    story.time_passes(11)

    assert list(story.clusters) == [story.active]
    story.wishes(upgradeStrategy=None)
    story.goes_on()
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")
    assert len(story.configured) == 2, "what was told is still known"


def changed(**wishes: object) -> ServiceStory:
    """A RayService that served, and of which its user wishes something else."""
    story = ready(service_spec())
    story.wishes(**wishes)
    story.goes_on()
    return story


def late() -> ServiceStory:
    """A RayService that was not ready in time."""
    story = begun(service_spec())
    story.is_annotated(initializing_timeout="10s")
    story.goes_on()
    story.time_passes(11)
    return story


STATES: dict[str, Callable[[], ServiceStory]] = {
    "begun": lambda: begun(service_spec()),
    "ready": lambda: ready(service_spec()),
    "upgrading": lambda: changed(rayClusterConfig=other_version()),
    "replaced": lambda: replaced(None)[0],
    "invalid": lambda: changed(upgradeStrategy={"type": "Sideways"}),
    "unreadable": lambda: changed(suspend="perhaps"),
    "suspended": lambda: changed(suspend=True),
    "late": late,
}


@pytest.mark.parametrize("state", list(STATES))
def test_a_deleted_service_goes_after_its_clusters(state: str) -> None:
    """RayService checklist 34: the finalizer stays while a cluster does."""
    story = STATES[state]()
    story.held.update(story.clusters)
    held = bool(story.clusters)
    story.is_deleted()
    story.goes_on()
    assert (story.own is not None) == held
    for name in tuple(story.clusters):
        assert story.clusters[name].meta.deleted_at is not None
        story.held.discard(name)
        story.remove_cluster(name)
    story.goes_on()

    assert story.own is None
    last = story.view().last_act
    assert last is not None
    assert last.closing


def test_a_service_that_was_never_protected_goes_untouched() -> None:
    story = ServiceStory(service_spec())
    story.is_deleted()
    story.goes_on()

    assert story.done == []


def test_deleting_while_suspending_removes_what_is_left() -> None:
    story = ready(service_spec())
    story.held.update(story.clusters)
    name = story.active
    story.wishes(suspend=True)
    story.goes_on()
    story.is_deleted()
    story.goes_on()
    assert story.own is not None
    story.held.clear()
    story.remove_cluster(name)
    story.goes_on()

    assert story.own is None


def test_a_cluster_of_nobodys_is_not_ours_to_delete() -> None:
    story = ready(service_spec())
    other = replace(story.clusters[story.active])
    stray = replace(other, meta=replace(other.meta, name="stray", uid="stray", owners=()))
    story.clusters["stray"] = stray
    story.sees_cluster("stray")
    story.is_deleted()
    story.goes_on()

    assert list(story.clusters) == ["stray"]
    assert story.own is None
