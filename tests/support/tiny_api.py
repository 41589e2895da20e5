"""The API server as an executor meets it, with every safety rule checked at the call itself."""

from datetime import datetime
from typing import assert_never

from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import (
    Action,
    ConfigureServe,
    ConfirmObject,
    CreateObject,
    DeleteObject,
    PatchObject,
    PostNotice,
)
from shared.actions.outcomes import AlreadySo, Done, Gone, Occupied, Outcome, Overtaken, Refused
from shared.aggregates.phases import phase_of
from shared.events import subjects
from shared.events.decisions import Decided
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import entries_at, integer_at, text_at
from shared.resources.labels import HEAD_GROUP
from tests.support.builders import KEY, NOON, Raw
from tests.support.tiny_kubernetes import ENDED, Thing, TinyKubernetes
from tests.support.tiny_operator import CALL_WITHIN, Log


class Violation(AssertionError):  # noqa: N818 - the word of the trade
    """Something happened that must never happen."""


def must(condition: object, sentence: str) -> None:
    if not condition:
        raise Violation(sentence)


class TinyApi:
    """Performs calls on the tiny Kubernetes and raises `Violation` when one should not be."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.kube = TinyKubernetes()
        self.quota_until: datetime = NOON
        self.wishes: dict[str, dict[int, dict[str, int]]] = {}
        """Workers wanted, by uid, generation and group."""
        self.asleep: dict[str, set[int]] = {}
        """Generations that ask for suspension, by uid."""
        self.counted: dict[str, dict[str, str]] = {}
        """Which pods each act took for alive, and their group."""
        self.removed: set[str] = set()
        """Pods that were removed on request."""

    def wish(self, uid: str, generation: int, spec: Raw) -> None:
        groups = {
            text_at(one, "groupName"): integer_at(one, "replicas") or 0
            for one in entries_at(spec, "workerGroupSpecs")
        }
        self.wishes.setdefault(uid, {})[generation] = groups
        if spec["suspend"]:
            self.asleep.setdefault(uid, set()).add(generation)

    def call(self, act: Decided, uid: str, action: Action) -> Outcome:
        match action:
            case CreateObject():
                return self._create(act, uid, action)
            case DeleteObject():
                return self._delete(act, uid, action)
            case ConfirmObject():
                return self._confirm(uid, action)
            case PatchObject():
                return Overtaken(because="this world changes nothing in place")
            case PostNotice() | SubmitJob() | StopJob() | ConfigureServe():
                return Done()
            case _:
                assert_never(action)

    def read(self, uid: str, action: Action) -> Outcome:
        """What an earlier hand may have done."""
        if isinstance(action, CreateObject):
            found = self.kube.things.get((action.kind, action.name))
            if found and found.owner == uid:
                return _as_it_is(found)
        if isinstance(action, DeleteObject):
            found = self.kube.things.get((action.kind, action.name))
            if found is None or found.uid != action.uid:
                return Gone(resource_version=self.kube.version)
            if found.deleting:
                return _as_it_is(found)
        return Overtaken(because="there is newer news")

    def patch_status(self, uid: str, status: Raw, version: int) -> int:
        """Store a status if the cluster is still as it was; return its version, 0 if not."""
        cluster = self.kube.cluster
        if cluster is None or cluster.uid != uid or cluster.version != version:
            return 0
        former, phase = phase_of(cluster.status), phase_of(status)
        living = [pod for pod in self.kube.owned(uid) if not pod.deleting]
        must(not (phase.startswith("suspended/") and living), "Suspended while pods live")
        must(
            not (former.startswith("suspending/") and phase.startswith("active/")),
            "out of Suspending without being Suspended",
        )
        return self.kube.store(cluster, status=status).version

    def _create(self, act: Decided, uid: str, action: CreateObject) -> Outcome:
        found = self.kube.things.get((action.kind, action.name))
        if found and found.owner == uid:
            return _as_it_is(found)
        if found:
            return Occupied(uid=found.uid, resource_version=found.version, message="not ours")
        if self.quota_until > self.log.now and action.kind == "pod":
            return Refused(code=403, reason="Forbidden", message="exceeded quota")
        must(not self._known_dead(uid), "created for a cluster that is gone")
        if action.kind == "pod":
            self._check_awake(act, uid)
        made = self.kube.create(Thing(action.kind, action.name, owner=uid, group=action.group))
        self._check_sizes(act, uid, action)
        return Done(uid=made.uid, resource_version=made.version)

    def _check_awake(self, act: Decided, uid: str) -> None:
        cluster = self.kube.cluster
        phase = phase_of(cluster.status) if cluster and cluster.uid == uid else ""
        wanted = act.seen.generation in self.asleep.get(uid, ())
        must(not wanted, "created although the spec asks for suspension")
        must(not phase.startswith("suspended/"), "created while Suspended")

    def _check_sizes(self, act: Decided, uid: str, action: CreateObject) -> None:
        there = len(self.kube.usable(uid, action.group))
        if action.group == HEAD_GROUP:
            must(there <= 1, "two live heads")
        elif action.kind == "pod":
            must(there <= max(self._sizes(act, uid, action.group)), "more workers than desired")

    def _sizes(self, act: Decided, uid: str, group: str) -> list[int]:
        """How many workers were wanted at any time since the act looked."""
        wishes = self.wishes[uid].items()
        return [sizes.get(group, 0) for at, sizes in wishes if at >= act.seen.generation]

    def _delete(self, act: Decided, uid: str, action: DeleteObject) -> Outcome:
        found = self.kube.things.get((action.kind, action.name))
        if found is None or found.uid != action.uid:
            return Gone(resource_version=self.kube.version)
        must(found.owner == uid, "deleted what another uid owns")
        if found.deleting:
            return _as_it_is(found)
        if action.resource_version not in (None, found.version):
            return Overtaken(because="it changed since it was seen")
        self._check_reason(act, uid, action, found)
        self.removed.add(found.name)
        return _as_it_is(self.kube.store(found, deleting=True))

    def _check_reason(self, act: Decided, uid: str, action: DeleteObject, found: Thing) -> None:
        cluster = self.kube.cluster
        match action.rule:
            case "suspension":
                active = cluster and cluster.uid == uid and phase_of(cluster.status)
                must(not active or not active.startswith("active/"), "gone before the phase was")
            case "unhealthy":
                must(found.phase == ENDED, "a healthy pod deleted as failed")
            case "worker_groups":
                usable = {pod.name for pod in self.kube.usable(uid, found.group)}
                counted = self.counted[act.id].items()
                lost = {name for name, group in counted if group == found.group}
                lost -= usable | self.removed
                most = len(usable) + len(lost)
                must(most > min(self._sizes(act, uid, found.group)), "deleted without need")
            case "removed_group":
                must(min(self._sizes(act, uid, found.group)) == 0, "its group is in the spec")
            case rule:
                must(False, f"deleted for {rule}, which nobody knows")

    def _confirm(self, uid: str, action: ConfirmObject) -> Outcome:
        found = self.kube.things.get((action.kind, action.name))
        if found is None:
            return Gone(resource_version=self.kube.version)
        if found.owner != uid:
            return Occupied(uid=found.uid, resource_version=found.version, message="not ours")
        return _as_it_is(found)

    def _known_dead(self, uid: str) -> bool:
        """Whether the log has said for longer than a call may take that the cluster is gone."""
        record = self.log.last(subjects.own(KEY))
        if record is None or record.at + CALL_WITHIN >= self.log.now:
            return False
        own = record.envelope.body
        return not isinstance(own, ResourceSeen) or own.meta.uid != uid or bool(own.meta.deleted_at)


def _as_it_is(found: Thing) -> AlreadySo:
    return AlreadySo(uid=found.uid, resource_version=found.version, deleting=found.deleting)
