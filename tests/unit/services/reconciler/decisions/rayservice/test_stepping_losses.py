"""Upgrades in steps of which one cluster is lost while the user changes their mind.

Stories by chance found them: seeds 105, 145, 173 and 627 of `tests.support.serviceseeds`.
"""

from tests.support.rayservices import MARKET
from tests.support.steppingstory import (
    SteppingStory,
    cluster_of,
    stepped_spec,
    stepping,
    upgrading,
)

A, B, C = cluster_of("2.46.0"), cluster_of("2.47.0"), cluster_of("2.48.0")


def ends(story: SteppingStory) -> None:
    for _ in range(14):
        story.time_passes(10)
    story.time_passes(70)


def deserted() -> tuple[SteppingStory, str]:
    """Return an upgrade to B that lost A and is wished back to A, and the cluster of B."""
    story = upgrading(stepped_spec(), B)
    original, other = story.active, story.pending
    story.apps_are("DEPLOYING", other)
    story.goes_on()
    story.remove_cluster(original)
    story.wishes(rayClusterConfig=A)
    story.goes_on()
    return story, other


def test_the_last_cluster_that_requests_reach_stays_until_another_takes_them() -> None:
    story, other = deserted()
    third = story.pending

    assert third != other
    story.time_passes(300)
    assert set(story.clusters) == {other, third}
    assert story.weights[other] > 0
    assert story.pods_behind(other)


def test_it_stays_while_the_spec_makes_no_sense() -> None:
    story, other = deserted()
    story.wishes(upgradeStrategy={"type": "Sideways"})
    story.time_passes(300)

    assert story.condition("Ready") == ("False", "ValidationFailed")
    assert other in story.clusters


def test_it_goes_after_its_delay_once_another_takes_them() -> None:
    story, other = deserted()
    third = story.pending
    story.time_passes(300)
    story.head_comes_up(third)
    story.goes_on()

    assert story.active == third
    assert story.weights == {third: 100}
    story.time_passes(59)
    assert other in story.clusters
    story.time_passes(1)
    assert list(story.clusters) == [third]


def test_a_share_that_was_just_wished_keeps_its_cluster() -> None:
    story = stepping(stepped_spec())
    original = story.active
    story.wishes(rayClusterConfig=B)
    story.goes_on()
    other = story.pending
    story.starts = "DEPLOYING"
    story.head_comes_up(other)
    story.head_is_lost(original)
    story.goes_on()
    story.apps_are("RUNNING", other)
    story.asker_asks()
    story.reconciler_decides()
    assert story.weights == {original: 75, other: 25}
    assert story.percents[3] == 0, "the status has not told of it yet"

    story.wishes(rayClusterConfig=C)
    story.goes_on()
    assert story.pending == other
    assert story.weights == {original: 75, other: 25}
    story.starts = "RUNNING"
    for name in (original, ""):
        story.head_comes_up(name or story.pending)
        ends(story)
    assert list(story.clusters) == [story.active]
    assert story.weights == {story.active: 100}


def test_a_cluster_that_was_just_told_its_capacity_still_counts_as_serving() -> None:
    """Both were told something in one act, and only one of them has answered since."""
    story = upgrading(stepped_spec(), B)
    story.time_passes(10)
    original, other = story.active, story.pending
    story.starts = "DEPLOYING"
    story.wishes(rayClusterConfig=C, serveConfigV2=MARKET)
    for part in (story.reconciler_decides, story.asker_asks, story.reconciler_decides):
        part()
    assert story.configured[-1][0] == other
    story.goes_on()

    assert (story.active, story.pending) == (original, other)
    assert story.weights == {original: 50, other: 50}
    assert story.condition("RollbackInProgress") == ("True", "OriginalClusterNotReady")
    story.starts = "RUNNING"
    story.apps_are("RUNNING", original)
    ends(story)
    story.head_comes_up(story.pending)
    ends(story)
    assert list(story.clusters) == [story.active]


def test_whoever_takes_over_from_a_vanished_cluster_gets_all_of_its_capacity() -> None:
    """It began with none beside one that served, and kept that for good."""
    story = stepping(stepped_spec())
    story.wishes(rayClusterConfig=B)
    story.goes_on()
    other = story.pending
    story.remove_cluster(story.active)
    story.head_comes_up(other)
    story.goes_on()

    assert story.active == other
    assert story.percents == (100, -1, 100, -1)
    assert story.configured[-1][0] == other
    assert story.configured[-1][1]["target_capacity"] == 100


def test_an_active_cluster_gets_its_capacity_back_when_the_new_one_vanishes() -> None:
    story = upgrading(stepped_spec(), B)
    story.time_passes(10)
    assert story.percents[0] == 50
    story.remove_cluster(story.pending)
    story.goes_on()

    assert story.percents[0] == 100
    assert story.configured[-1][0] == story.active


def test_a_lone_cluster_that_cannot_be_told_does_not_count_as_told() -> None:
    story = upgrading(stepped_spec(), B)
    other = story.pending
    story.head_is_lost(other)
    story.goes_on()
    told = story.percents[1]
    story.remove_cluster(story.active)
    story.goes_on()
    assert story.percents[1] == told < 100

    story.head_comes_up(other)
    ends(story)
    assert story.percents == (100, -1, 100, -1)


def test_a_step_that_was_refused_is_not_made_up_for_once_who_would_gain_serves_nobody() -> None:
    """Found by the simulation: the wish was kept, and carried out long after the look."""
    story = upgrading(stepped_spec(), B)
    original, other = story.active, story.pending
    before = story.weights
    story.refuses["httproute"] = "not today"
    story.time_passes(10)
    assert story.act.troubles, "a step was asked for"
    story.starts = "DEPLOYING"
    story.apps_are("DEPLOYING", other)
    story.asker_asks()

    story.refuses.clear()
    story.time_passes(300)
    assert story.weights == before

    story.apps_are("RUNNING", other)
    ends(story)
    assert story.weights == {other: 100}
    assert list(story.clusters) == [other] != [original]


def test_the_way_back_ends_though_a_step_forth_was_refused() -> None:
    story = upgrading(stepped_spec(), B)
    original, other = story.active, story.pending
    story.refuses["httproute"] = "not today"
    story.time_passes(10)
    story.apps_are("DEPLOYING", other)
    story.asker_asks()
    story.refuses.clear()
    story.wishes(rayClusterConfig=A)
    ends(story)

    assert story.weights == {original: 100}
    assert list(story.clusters) == [original]
