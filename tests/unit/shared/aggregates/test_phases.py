"""Phases as one word: two stays in the same phase are two words."""

import pytest

from shared.aggregates.phases import SUSPENDED, SUSPENDING, phase_of
from tests.support.builders import Raw, condition, resumed, suspended, suspending


@pytest.mark.parametrize(
    ("status", "phase"),
    [
        ({}, "active/0"),
        ({"conditions": []}, "active/0"),
        ({"conditions": [condition("HeadPodReady", "True", 9)]}, "active/0"),
        (suspending(3), "suspending/3"),
        (suspended(3), "suspended/3"),
        (resumed(4), "active/4"),
        ({"conditions": [{"type": SUSPENDING, "status": "True"}]}, "suspending/0"),
        ({"conditions": [condition(SUSPENDED, "Unknown", 2)]}, "active/2"),
        ({"conditions": "nonsense"}, "active/0"),
        ({"conditions": [7, None, {}]}, "active/0"),
    ],
)
def test_the_phase_is_told_by_the_conditions(status: Raw, phase: str) -> None:
    assert phase_of(status) == phase


def test_suspending_wins_over_suspended() -> None:
    both = [condition(SUSPENDED, "True", 1), condition(SUSPENDING, "True", 2)]

    assert phase_of({"conditions": both}) == "suspending/2"
