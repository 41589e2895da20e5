"""Nothing is begun of an act that was replaced or overtaken long ago.

The executor looks at the log before it calls; what is newer than that look may be missed, what has
been there for longer than a look, a call and its brief repetitions take may not.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sandbox.requests import Request
from services.executor.performing import ACT_ANNOTATION
from services.executor.standing import Stands, standing
from shared.actions.objects import DeleteObject
from shared.events import subjects
from shared.events.envelope import Record
from shared.kernel.manifests import annotations_of
from tests.simulation.archive import Act
from tests.simulation.invariants.invariant import Invariant
from tests.simulation.kubernetes import CALL_DEADLINE

LONGEST = {
    "create": timedelta(seconds=CALL_DEADLINE),
    "delete": timedelta(seconds=2 * CALL_DEADLINE),
}
"""How long after the look a call may arrive; before a deletion the object is read."""


class ActsStand(Invariant):
    """Creations and deletions of pods, as they arrive."""

    def asked(self, who: str, request: Request) -> Iterator[str]:
        if request.resource != "pods" or not who.startswith("executor"):
            return
        now = self.scene.nature.cluster.state.clock()
        ages = [now - since for act in self._acts(request) if (since := self._overtaken_at(act))]
        acts = sum(1 for _ in self._acts(request))
        if ages and len(ages) == acts and min(ages) > LONGEST[request.verb]:
            yield f"{who}: {request.verb} by an act that was overtaken {min(ages)} ago"

    def _acts(self, request: Request) -> Iterator[Act]:
        """Yield the acts that ask for it."""
        if request.verb == "create":
            named = annotations_of(request.body or {}).get(ACT_ANNOTATION, "")
            act = self.scene.archive.acts.get(named)
            if act is not None:
                yield act
        elif request.verb == "delete":
            yield from (act for act in self.scene.archive.acts.values() if _removes(act, request))

    def _overtaken_at(self, act: Act) -> datetime | None:
        """Return when the log told what overtakes an act; None if it stands, or is lost itself.

        Nor is it overtaken by a hole: it may rest on records that the log has lost since.
        """
        known = self.scene.archive.latest(act.key, act.sequence)
        asked = known.get(subjects.act(act.key))
        if asked is None or asked.sequence != act.sequence:
            return None
        stood = _stands(act, asked, known)
        for record in self.scene.archive.after(act.key, act.sequence):
            known[record.subject] = record
            stands = _stands(act, asked, known)
            if stood and not stands:
                return record.at
            stood = stood or stands
        return None


def _removes(act: Act, request: Request) -> bool:
    return any(
        isinstance(one, DeleteObject) and one.uid == request.deletion.uid
        for one in act.decided.actions
    )


def _stands(act: Act, asked: Record, known: dict[str, Record]) -> bool:
    last, own, status = (
        known.get(where(act.key)) for where in (subjects.act, subjects.own, subjects.status)
    )
    return isinstance(standing(asked, last, own, status), Stands)
