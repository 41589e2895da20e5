"""The world of one RayService: clusters with heads and dashboards, services, endpoints.

Actions are carried out on it and questions answered from it, as executor and asker would; what
changes is told to the history at once. A head that was told what to run is well and deploys; the
test says when applications run.
"""

from dataclasses import dataclass, field

import yaml
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.actions.objects import (
    Action,
    ConfigureServe,
    ConfirmObject,
    CreateObject,
    DeleteObject,
    PatchObject,
    PostNotice,
)
from shared.actions.outcomes import Done, Gone, Outcome, Refused, Unknown
from shared.events import subjects, told
from shared.events.decisions import Decided
from shared.events.objects import ChildSeen, ObjectGone, ResourceSeen, ServiceSeen
from shared.events.told import (
    ApplicationTold,
    HealthTold,
    ServeTold,
    Told,
    Want,
    WantedHealth,
    WantedServe,
)
from shared.kernel.manifests import mapping_at, texts_at
from tests.support.builders import CONTEXT, Raw
from tests.support.foldedhistory import FoldedHistory, Living, Numbers
from tests.support.rayservices import KEY, UID, cluster, endpoints, leading, rayservice


@dataclass
class Head(Living):
    """One cluster's head: its pod, and the dashboard and Serve in it."""

    pod: str
    ip: str
    label: str = "false"
    ready: bool = True
    well: bool = False
    workers: int = 0
    """Workers that take requests."""
    silent: bool = False
    """Whether the proxy keeps whoever asks whether it is well waiting."""
    answers: bool = True
    failure: str = ""
    """What Ray says to every configuration, if it refuses; `lost` for no answer at all."""
    apps: dict[str, str] = field(default_factory=dict)


class ServiceWorld(FoldedHistory):
    """What there is of a RayService."""

    def __init__(self, spec: Raw, context: Context = CONTEXT) -> None:
        super().__init__(KEY, UID)
        self.context = context
        self.versions = Numbers(10)
        self.addresses = Numbers(1)
        self.own: ResourceSeen | None = rayservice(spec, version=next(self.versions))
        self.clusters: dict[str, ResourceSeen] = {}
        self.heads: dict[str, Head] = {}
        self.services: dict[str, ServiceSeen] = {}
        self.slices: dict[str, tuple[str, ...]] = {}
        self.refuses: dict[str, str] = {}
        """Kinds whose creation the API server refuses, and in which words."""
        self.held: set[str] = set()
        """Clusters that somebody's finalizer keeps."""
        self.starts = "DEPLOYING"
        """How applications are right after Serve was told of them."""
        self.done: list[Action] = []
        """Everything that was carried out, in order."""
        self.configured: list[tuple[str, Raw]] = []
        """What Serve accepted, on which cluster."""
        self.notices: list[PostNotice] = []
        self.sees(self.own)

    # Questions.

    def answer(self, want: Want) -> Told | None:
        head = self.heads.get(want.name.partition("-")[2])
        if isinstance(want, WantedServe):
            if head is None or not head.answers or not head.ready:
                return ServeTold(since=want.since, answer=told.FAILED, failure="unreachable")
            apps = {name: ApplicationTold(status=status) for name, status in head.apps.items()}
            return ServeTold(since=want.since, answer=told.FOUND, applications=apps)
        assert isinstance(want, WantedHealth)
        there = head if head is not None and head.ready and head.ip == want.ip else None
        silent = there is not None and there.silent
        well = there is not None and there.well and not silent
        return HealthTold(since=want.since, pod=want.pod, ip=want.ip, healthy=well, silent=silent)

    # Actions.

    def perform(self, act: Decided, action: Action) -> Outcome:
        self.done.append(action)
        match action:
            case CreateObject():
                return self._create(act, action)
            case DeleteObject():
                return self._delete(action)
            case PatchObject():
                return self._patch(action)
            case ConfigureServe():
                return self._configure(action)
            case PostNotice():
                self.notices.append(action)
                return Done()
            case ConfirmObject():
                return Gone(resource_version=next(self.versions))
            case _:
                raise AssertionError(f"a RayService has no use for {action}")

    def _create(self, act: Decided, action: CreateObject) -> Outcome:
        if action.kind in self.refuses:
            return Refused(code=403, reason="Forbidden", message=self.refuses[action.kind])
        version = next(self.versions)
        manifest = act.manifests[action.manifest]
        if action.kind == "raycluster":
            made = cluster(action.name, manifest, version=version)
            self.clusters[action.name] = made
            self.sees_cluster(action.name)
            return Done(uid=made.meta.uid, resource_version=version)
        selector = texts_at(manifest, "spec", "selector")
        self.services[action.name] = leading(action.name, selector, version)
        self.sees(self.services[action.name])
        return Done(uid=self.services[action.name].meta.uid, resource_version=version)

    def _delete(self, action: DeleteObject) -> Outcome:
        if action.kind == "raycluster":
            return self.remove_cluster(action.name)
        version = next(self.versions)
        living = self.services.pop(action.name)
        self._sees_gone("service", action.name, living.meta.uid, version)
        self._sees_gone("endpointslice", f"{action.name}-slice", "uid", version)
        self.slices.pop(action.name, None)
        return Gone(resource_version=version)

    def remove_cluster(self, name: str) -> Outcome:
        """Somebody deletes a cluster: its head goes, and it itself unless it is held."""
        version = next(self.versions)
        self.heads.pop(name, None)
        seen = self.clusters[name]
        if name in self.held:
            meta = replace(seen.meta, deleted_at=self.now, resource_version=version)
            self.clusters[name] = replace(seen, meta=meta)
            self.sees_cluster(name)
            return Done(uid=seen.meta.uid, resource_version=version, deleting=True)
        del self.clusters[name]
        self._sees_gone("raycluster", name, seen.meta.uid, version)
        return Gone(resource_version=version)

    def _sees_gone(self, kind: str, name: str, uid: str, version: int) -> None:
        self.sees(ObjectGone(kind=kind, name=name, uid=uid, resource_version=version))

    def _patch(self, action: PatchObject) -> Outcome:
        version = next(self.versions)
        match action.kind:
            case "rayservice":
                return self._patch_itself(action, version)
            case "raycluster":
                return self._patch_cluster(action, version)
            case "pod":
                return self._label(action, version)
            case _:
                living = self.services[action.name]
                selector = texts_at(action.patch, "spec", "selector")
                meta = replace(living.meta, resource_version=version)
                self.services[action.name] = replace(living, meta=meta, selector=selector)
                self.sees(self.services[action.name])
                return Done(uid=action.uid, resource_version=version)

    def _label(self, action: PatchObject, version: int) -> Outcome:
        label = texts_at(action.patch, "metadata", "labels")["ray.io/serve"]
        heads = {
            head.pod: head
            for name, head in self.heads.items()
            if self.clusters[name].meta.uid == action.owner
        }
        if action.name not in heads:
            return Gone(resource_version=version)
        heads[action.name].label = label
        return Done(uid=f"uid-of-{action.name}", resource_version=version)

    def _patch_cluster(self, action: PatchObject, version: int) -> Outcome:
        seen = self.clusters[action.name]
        if action.resource_version not in (None, seen.meta.resource_version):
            return Refused(code=409, reason="Conflict", message="it was changed meanwhile")
        annotations = {**seen.meta.annotations, **texts_at(action.patch, "metadata", "annotations")}
        meta = replace(seen.meta, resource_version=version, annotations=annotations)
        spec = {**seen.spec, **mapping_at(action.patch, "spec")}
        self.clusters[action.name] = replace(seen, meta=meta, spec=spec)
        self.sees_cluster(action.name)
        return Done(uid=action.uid, resource_version=version)

    def _patch_itself(self, action: PatchObject, version: int) -> Outcome:
        assert self.own is not None
        finalizers = mapping_at(action.patch, "metadata").get("finalizers")
        assert isinstance(finalizers, list)
        meta = replace(self.own.meta, resource_version=version, finalizers=tuple(finalizers))
        self.own = replace(self.own, meta=meta)
        if meta.deleted_at and not finalizers:
            self.own = None
            gone = ObjectGone(kind="rayservice", name=KEY.name, uid=UID, resource_version=version)
            self.append(subjects.own(KEY), gone)
        else:
            self.sees(self.own)
        return Done(uid=action.uid, resource_version=version, deleting=bool(meta.deleted_at))

    def _configure(self, action: ConfigureServe) -> Outcome:
        head = self.heads.get(action.cluster)
        if head is None or not head.ready or not head.answers:
            return Refused(code=0, reason="unreachable", message="nobody answers there")
        if head.failure == "lost":
            return Unknown(error="500: it broke")
        if head.failure:
            return Refused(code=400, reason="refused", message=head.failure)
        self.configured.append((action.cluster, action.config))
        wished = yaml.safe_load(yaml.safe_dump(action.config)).get("applications") or []
        head.apps = {one["name"]: head.apps.get(one["name"], self.starts) for one in wished}
        head.well = True
        return Done(uid=action.digest)

    # Sights.

    def sees_cluster(self, name: str) -> None:
        """The watcher tells of a cluster under its RayService."""
        self.append(subjects.observed(self.key, "raycluster", name), self.clusters[name])

    def pods_behind(self, name: str) -> tuple[str, ...]:
        """The pods of a cluster that a serve service would lead to."""
        head = self.heads.get(name)
        if head is None:
            return ()
        by_head = (head.pod,) if head.ready and head.label == "true" else ()
        return (*by_head, *(f"{name}-worker-{each}" for each in range(head.workers)))

    def endpoints_follow(self) -> None:
        """The endpoints of serve services follow labels and selectors."""
        for name, living in self.services.items():
            if living.selector.get("ray.io/serve") != "true":
                continue
            pods = self.pods_behind(living.selector["ray.io/cluster"])
            if self.slices.get(name) != pods:
                self.slices[name] = pods
                seen: ChildSeen = endpoints(name, pods, next(self.versions))
                self.sees(seen)
