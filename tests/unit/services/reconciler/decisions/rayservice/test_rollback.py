"""An upgrade in steps that goes back: when, how far, and what it does not do."""

import pytest

from shared.actions.objects import DeleteObject
from shared.kernel.manifests import entries_at
from tests.support.rayservices import MARKET
from tests.support.steppingstory import (
    SteppingStory,
    cluster_of,
    stepped_spec,
    stepping,
    upgrading,
)

A, B, C = cluster_of("2.46.0"), cluster_of("2.47.0"), cluster_of("2.48.0")
ROLLBACK = "RollbackInProgress"
STEPS = 4
"""Steps of traffic that an upgrade by 25 percent takes."""


def stepped(steps: int) -> SteppingStory:
    """Return an upgrade from A to B after so many steps of time; the first is taken at once."""
    story = upgrading(stepped_spec(), B)
    for _ in range(steps):
        story.time_passes(10)
    return story


def ends(story: SteppingStory, rounds: int = 14) -> None:
    for _ in range(rounds):
        story.time_passes(10)
    story.time_passes(70)


@pytest.mark.parametrize("steps", range(STEPS - 1))
def test_there_and_back_ends_as_it_began(steps: int) -> None:
    """RayService checklist 77: at every step; the pending cluster goes, one backend with 100."""
    story = stepped(steps)
    original, other = story.active, story.pending
    story.wishes(rayClusterConfig=A)
    story.goes_on()

    assert story.condition(ROLLBACK) == ("True", "DesiredClusterSpecChanged")
    assert "reverted to original" in story.message(ROLLBACK)
    ends(story)
    assert (story.active, story.pending) == (original, "")
    assert story.percents == (100, -1, 100, -1)
    assert story.weights == {original: 100}
    assert story.condition(ROLLBACK) == ("", "")
    assert story.condition("UpgradeInProgress") == ("False", "NoPendingCluster")
    assert list(story.clusters) == [original]
    assert [one.name for one in story.done if isinstance(one, DeleteObject)] == [other]
    assert made(story) == [original, other]


@pytest.mark.parametrize("steps", range(STEPS - 1))
def test_going_back_keeps_the_pace(steps: int) -> None:
    story = stepped(steps)
    before = story.percents
    story.wishes(rayClusterConfig=A)
    story.goes_on()

    assert story.percents[2] <= before[2]
    story.time_passes(10)
    assert before[2] < story.percents[2] <= before[2] + 25


@pytest.mark.parametrize("steps", range(STEPS - 1))
def test_there_and_back_and_there_again_goes_on(steps: int) -> None:
    """RayService checklist 78: the upgrade goes on from where it is, with the same cluster."""
    story = stepped(steps)
    other = story.pending
    story.wishes(rayClusterConfig=A)
    story.time_passes(10)
    story.wishes(rayClusterConfig=B)
    story.goes_on()

    assert story.condition(ROLLBACK) == ("", "")
    if story.pending != other:
        assert steps == 0
        story.head_comes_up(story.pending)
        other = story.pending
    ends(story)
    assert (story.active, story.pending, story.weights) == (other, "", {other: 100})


@pytest.mark.parametrize("steps", range(STEPS - 1))
@pytest.mark.parametrize("by", [A, None])
def test_a_third_spec_goes_back_first_and_then_there(steps: int, by: dict[str, object]) -> None:
    """RayService checklist 78: A, B, A, C and A, B, C both end on C."""
    story = stepped(steps)
    original, other = story.active, story.pending
    if by:
        story.wishes(rayClusterConfig=by)
        story.goes_on()
    story.wishes(rayClusterConfig=C)
    story.goes_on()

    assert "changed mid-upgrade" in story.message(ROLLBACK)
    for _ in range(14):
        story.time_passes(10)
    assert story.active == original
    third = story.pending
    assert third not in ("", other)
    story.head_comes_up(third)
    ends(story)
    assert (story.active, story.pending, story.weights) == (third, "", {third: 100})
    assert list(story.clusters) == [third]


def test_going_back_before_anything_was_made_makes_nothing() -> None:
    """RayService checklist 79: a revert before any traffic completes, here at once."""
    story = stepping(stepped_spec())
    original = story.active
    story.wishes(rayClusterConfig=B)
    story.reconciler_decides()
    story.status_tells()
    story.wishes(rayClusterConfig=A)
    story.goes_on()

    assert (story.active, story.pending) == (original, "")
    assert made(story) == [original]


def test_going_back_before_any_traffic_completes() -> None:
    """RayService checklist 79: the pending cluster has no head yet."""
    story = stepping(stepped_spec())
    original = story.active
    story.wishes(rayClusterConfig=B)
    story.goes_on()
    assert story.pending
    story.wishes(rayClusterConfig=A)
    story.goes_on()

    assert (story.active, story.pending, story.weights) == (original, "", {original: 100})


@pytest.mark.parametrize("steps", range(STEPS - 1))
def test_going_back_from_a_crashed_cluster_completes(steps: int) -> None:
    """RayService checklist 79, 81: an unhealthy pending cluster, be there capacity left."""
    story = stepped(steps)
    original = story.active
    story.head_is_lost(story.pending)
    story.goes_on()
    story.wishes(rayClusterConfig=A)
    ends(story)

    assert (story.active, story.pending, story.weights) == (original, "", {original: 100})


def test_going_back_from_a_vanished_cluster_completes() -> None:
    """RayService checklist 81: a missing pending cluster."""
    story = stepped(1)
    original = story.active
    story.wishes(rayClusterConfig=A)
    story.goes_on()
    story.remove_cluster(story.pending)
    ends(story)

    assert (story.active, story.pending, story.weights) == (original, "", {original: 100})
    assert list(story.clusters) == [original]


def test_a_healthy_cluster_with_capacity_left_is_not_dropped() -> None:
    """RayService checklist 81: not before it is at 0 and 0."""
    story = stepped(1)
    story.wishes(rayClusterConfig=A)
    pending = story.pending
    story.goes_on()
    seen = []
    while story.pending:
        seen.append(story.percents)
        story.time_passes(10)

    assert story.condition(ROLLBACK) == ("", "")
    assert seen[-1] != (100, 0, 100, 0)
    assert all(state[1] > 0 for state in seen)
    last = [config for name, config in story.configured if name == pending][-1]
    assert last["target_capacity"] == 0


def test_going_back_freezes_the_text_of_the_pending_cluster() -> None:
    """RayService checklist 80: the active cluster gets the new text, the pending one does not."""
    story = stepped(1)
    original, other = story.active, story.pending
    story.wishes(rayClusterConfig=A, serveConfigV2=MARKET)
    story.goes_on()
    ends(story)

    assert "market" in texts(story, original)
    assert "market" not in texts(story, other)


def test_going_on_freezes_the_text_of_the_active_cluster() -> None:
    """RayService checklist 80: during an upgrade the pending cluster gets the new text."""
    story = stepped(1)
    original, other = story.active, story.pending
    story.wishes(serveConfigV2=MARKET)
    story.goes_on()
    ends(story)

    assert "market" not in texts(story, original)
    assert "market" in texts(story, other)
    assert story.active == other


def test_an_unhealthy_target_holds_the_way_back_and_the_status_says_so() -> None:
    story = stepped(1)
    original, before = story.active, story.percents
    story.apps_are("UNHEALTHY", original)
    story.goes_on()
    story.wishes(rayClusterConfig=A)
    story.time_passes(100)

    assert story.condition(ROLLBACK) == ("True", "OriginalClusterNotReady")
    assert original in story.message(ROLLBACK)
    assert story.percents == before
    story.apps_are("RUNNING", original)
    ends(story)
    assert (story.active, story.pending, story.weights) == (original, "", {original: 100})


def test_an_unhealthy_target_with_all_the_traffic_is_not_told_to_be_back() -> None:
    story = upgrading(stepped_spec(), B)
    story.wishes(rayClusterConfig=A)
    story.time_passes(5)
    story.apps_are("UNHEALTHY", story.active)
    story.time_passes(200)

    assert story.pending
    assert story.condition(ROLLBACK) == ("True", "OriginalClusterNotReady")


def test_two_dead_clusters_do_not_hold_up_a_third() -> None:
    story = stepped(1)
    original, other = story.active, story.pending
    for name in (original, other):
        story.head_is_lost(name)
    story.goes_on()
    story.wishes(rayClusterConfig=C)
    story.goes_on()
    third = story.pending

    assert third not in ("", original, other)
    story.head_comes_up(third)
    ends(story)
    assert (story.active, story.pending, story.weights) == (third, "", {third: 100})


def test_appending_a_group_to_the_cluster_on_its_way_goes_on() -> None:
    story = stepped(0)
    pending = story.pending
    [small] = entries_at(B, "workerGroupSpecs")
    groups = [small, {**small, "groupName": "more"}]
    story.wishes(rayClusterConfig={**B, "workerGroupSpecs": groups})
    story.goes_on()

    assert story.pending == pending
    assert story.condition(ROLLBACK) == ("", "")


def texts(story: SteppingStory, cluster: str) -> str:
    """Everything that Serve was told on a cluster."""
    return str([config for name, config in story.configured if name == cluster])


def made(story: SteppingStory) -> list[str]:
    """The clusters that were ever made."""
    kinds = [one for one in story.done if getattr(one, "kind", "") == "raycluster"]
    return [str(getattr(one, "name", "")) for one in kinds if hasattr(one, "manifest")]
