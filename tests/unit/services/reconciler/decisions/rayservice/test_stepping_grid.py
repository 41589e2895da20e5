"""Upgrades of every pace, second by second, against a model that knows none of our code."""

from collections.abc import Iterator

from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from tests.support.steppingmodel import Clocked
from tests.support.steppingstory import SteppingStory, cluster_of, stepped_spec, stepping

A, B = cluster_of("2.46.0"), cluster_of("2.47.0")
MOVES_MAX = 40
"""More than the smallest step takes."""
STEP_MIN = 8
PACES = st.integers(STEP_MIN, 100).flatmap(
    lambda step: st.tuples(st.just(step), st.integers(step, 100), st.integers(1, 600))
)
"""How far traffic moves at once, how far capacity does, and how many seconds lie between."""
EXAMPLES = settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])
"""Whole stories: each takes a second, so few are told, and none is told again to be made short."""


def seconds(interval: int, since: int = 0) -> Iterator[int]:
    """Yield the moments to look at: each at which something may move, and the one before."""
    yield since
    for move in range(since // interval + 1, since // interval + MOVES_MAX):
        yield from (second for second in (move * interval - 1, move * interval) if second > since)


def weights(story: SteppingStory) -> tuple[int, int]:
    """Return what the route does, for active and pending."""
    return story.weights[story.active], story.weights[story.pending]


def taking_over(story: SteppingStory) -> str:
    """Begin to upgrade; return the name of the new cluster, whose head has come up."""
    story.wishes(rayClusterConfig=B)
    story.goes_on()
    new = story.pending
    story.head_comes_up(new)
    story.goes_on()
    return new


def until(story: SteppingStory, second: int, began: float) -> None:
    """Let time pass until so many seconds after something began."""
    story.time_passes(began + second - story.now.timestamp())


@given(pace=PACES)
@EXAMPLES
def test_every_pace_is_as_specified_at_every_moment(pace: tuple[int, int, int]) -> None:
    """RayService checklist 76: capacities, traffic and the route itself."""
    step, surge, interval = pace
    story, model = stepping(stepped_spec(step=step, surge=surge, interval=interval)), Clocked(*pace)
    began, new = story.now.timestamp(), taking_over(story)
    for second in seconds(interval):
        until(story, second, began)
        wanted = model.at(second)
        if model.over():
            break
        assert (story.percents, weights(story)) == (wanted, wanted[2:]), second

    assert model.over()
    assert (story.active, story.pending, story.weights) == (new, "", {new: 100})


@given(pace=PACES, moves=st.integers(0, 9), late=st.floats(0, 1, exclude_max=True))
@EXAMPLES
def test_every_way_back_is_as_specified_at_every_moment(
    pace: tuple[int, int, int], moves: int, late: float
) -> None:
    """RayService checklist 77: the traffic, from any moment on; the other cluster goes."""
    step, surge, interval = pace
    story, model = stepping(stepped_spec(step=step, surge=surge, interval=interval)), Clocked(*pace)
    began, old, new = story.now.timestamp(), story.active, taking_over(story)
    turn = min(moves, 100 // step - 1) * interval + int(late * interval)
    for second in range(0, turn + 1, interval):
        until(story, second, began)
        model.at(second)
    until(story, turn, began)
    assume(story.pending)
    model.back = True
    story.wishes(rayClusterConfig=A)
    story.goes_on()
    for second in seconds(interval, turn):
        until(story, second, began)
        wanted = model.at(second)
        if model.over():
            break
        assert weights(story) == wanted[2:], second - turn

    assert model.over()
    assert (story.active, story.pending, story.weights) == (old, "", {old: 100})
    story.time_passes(120)
    assert list(story.clusters) == [old] != [new]
