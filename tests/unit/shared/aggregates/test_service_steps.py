"""The steps of an upgrade as numbers, against a model that knows none of our code."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from msgspec.structs import replace

from shared.aggregates.service_steps import (
    PENDING,
    Pace,
    Shares,
    capacity_step,
    rolled_back,
    traffic_step,
    upgraded,
    whole_again,
)
from tests.support.steppingmodel import BEGINNING, Percents, changes, passes

STEPS_MAX = 500
SURGES = (5, 7, 20, 25, 30, 33, 50, 99, 100)
GRID = [
    (step, surge) for surge in SURGES for step in (1, 3, 10, 25, 33, 50, 77, 100) if step <= surge
]
WIDE = [(step, surge) for step, surge in GRID if step >= 10]
"""Those that come through in few enough steps to look at all of their ways."""


def shares(percents: Percents) -> Shares:
    active, pending, of_active, of_pending = percents
    return Shares(
        active_capacity=active,
        pending_capacity=pending,
        active_traffic=of_active,
        pending_traffic=of_pending,
    )


def percents(of: Shares) -> Percents:
    return (of.active_capacity, of.pending_capacity, of.active_traffic, of.pending_traffic)


def ours(begin: Percents, pace: Pace, *, back: bool) -> Iterator[Percents]:
    """Take every step that there is, one change at a time; capacity before traffic."""
    now = shares(begin)
    for _ in range(STEPS_MAX):
        step = capacity_step(now, pace, back=back)
        moved = traffic_step(now, pace, back=back) if step is None else None
        if step is not None:
            field = "pending_capacity" if step.which == PENDING else "active_capacity"
            now = replace(now, **{field: step.capacity})
        elif moved is not None:
            now = replace(now, pending_traffic=moved, active_traffic=100 - moved)
        else:
            return
        yield percents(now)
    raise AssertionError(f"no end after {STEPS_MAX} steps: {now}")


def in_order(wanted: list[Percents], found: list[Percents]) -> bool:
    """Whether everything wanted is found, in this order."""
    left = iter(found)
    return all(one in left for one in wanted)


FORTH = {
    (100, 100): "100 100 0 100; 0 100 0 100",
    (25, 50): "100 50 75 25; 100 50 50 50; 50 50 50 50; 50 100 25 75; 50 100 0 100; 0 100 0 100",
    (25, 30): (
        "100 30 75 25; 100 30 70 30; 70 30 70 30; 70 60 45 55; 70 60 40 60; 40 60 40 60;"
        "40 90 15 85; 40 90 10 90; 10 90 10 90; 10 100 0 100; 0 100 0 100"
    ),
}
BACK = {
    (25, 50, "50 50 50 50"): "100 50 75 25; 100 50 100 0; 100 0 100 0",
    (25, 50, "50 100 0 100"): (
        "50 100 25 75; 50 100 50 50; 100 50 75 25; 100 50 100 0; 100 0 100 0"
    ),
    (100, 100, "100 100 0 100"): "100 100 100 0; 100 0 100 0",
}


def trace(text: str) -> list[Percents]:
    rows = [tuple(int(number) for number in row.split()) for row in text.split(";")]
    return [(row[0], row[1], row[2], row[3]) for row in rows]


@pytest.mark.parametrize(("step", "surge"), FORTH)
def test_an_upgrade_goes_through_the_known_states(step: int, surge: int) -> None:
    """RayService checklist 70: capacity by the surge, traffic by the step, each clamped."""
    wanted = trace(FORTH[step, surge])
    found = list(ours(BEGINNING, Pace(surge=surge, step=step), back=False))

    assert wanted == list(passes(BEGINNING, step, surge, back=False))
    assert in_order(wanted, found)
    assert found[-1] == (0, 100, 0, 100)


@pytest.mark.parametrize(("step", "surge", "begin"), BACK)
def test_a_way_back_goes_through_the_known_states(step: int, surge: int, begin: str) -> None:
    wanted, [at] = trace(BACK[step, surge, begin]), trace(begin)
    found = list(ours(at, Pace(surge=surge, step=step), back=True))

    assert wanted == list(passes(at, step, surge, back=True))
    assert in_order(wanted, found)
    assert rolled_back(shares(found[-1]))


@pytest.mark.parametrize(("step", "surge"), GRID)
def test_every_pace_comes_through_as_kuberays_does(step: int, surge: int) -> None:
    """RayService checklist 76: capacities and traffic never turn round on their way."""
    found = [BEGINNING, *ours(BEGINNING, Pace(surge=surge, step=step), back=False)]

    assert found[1:] == list(changes(BEGINNING, step, surge, back=False))
    assert in_order(list(passes(BEGINNING, step, surge, back=False)), found)
    assert upgraded(shares(found[-1]))
    for before, after in pairwise(found):
        assert after[0] <= before[0]
        assert after[1] >= before[1]
        assert 0 <= after[3] - before[3] <= step
        assert sum(after[:2]) <= 100 + surge
        holds(after)


@pytest.mark.parametrize(("step", "surge"), WIDE)
def test_every_way_back_from_every_state_ends(step: int, surge: int) -> None:
    """RayService checklist 77: whenever the spec goes back, the active cluster gets everything."""
    pace = Pace(surge=surge, step=step)
    for at in (BEGINNING, *ours(BEGINNING, pace, back=False)):
        found = [at, *ours(at, pace, back=True)]
        assert rolled_back(shares(found[-1]))
        assert whole_again(shares(found[-1]))
        for before, after in pairwise(found):
            assert after[2] >= before[2]
            holds(after)


@pytest.mark.parametrize(("step", "surge"), WIDE[::3])
def test_going_on_after_going_back_ends_from_every_state(step: int, surge: int) -> None:
    """RayService checklist 78: there, back and there again."""
    pace = Pace(surge=surge, step=step)
    for at in ours(BEGINNING, pace, back=False):
        for half in ours(at, pace, back=True):
            found = [half, *ours(half, pace, back=False)]
            assert upgraded(shares(found[-1]))
            for state in found:
                holds(state)


def holds(state: Percents) -> None:
    """What is true at every moment: all traffic goes somewhere, and finds the capacity for it."""
    active, pending, of_active, of_pending = state
    assert of_active + of_pending == 100
    assert active >= of_active
    assert pending >= of_pending
    assert all(0 <= one <= 100 for one in state)


def test_capacity_is_not_taken_below_the_traffic_that_is_left() -> None:
    """KubeRay takes it down to 70 here, under 90 percent of the traffic."""
    step = capacity_step(shares((10, 100, 10, 90)), Pace(surge=30, step=25), back=True)

    assert step is not None
    assert (step.which, step.capacity) == (PENDING, 90)


def test_an_active_cluster_that_lost_the_other_one_gets_what_it_lacks_first() -> None:
    found = list(ours((50, 0, 100, 0), Pace(surge=50, step=25), back=False))

    assert found[0] == (100, 0, 100, 0)
    assert upgraded(shares(found[-1]))


@pytest.mark.parametrize("back", [False, True])
def test_a_pending_cluster_that_was_made_anew_gets_what_it_lacks_first(back: bool) -> None:
    found = list(ours((100, 0, 60, 40), Pace(surge=50, step=25), back=back))

    assert found[0] == (100, 40, 60, 40)
    assert (rolled_back if back else upgraded)(shares(found[-1]))


def test_nothing_moves_without_a_step_or_a_surge() -> None:
    assert list(ours(BEGINNING, Pace(surge=0, step=0), back=False)) == []
    assert list(ours(BEGINNING, Pace(surge=50, step=0), back=False)) == [(100, 50, 100, 0)]


@pytest.mark.parametrize("back", [False, True])
def test_what_is_finished_stays(back: bool) -> None:
    """RayService checklist 71: at the end there is no step of capacity left."""
    end = (100, 0, 100, 0) if back else (0, 100, 0, 100)

    assert list(ours(end, Pace(surge=50, step=25), back=back)) == []
