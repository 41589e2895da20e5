"""The states of a RayService: each has a way out, and every way of the table is taken."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from services.status.conditions.rayservice.table import (
    BEGINNING,
    GIVEN_UP,
    RETURNING,
    SERVING,
    TABLE,
    UPGRADING,
    state_of,
)
from shared.aggregates.phases import SERVICE_SUSPENDED as SUSPENDED
from shared.aggregates.phases import SERVICE_SUSPENDING as SUSPENDING
from tests.support.rayservices import other_version, service_spec
from tests.support.servicemoves import FIRST
from tests.support.servicestory import ServiceStory, begun, ready
from tests.support.steppingstory import cluster_of, stepped_spec, upgrading

A, B = cluster_of("2.46.0"), cluster_of("2.47.0")


def suspended(story: ServiceStory) -> ServiceStory:
    story.wishes(suspend=True)
    story.goes_on()
    return story


def resumed() -> ServiceStory:
    story = suspended(ready(service_spec()))
    story.wishes(suspend=None)
    story.goes_on()
    return story


def given_up() -> ServiceStory:
    story = begun(service_spec())
    story.is_annotated(initializing_timeout="10s")
    story.goes_on()
    story.time_passes(11)
    return story


def repaired() -> ServiceStory:
    story = given_up()
    strategy = service_spec().get("upgradeStrategy")
    for wished in ({"type": "Sideways"}, strategy):
        story.wishes(upgradeStrategy=wished)
        story.goes_on()
    return story


def upgraded() -> ServiceStory:
    story = ready(service_spec())
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    story.serves()
    return story


def reverted() -> ServiceStory:
    story = ready(service_spec())
    for config in (other_version(), FIRST):
        story.wishes(rayClusterConfig=config)
        story.goes_on()
    return story


def returning() -> ServiceStory:
    story = upgrading(stepped_spec(), B)
    story.wishes(rayClusterConfig=A)
    story.goes_on()
    return story


def returned() -> ServiceStory:
    story = returning()
    for _ in range(9):
        story.time_passes(10)
    return story


def forth_again() -> ServiceStory:
    story = returning()
    story.wishes(rayClusterConfig=B)
    story.goes_on()
    return story


def bereft() -> ServiceStory:
    story = returning()
    story.remove_cluster(story.active)
    story.goes_on()
    return story


def upgrade_suspended() -> ServiceStory:
    return suspended(upgrading(stepped_spec(), B))


def states(story: ServiceStory) -> list[str]:
    """The states that every status told, each once in a row."""
    told = [BEGINNING, *(state_of(status) for status in story.written())]
    return [told[0], *(after for before, after in pairwise(told) if before != after)]


STORIES: dict[Callable[[], ServiceStory], list[str]] = {
    resumed: [BEGINNING, SERVING, SUSPENDING, SUSPENDED, BEGINNING],
    given_up: [BEGINNING, GIVEN_UP],
    repaired: [BEGINNING, GIVEN_UP, BEGINNING],
    lambda: suspended(given_up()): [BEGINNING, GIVEN_UP, SUSPENDING, SUSPENDED],
    lambda: suspended(begun(service_spec())): [BEGINNING, SUSPENDING, SUSPENDED],
    upgraded: [BEGINNING, SERVING, UPGRADING, SERVING],
    reverted: [BEGINNING, SERVING, UPGRADING, SERVING],
    returned: [BEGINNING, SERVING, UPGRADING, RETURNING, SERVING],
    forth_again: [BEGINNING, SERVING, UPGRADING, RETURNING, UPGRADING],
    bereft: [BEGINNING, SERVING, UPGRADING, RETURNING, SERVING, UPGRADING],
    upgrade_suspended: [BEGINNING, SERVING, UPGRADING, SUSPENDING, SUSPENDED],
    lambda: suspended(returning()): [
        *(BEGINNING, SERVING, UPGRADING, RETURNING),
        *(SUSPENDING, SUSPENDED),
    ],
}


@pytest.mark.parametrize("story", STORIES)
def test_states_follow_one_another(story: Callable[[], ServiceStory]) -> None:
    assert states(story()) == STORIES[story]


def test_the_table_has_what_happens_and_nothing_else() -> None:
    happens = {way for told in STORIES.values() for way in pairwise(told)}

    assert happens == {(state, way.to) for state, ways in TABLE.items() for way in ways}


def test_every_state_has_a_way_out() -> None:
    assert [state for state, ways in TABLE.items() if not ways] == []
