"""What an installation that only looks on may do: it asks, and must never ask for a change."""

from collections.abc import Callable

from sandbox.requests import WRITING, Answer, Request
from tests.simulation.invariants.invariant import RayCall

Accuse = Callable[[str], None]


def looked_on(accuse: Accuse) -> Callable[[str, Request, Answer | None], None]:
    """Return who judges requests to the API server."""

    def judge(who: str, request: Request, answer: Answer | None) -> None:
        del answer
        if request.verb in WRITING:
            accuse(f"{who} only looks on, and asks: {request.verb} {request.resource}")

    return judge


def never_calling(accuse: Accuse) -> Callable[[RayCall], None]:
    """Return who judges calls to Ray."""

    def judge(call: RayCall) -> None:
        what = call.job_id or f"Serve of {call.service}"
        accuse(f"who only looks on asks Ray to {call.deed} {what}")

    return judge
