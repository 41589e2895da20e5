"""Ray is asked only by executors, only for what an act says, and one attempt has one job of ours.

An attempt is told by its cluster and by how many failed before it: what is asked again, by another
hand or after an answer that was lost, is asked under the same id, and Ray takes it once.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import Action, ConfigureServe
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.kernel.manifests import integer_at
from tests.simulation.invariants.invariant import Invariant, RayCall, Scene

Asked = tuple[str, str, str]
"""A deed, where, and at which job."""


class RayCalls(Invariant):
    """Calls to dashboards that change something."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._wanted: dict[Asked, str] = {}
        """What acts ask of Ray, and the uid of who wants it."""
        self._configs: dict[str, list[Mapping[str, object]]] = defaultdict(list)
        self._ids: dict[tuple[str, str, int], set[str]] = defaultdict(set)

    def recorded(self, record: Record) -> Iterator[str]:
        body = record.envelope.body
        if isinstance(body, Decided):
            for action in body.actions:
                self._learn(action, record.envelope.uid)
        return iter(())

    def _learn(self, action: Action, uid: str) -> None:
        match action:
            case SubmitJob():
                self._wanted["submit", action.service, action.job_id] = uid
            case StopJob():
                self._wanted["stop", action.service, action.job_id] = uid
            case ConfigureServe():
                self._configs[action.service].append(action.config)
            case _:
                pass

    def called(self, call: RayCall) -> Iterator[str]:
        what = f"{call.deed} {call.job_id or f'Serve of {call.service}'}"
        if not call.who.startswith("executor"):
            yield f"5: {call.who} asks Ray to {what}"
        if call.deed == "configure":
            if call.config not in self._configs[call.service]:
                yield f"5: Ray is asked to {what}, and no act says so"
            return
        uid = self._wanted.get((call.deed, call.service, call.job_id))
        if uid is None:
            yield f"5: Ray is asked to {what}, and no act says so"
        elif call.deed == "submit":
            yield from self._submitted(call, uid)

    def _submitted(self, call: RayCall, uid: str) -> Iterator[str]:
        job = self.scene.nature.find_uid(uid) or {}
        failed = integer_at(job, "status", "failed") or 0
        ids = self._ids[uid, call.service, failed]
        ids.add(call.job_id)
        if len(ids) > 1:
            yield f"26: {', '.join(sorted(ids))} are submitted to {call.service} in one attempt"
