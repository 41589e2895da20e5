"""What people are told of a schedule beside its runs: suspended, skipped, a name that is taken."""

from collections.abc import Iterator

from services.reconciler.decisions.raycronjob.runs import Due
from services.reconciler.decisions.raycronjob.situation import Situation
from shared.actions.objects import PostNotice
from shared.aggregates.raycronjob import Fate, run_name
from shared.aggregates.view import View
from shared.kernel.instants import print_instant

POLICY = "of missed runs the latest alone is made up for"


def suspended() -> PostNotice:
    """Say that nothing is made while it is suspended, in KubeRay's words."""
    return PostNotice(
        warning=False,
        reason="SuspendedRayCronJob",
        action="Suspend",
        message="RayCronJob suspended, no new RayJobs will be created",
        rule="suspension",
        because="the RayCronJob is suspended",
    )


def occupied(found: Situation) -> Iterator[PostNotice]:
    """Say that a run is skipped because its name is somebody else's."""
    state = found.state
    if state.fate is not Fate.OCCUPIED or state.asked is None:
        return
    name, at = run_name(found.cron.name, state.asked), print_instant(state.asked)
    yield PostNotice(
        warning=True,
        reason="SkippedRun",
        action="Schedule",
        message=f"Skipped the run of {at}: RayJob {place(found.view)}{name} is not ours",
        rule="occupied",
        because=f"the run of {at} is skipped: the name {name} belongs to something else",
    )


def skipped(found: Situation, run: Due) -> Iterator[PostNotice]:
    """Say which runs are skipped for the one that is asked for now."""
    if not run.skipped:
        return
    told = listed(run)
    refused = found.state.fate is Fate.REFUSED and found.state.asked in run.skipped
    why = f"; the last refusal was: {found.state.words}" if refused else ""
    yield PostNotice(
        warning=True,
        reason="SkippedRuns",
        action="Schedule",
        message=f"Skipped the runs of {told}: {POLICY}{why}",
        rule="skipped",
        because=f"the runs of {told} are skipped: {POLICY}{why}",
    )


def listed(run: Due) -> str:
    """Return the moments of skipped runs as people read them."""
    more = " and more" if run.more else ""
    return ", ".join(print_instant(tick) for tick in run.skipped) + more


def place(view: View) -> str:
    """Return where the resource is, for a name to follow."""
    return f"{view.key.namespace}/"
