"""`heliograph replay --step`: decision after decision, what it rested on and what it says now."""

import io

import pytest

from heliograph.cli.app import main
from heliograph.cli.render import Screen
from heliograph.cli.stepping import step_lines
from heliograph.views.steps import Step
from tests.support.builders import NOON

Captured = pytest.CaptureFixture[str]
FIRST = "raycluster/default/first"
WISHES = "create service first-head-svc, create pod of group headgroup, create pod of group small"


def test_steps_from_decision_to_decision(failed: str, capsys: Captured) -> None:
    assert main(["replay", FIRST, "--capsule", failed, "--step"]) == 0
    told = capsys.readouterr().out.splitlines()

    assert told[:9] == [
        "act 13 of raycluster/default/first, 2030-01-01 00:00:40 (1 of 2)",
        "  based on record 11, since the last act:",
        "    11  seen  first appeared",
        f"  decided {WISHES} (2)",
        "    because the cluster has no head service",
        "    because the cluster has no head pod",
        "    because group small has 0 of 2 workers",
        "  decided the same now",
        "",
    ]
    assert told[9].endswith("(2 of 2)")


def test_a_step_that_differs_says_where() -> None:
    step = Step(
        resource=FIRST,
        sequence=7,
        at=NOON,
        based_on=6,
        news=(),
        decided="to wait",
        because=("so",),
        verdict="different",
        differences=tuple(f"line {number}" for number in range(14)),
    )

    told = step_lines(Screen(io.StringIO(), {}), step, "1 of 1")

    assert told[1] == "  based on record 6"
    assert "  decided otherwise now" in told
    assert told[-2] == "    and 2 more"
