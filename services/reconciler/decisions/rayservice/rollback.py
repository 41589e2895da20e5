"""When an upgrade in steps goes back: the spec is no longer that of the cluster on its way in.

Back to the spec of the active cluster, or elsewhere: either way the active one gets everything
again first. A target that takes no requests gets no traffic: the way back waits for it, and the
status says so. Who then wishes something else altogether is not held up by two clusters that serve
nobody.
"""

from collections.abc import Iterator

from services.reconciler.decisions.rayservice.shares import serves, shares_of, split
from services.reconciler.decisions.rayservice.situation import Situation, serves_for
from shared.actions.objects import PostNotice
from shared.aggregates.rayservice import ROLLBACK, head_ready, served
from shared.aggregates.service_routes import serve_service_of
from shared.aggregates.service_steps import rolled_back, whole_again
from shared.events.told import FOUND
from shared.kernel.manifests import entries_at

REVERTED, CHANGED = "reverted", "changed"
"""Why it goes back: to the active cluster's own spec, or to a third one."""
HELD = "held"
IMPOSSIBLE = "rollback-impossible/"


def direction(found: Situation) -> str:
    """Say why the upgrade goes back; empty if it does not."""
    active, pending = found.state.active, found.state.pending
    if not found.incremental or active is None or pending is None:
        return ""
    if active.meta.name in found.lineage.same:
        return REVERTED
    if not found.comparable(pending):
        return CHANGED if _told_so(found) else ""
    return "" if serves_for(found, pending) else CHANGED


def _told_so(found: Situation) -> bool:
    """Whether the status says that the upgrade goes back."""
    return any(
        one.get("type") == "RollbackInProgress" and one.get("status") == "True"
        for one in entries_at(found.view.status, "conditions")
    )


def held(found: Situation) -> bool:
    """Whether the way back waits for the active cluster to take requests."""
    return bool(direction(found)) and not serves(found, found.state.active)


def ended(found: Situation) -> bool:
    """Whether the active cluster has everything again, so that the other one may go."""
    why, shares = direction(found), shares_of(found)
    if not why:
        return False
    if held(found):
        return why == CHANGED and _serves_nobody(found)
    lost = whole_again(shares) and not head_ready(found.state.pending, found.view)
    return lost or rolled_back(shares)


def _serves_nobody(found: Situation) -> bool:
    """Whether the pending cluster may go because requests do not reach anybody through it.

    A share that was just wished counts before the status tells of it. A cluster with a ready
    endpoint may serve until Serve says otherwise, asked since it was last told something.
    """
    pending = found.state.pending
    none = shares_of(found).pending_traffic == 0 == split(found)
    if none or pending is None or serves(found, pending):
        return none or pending is None
    told = served(found.view, pending.meta.name)
    answered = told is not None and told.answer == FOUND
    return answered or found.state.endpoints(serve_service_of(pending.meta.name)) == 0


def marks(found: Situation) -> Iterator[str]:
    """Say that the upgrade goes back, why, and whether that waits."""
    why = direction(found)
    if why and not ended(found):
        yield f"{ROLLBACK}{why}/{HELD}" if held(found) else f"{ROLLBACK}{why}"
    mark = _impossible(found)
    if mark:
        yield mark


def warn(found: Situation) -> Iterator[PostNotice]:
    """Tell people once that there is nothing to go back to."""
    mark = _impossible(found)
    if not mark or (found.view.act is not None and mark in found.view.act.noted):
        return
    yield PostNotice(
        warning=True,
        reason="RollbackImpossible",
        action="Reconcile",
        message="Active cluster not found, rollback cannot be initiated",
        rule="rollback",
        because=f"RayCluster {found.state.active_name} is gone while another takes over",
    )


def _impossible(found: Situation) -> str:
    state = found.state
    gone = bool(state.active_name) and state.active is None and bool(state.pending_name)
    return f"{IMPOSSIBLE}{state.active_name}" if found.incremental and gone else ""
