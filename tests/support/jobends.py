"""A RayJob in a world that has turned kind: it must come to an end."""

from tests.support.joblaws import LawfulJob, rests
from tests.support.jobmoves import MOVES

KIND = (
    "the dashboard is back",
    "Ray takes jobs",
    "the cluster is ready",
    "the job succeeds",
    "the submitter ends",
    "a timer goes off",
)
"""What a kind world does, the first that it can."""
STEPS_MAX = 12


def ends(story: LawfulJob) -> None:
    """Law 30: once nothing goes wrong any more, the job ends, or rests as its user wants."""
    for _ in range(STEPS_MAX):
        if rests(story):
            return
        moved = next((name for name in KIND if MOVES[name](story)), None)
        assert moved is not None, f"30: nothing can move {story.phase}"
        story.goes_on()
    raise AssertionError(f"30: {story.phase} does not end")
