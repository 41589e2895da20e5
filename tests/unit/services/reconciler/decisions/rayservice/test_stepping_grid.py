"""Upgrades of every pace, second by second, against a model that knows none of our code."""

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.steppingmodel import Clocked
from tests.support.steppingstory import SteppingStory, cluster_of, stepped_spec, upgrading

A, B = cluster_of("2.46.0"), cluster_of("2.47.0")
MOVES_MAX = 60
"""More than the smallest step takes."""
STEP_MIN = 4
PACES = st.integers(STEP_MIN, 100).flatmap(
    lambda step: st.tuples(st.just(step), st.integers(step, 100), st.integers(1, 600))
)
"""How far traffic moves at once, how far capacity does, and how many seconds lie between."""


def seconds(interval: int) -> Iterator[int]:
    """Yield the moments to look at: each at which something may move, and the one before."""
    yield 0
    for move in range(1, MOVES_MAX):
        yield move * interval - 1
        yield move * interval


def weights(story: SteppingStory) -> tuple[int, int]:
    """Return what the route does, for active and pending."""
    return story.weights[story.active], story.weights[story.pending]


def until(story: SteppingStory, second: int, began: float) -> None:
    """Let time pass until so many seconds after something began."""
    story.time_passes(began + second - story.now.timestamp())


@given(pace=PACES)
@settings(max_examples=25, deadline=None)
def test_every_pace_is_as_specified_at_every_moment(pace: tuple[int, int, int]) -> None:
    """RayService checklist 76: capacities, traffic and the route itself."""
    step, surge, interval = pace
    story, model = (
        upgrading(stepped_spec(step=step, surge=surge, interval=interval), B),
        Clocked(*pace),
    )
    began, new = story.now.timestamp(), story.pending
    for second in seconds(interval):
        until(story, second, began)
        wanted = model.at(second)
        if model.over():
            break
        assert (story.percents, weights(story)) == (wanted, wanted[2:]), second

    assert model.over()
    assert (story.active, story.pending, story.weights) == (new, "", {new: 100})


@given(pace=PACES, turn=st.integers(0, 9), late=st.floats(0, 1, exclude_max=True))
@settings(max_examples=25, deadline=None)
def test_every_way_back_is_as_specified_at_every_moment(
    pace: tuple[int, int, int], turn: int, late: float
) -> None:
    """RayService checklist 77: the traffic, from any moment on; the other cluster goes."""
    step, surge, interval = pace
    story = upgrading(stepped_spec(step=step, surge=surge, interval=interval), B)
    old, new = story.active, story.pending
    for _ in range(turn):
        if story.percents[2] > step:
            story.time_passes(interval)
    story.time_passes(int(late * interval))
    model = Clocked(*pace, state=story.percents, back=True)
    story.wishes(rayClusterConfig=A)
    story.goes_on()
    began = story.now.timestamp()
    for second in seconds(interval):
        until(story, second, began)
        wanted = model.at(second)
        if model.over():
            break
        assert weights(story) == wanted[2:], second

    assert model.over()
    assert (story.active, story.pending, story.weights) == (old, "", {old: 100})
    story.time_passes(120)
    assert (new in story.clusters, list(story.clusters)) == (False, [old])
