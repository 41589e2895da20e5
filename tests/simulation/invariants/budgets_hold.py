"""No more work is taken away in a while than is allowed, unless somebody approved it.

Counted are deletions as they arrive at the API server. An executor allows one before it calls, so
two that arrive may be closer to each other than the window by as long as a call takes. Executors
that work side by side know of each other what the log tells: the bound of a namespace may be
passed once by each of them. After a log is lost they begin to count anew.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec import Struct

from sandbox.requests import Request
from services.executor.budgets import WORKLOADS
from shared.actions.objects import DeleteObject
from shared.events.approvals import Approved
from shared.events.envelope import Record
from shared.kernel.keys import ResourceKey
from tests.simulation.archive import Act
from tests.simulation.invariants.invariant import Invariant, Scene
from tests.simulation.kubernetes import CALL_DEADLINE

SHARP = timedelta(seconds=2 * CALL_DEADLINE)
"""By so much a window is shorter here: before a deletion the object is read."""


class Taken(Struct, frozen=True):
    """A deletion that arrived."""

    at: datetime
    key: ResourceKey
    uid: str


class BudgetsHold(Invariant):
    """Deletions of what does work, by executors."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._taken: dict[str, Taken] = {}
        self._approved_until = scene.nature.cluster.state.clock()
        self._last = 0

    def recorded(self, record: Record) -> Iterator[str]:
        if record.sequence <= self._last:
            self._taken.clear()
        self._last = record.sequence
        body = record.envelope.body
        if isinstance(body, Approved):
            until = record.at + timedelta(seconds=body.seconds) + SHARP
            self._approved_until = max(self._approved_until, until)
        return iter(())

    def asked(self, who: str, request: Request) -> Iterator[str]:
        uid, limits = request.deletion.uid or "", self.scene.budgets
        if request.verb != "delete" or not who.startswith("executor") or not limits.budget_resource:
            return
        act = self._act(uid)
        if act is None or uid in self._taken or self.scene.nature.find_uid(uid) is None:
            return
        now = self.scene.nature.cluster.state.clock()
        if now <= self._approved_until:
            return
        self._taken[uid] = Taken(now, act.key, uid)
        recent = [
            one for one in self._taken.values() if one.at > now - limits.budget_window + SHARP
        ]
        mine = sum(one.key == act.key for one in recent)
        if mine > limits.budget_resource:
            yield f"11: {who} takes {mine} of {act.key}, {limits.budget_resource} are allowed"

    def _act(self, uid: str) -> Act | None:
        """Return the last act that asks for a deletion, if it is one that counts."""
        for act in reversed(self.scene.archive.acts.values()):
            for action in act.decided.actions:
                if isinstance(action, DeleteObject) and action.uid == uid:
                    counts = action.kind in WORKLOADS and not act.decided.seen.deleting
                    return act if counts else None
        return None
