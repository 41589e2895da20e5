"""The world of one RayJob: what Kubernetes holds of it, and a dashboard, as a few values.

Actions are carried out on it and questions answered from it, as executor and asker would; what
changes is told to the history at once.
"""

from dataclasses import dataclass, field

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
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
from shared.actions.outcomes import AlreadySo, Done, Gone, Outcome, Refused, Unknown
from shared.events import subjects, told
from shared.events.decisions import Decided
from shared.events.objects import ChildSeen, ObjectGone, PodSeen, ResourceSeen, ServiceSeen
from shared.events.told import JobTold, Looked, Told, Want, WantedJob, WantedObject
from shared.kernel.manifests import mapping_at, texts_at
from tests.support.builders import CONTEXT, Raw
from tests.support.foldedhistory import FoldedHistory, Living, Numbers
from tests.support.rayjobs import KEY, UID, cluster, rayjob, service, submitter


@dataclass
class Dashboard(Living):
    """What Ray says: jobs by id, or nothing at all."""

    jobs: dict[str, JobTold] = field(default_factory=dict)
    answers: bool = True
    refuses: str = ""
    loses_answers: bool = False
    swallows: bool = False
    """Whether submissions are neither answered nor kept."""
    submitted: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)

    def begins_anew(self) -> None:
        """Forget every job, as a new head has."""
        self.jobs.clear()


class JobWorld(FoldedHistory):
    """What there is of a RayJob."""

    def __init__(self, spec: Raw, context: Context = CONTEXT) -> None:
        super().__init__(KEY, UID)
        self.context = context
        self.versions = Numbers(10)
        self.own: ResourceSeen | None = rayjob(spec, version=next(self.versions))
        self.clusters: dict[str, ResourceSeen] = {}
        self.submitter: ChildSeen | None = None
        self.service: ServiceSeen | None = None
        self.heads: tuple[PodSeen, ...] = ()
        self.dashboard = Dashboard()
        self.refuses: dict[str, str] = {}
        """Kinds whose creation the API server refuses, and in which words."""
        self.done: list[Action] = []
        """Everything that was carried out, in order."""
        self.notices: list[PostNotice] = []
        self.sees(self.own)

    def answer(self, want: Want) -> Told | None:
        if isinstance(want, WantedJob):
            if not want.job_id:
                return None
            known = self.dashboard.jobs.get(want.job_id)
            if not self.dashboard.answers:
                return JobTold(
                    job_id=want.job_id, since=want.since, answer=told.FAILED, failure="unreachable"
                )
            if known is None:
                return JobTold(job_id=want.job_id, since=want.since, answer=told.MISSING)
            return replace(known, since=want.since)
        assert isinstance(want, WantedObject)
        if want.kind == "pod":
            return Looked(kind="pod", since=want.since, objects=self.heads)
        found = self.clusters.get(want.object)
        return Looked(kind=want.kind, since=want.since, objects=(found,) if found else ())

    def perform(self, act: Decided, action: Action) -> Outcome:
        self.done.append(action)
        match action:
            case CreateObject():
                return self._create(act, action)
            case DeleteObject():
                return self._delete(action)
            case PatchObject():
                return self._patch(action)
            case SubmitJob():
                return self._submit(action)
            case StopJob() | PostNotice():
                return self._note(action)
            case ConfirmObject():
                return Gone(resource_version=next(self.versions))
            case ConfigureServe():
                raise AssertionError("a RayJob serves nothing")

    def _note(self, action: StopJob | PostNotice) -> Outcome:
        if isinstance(action, StopJob):
            self.dashboard.stopped.append(action.job_id)
        else:
            self.notices.append(action)
        return Done()

    def _create(self, act: Decided, action: CreateObject) -> Outcome:
        if action.kind in self.refuses:
            return Refused(code=403, reason="Forbidden", message=self.refuses[action.kind])
        version = next(self.versions)
        manifest = act.manifests[action.manifest]
        if action.kind == "raycluster":
            made = cluster(action.name, dict(mapping_at(manifest, "spec")), version=version)
            self.clusters[action.name] = made
            self.sees_cluster(action.name)
            return Done(uid=made.meta.uid, resource_version=version)
        if action.kind == "job":
            self.submitter = submitter(version, made_at=self.now)
            self.sees(self.submitter)
            return Done(uid=self.submitter.meta.uid, resource_version=version)
        selector = texts_at(manifest, "spec", "selector")
        self.service = service(action.name, selector, version)
        self.sees(self.service)
        return Done(uid=self.service.meta.uid, resource_version=version)

    def _delete(self, action: DeleteObject) -> Outcome:
        if action.kind == "raycluster":
            return Gone(resource_version=self.remove_cluster(action.name))
        version = next(self.versions)
        if action.kind == "job":
            self.submitter = None
        else:
            self._remove_itself(version)
            return Done(uid=action.uid, resource_version=version, deleting=True)
        gone = ObjectGone(
            kind=action.kind, name=action.name, uid=action.uid, resource_version=version
        )
        self.sees(gone)
        return Gone(resource_version=version)

    def remove_cluster(self, name: str) -> int:
        """Somebody deletes a cluster: its head goes, with every job that it knew."""
        version = next(self.versions)
        seen = self.clusters.pop(name)
        self.heads = ()
        self.dashboard.begins_anew()
        if seen.meta.owners:
            self.sees(
                ObjectGone(
                    kind="raycluster", name=name, uid=seen.meta.uid, resource_version=version
                )
            )
        return version

    def _remove_itself(self, version: int) -> None:
        assert self.own is not None
        meta = replace(self.own.meta, deleted_at=self.now, resource_version=version)
        self.own = replace(self.own, meta=meta)
        self.sees(self.own)

    def _patch(self, action: PatchObject) -> Outcome:
        version = next(self.versions)
        if action.kind == "rayjob":
            return self._patch_itself(action, version)
        if action.kind == "raycluster":
            seen = self.clusters[action.name]
            meta = replace(seen.meta, resource_version=version)
            spec = {**seen.spec, **mapping_at(action.patch, "spec")}
            self.clusters[action.name] = replace(seen, meta=meta, spec=spec)
            self.sees_cluster(action.name)
        elif self.service is not None:
            selector = texts_at(action.patch, "spec", "selector")
            meta = replace(self.service.meta, resource_version=version)
            self.service = replace(self.service, meta=meta, selector=selector)
            self.sees(self.service)
        return Done(uid=action.uid, resource_version=version)

    def _patch_itself(self, action: PatchObject, version: int) -> Outcome:
        assert self.own is not None
        finalizers = mapping_at(action.patch, "metadata").get("finalizers")
        assert isinstance(finalizers, list)
        meta = replace(self.own.meta, resource_version=version, finalizers=tuple(finalizers))
        self.own = replace(self.own, meta=meta)
        if meta.deleted_at and not finalizers:
            self.own = None
            gone = ObjectGone(kind="rayjob", name=KEY.name, uid=UID, resource_version=version)
            self.append(subjects.own(KEY), gone)
        else:
            self.sees(self.own)
        return Done(uid=action.uid, resource_version=version, deleting=bool(meta.deleted_at))

    def _submit(self, action: SubmitJob) -> Outcome:
        if not self.dashboard.answers or self.dashboard.swallows:
            return Unknown(error="no answer in time")
        if self.dashboard.refuses:
            return Refused(code=400, reason="refused", message=self.dashboard.refuses)
        if action.job_id in self.dashboard.jobs:
            return AlreadySo(uid=action.job_id, resource_version=0)
        self.dashboard.submitted.append(action.job_id)
        self.dashboard.jobs[action.job_id] = JobTold(
            job_id=action.job_id,
            since=self.now,
            answer=told.FOUND,
            status="PENDING",
            started_at=self.now,
        )
        if self.dashboard.loses_answers:
            return Unknown(error="no answer in time")
        return Done(uid=action.job_id)

    def sees_cluster(self, name: str) -> None:
        """The watcher tells of a cluster under the RayJob, if it is the RayJob's."""
        seen = self.clusters[name]
        if seen.meta.owners:
            self.append(subjects.observed(self.key, "raycluster", name), seen)
