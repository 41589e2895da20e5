"""The status of a RayCronJob: the moment of the last run that is done with, and nothing else.

It never goes back. That is all there is to tell: the resource's schema has no other field, and what
it does not know the API server drops. Why a run was made or skipped is in the acts and Events.
"""

from shared.aggregates.raycronjob import LAST_SCHEDULE, raycronjob_state
from shared.aggregates.view import View
from shared.kernel.instants import print_instant, read_instant
from shared.kernel.manifests import text_at


def assess_raycronjob(view: View) -> dict[str, object]:
    """Return the status as it should read now."""
    status = dict(view.status)
    handled = raycronjob_state(view).handled
    former = read_instant(text_at(status, LAST_SCHEDULE))
    if handled is not None and (former is None or handled > former):
        status[LAST_SCHEDULE] = print_instant(handled)
    return status
