"""A scenario that goes faster or slower: every span divided by one number. Pure.

Rules that go without saying are written out first, so that they keep the pace too. Moments (`at`)
stay where they are. Read next: scenario.py.
"""

from typing import Any

import msgspec

from sandbox.controllers.rayrules import GOES_WELL, AppRule, HeadRule, JobRule, RayScript
from sandbox.controllers.scenario import Scenario, ScenarioError

SPANS = frozenset(
    (
        "after",
        "delay",
        "evicted_after",
        "every",
        "init_after",
        "pending_for",
        "ready_after",
        "restart_after",
        "run_after",
        "runs_for",
        "schedule_after",
        "stop_after",
        "terminate_after",
        "until",
        "up_after",
    )
)


def paced(scenario: Scenario, pace: float) -> Scenario:
    """Return the scenario at so many times its speed."""
    if pace <= 0:
        raise ScenarioError(f"the pace must be more than 0, not {pace}")
    if pace == 1:
        return scenario
    said = msgspec.structs.replace(scenario, ray=_said(scenario.ray))
    return msgspec.convert(_divided(msgspec.to_builtins(said), pace), Scenario)


def _said(script: RayScript) -> RayScript:
    """Write out what holds where no rule fits."""
    return msgspec.structs.replace(
        script,
        jobs=(*script.jobs, JobRule()),
        apps=(*script.apps, AppRule(steps=GOES_WELL)),
        heads=(*script.heads, HeadRule()),
    )


def _divided(value: Any, pace: float, field: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _divided(item, pace, key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_divided(item, pace) for item in value]
    if field in SPANS and isinstance(value, int | float):
        return value / pace
    return value
