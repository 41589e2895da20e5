"""Rules that break: over one resource for a while, because a fault wants it; or unwanted."""

import pytest

from services.reconciler.decisions import decide
from services.reconciler.decisions.decision import Context, Draft
from shared.aggregates.view import View
from tests.simulation.faults.puzzle import USUAL, puzzle
from tests.simulation.features.worlds import PUZZLED
from tests.simulation.plan import Plan, Step, draw
from tests.simulation.run import Verdict, run_plan
from tests.simulation.users import create, kill_worker, scale

FIRST = Step(at=0.1, luck="first", deed=create)
RICH, IN_TURN = 5, 8 * PUZZLED
"""The first rich world, and how far the next one is in which rules break."""


def told(verdict: Verdict, sentence: str) -> int:
    return sum(sentence in line for line in verdict.story.lines())


@pytest.mark.parametrize("seed", range(2))
def test_one_resource_is_parked_and_taken_up_again_as_if_nothing_had_been(seed: int) -> None:
    plan = Plan(
        steps=(
            FIRST,
            Step(at=12.0, luck="", fault=puzzle),
            Step(at=12.1, luck="kill", deed=kill_worker),
            Step(at=12.2, luck="grow", deed=scale),
        ),
        lasts=20.0,
    )
    verdict = run_plan(seed, plan)

    assert verdict.violations == ()
    assert told(verdict, "=== the rules hold for raycluster") == 1
    assert told(verdict, "where='PuzzledError in services.reconciler.decisions.decide.decide'") >= 1
    assert told(verdict, "Blocked") >= 1
    assert decide.DRAFTERS is USUAL


def test_rules_that_break_unwanted_are_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_view: View, _context: Context) -> Draft | None:
        raise LookupError("no such group")

    monkeypatch.setattr(decide, "DRAFTERS", {**USUAL, "raycluster": broken})
    verdict = run_plan(0, Plan(steps=(FIRST,), lasts=5.0))

    assert "a service broke: LookupError: no such group" in verdict.violations


def test_rules_break_in_some_rich_worlds() -> None:
    plans = [draw(seed) for seed in range(RICH, RICH + 2 * IN_TURN, IN_TURN)]

    assert [sum(step.fault is puzzle for step in plan.steps) for plan in plans] == [1, 1]
