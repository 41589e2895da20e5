"""A failing plan made small: steps are left out as long as it still fails.

Every step has luck of its own, so leaving one out changes no other. First whole halves go, then
quarters, at last single steps; what is left is a story that a person can follow.
"""

from collections.abc import Callable

from msgspec.structs import replace

from tests.simulation.plan import Plan

Fails = Callable[[Plan], bool]


def shrunk(plan: Plan, fails: Fails, *, tries_max: int = 200) -> Plan:
    """Return the smallest plan found that still fails; the plan itself does."""
    tries = 0
    size = len(plan.steps) // 2
    while size >= 1:
        first = 0
        while first < len(plan.steps) and tries < tries_max:
            smaller = replace(plan, steps=plan.steps[:first] + plan.steps[first + size :])
            tries += 1
            if fails(smaller):
                plan = smaller
            else:
                first += size
        size //= 2
    return plan


def told(plan: Plan) -> list[str]:
    """Tell a plan, a line a step, as it would be written down in `test_regressions.py`."""
    return [
        f"at {step.at:6.2f} {'deed' if step.deed else 'fault'} "
        f"{getattr(step.deed or step.fault, '__name__', '?')} (luck {step.luck!r})"
        f"{f' awaits {step.awaits}' if step.awaits else ''}"
        for step in plan.steps
    ]
