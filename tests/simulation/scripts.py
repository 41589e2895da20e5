"""How Ray fares while nothing is broken: what users' programs do, by their entrypoints."""

from sandbox.controllers.rayrules import AppRule, AppStep, JobRule, RayScript

NEVER_RUNS = "dud"
"""An application that is deployed for ever."""
BY_HAND = "by-hand"
"""The id of a job that a user submits themselves, whatever else was to run."""
SUCCEEDS, FAILS, TAKES_LONG = "python short.py", "python broken.py", "python long.py"


def script() -> RayScript:
    """Return the rules of every world."""
    return RayScript(
        jobs=(
            JobRule(entrypoint=SUCCEEDS, runs_for=4.0),
            JobRule(entrypoint=FAILS, runs_for=2.0, exit_code=1),
            JobRule(entrypoint=TAKES_LONG, runs_for=40.0),
        ),
        apps=(AppRule(app=NEVER_RUNS, steps=(AppStep(status="DEPLOYING"),)),),
    )
