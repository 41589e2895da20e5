"""Carry out one action and say what came of it.

Every call is safe to repeat: names are fixed, "already exists and is ours" is done, deletions name
the uid and are made only if the resource owns the object. A lost answer is `Unknown`; it is
resolved by reading in a later act, never by guessing. Where nothing can have been changed, because
no call got so far, the API server's trouble is a refusal: it is told, and waits like one.
"""

from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from secrets import token_bytes
from typing import assert_never

from services.executor.finding import Finder, Job, gone, version_in
from services.executor.holding import Abandoned
from services.executor.jobs import at_dashboard
from services.executor.notices import event_manifest
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
from shared.actions.outcomes import (
    NOBODY_READY,
    UNAVAILABLE,
    UNREADY,
    AlreadySo,
    Done,
    Gone,
    Occupied,
    Outcome,
    Refused,
    Unknown,
)
from shared.dashboard.nowhere import NOWHERE
from shared.kernel.manifests import mapping_at, text_at, thawed
from shared.kube.kinds import EVENT, KINDS
from shared.ports.clock import Clock
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, ClusterWriter, Object
from shared.ports.dashboard import Dashboard
from shared.runtime.retry import AT_ONCE, retry

ACT_ANNOTATION = "heliograph.dev/act"
RULE_ANNOTATION = "heliograph.dev/rule"
ALREADY_EXISTS = "AlreadyExists"
SECRET_BYTES = 32
WITHHELD = "(withheld)"
CHANGES = (CreateObject, DeleteObject, PatchObject)


def _freely() -> None:
    """Let every call begin."""


class Calls:
    """The calls of one action: whether one may begin, and whether any may have changed a thing."""

    def __init__(self, check: Callable[[], None], secrets: Mapping[str, str]) -> None:
        self.check = check
        self.changed_nothing = True
        self.secrets = secrets
        """Values of the Secret that is to be made, by their keys."""

    def told(self, words: str) -> str:
        """Return what the API server said, without any value of a Secret that it quotes."""
        for value in self.secrets.values():
            for shape in (value, b64encode(value.encode()).decode()):
                words = words.replace(shape, WITHHELD)
        return words

    @asynccontextmanager
    async def change(self) -> AsyncIterator[None]:
        """Begin a call that changes something; only one that certainly did not leaves no doubt."""
        self.check()
        before, self.changed_nothing = self.changed_nothing, False
        try:
            yield
        except ClusterUnavailable as problem:
            self.changed_nothing = before and problem.undone
            raise
        except ClusterRefusal:
            self.changed_nothing = before
            raise


class Performer(Finder):
    """Carries out actions against one cluster, and at the dashboards of the Ray clusters in it."""

    def __init__(
        self, cluster: ClusterWriter, clock: Clock, dashboard: Dashboard = NOWHERE
    ) -> None:
        super().__init__(cluster)
        self._cluster = cluster
        self._dashboard = dashboard
        self._clock = clock

    async def perform(
        self, job: Job, action: Action, *, check: Callable[[], None] = _freely
    ) -> Outcome:
        """Do it; every answer of the API server, and none, is an outcome.

        `check` is called before every call that changes something, and raises `Abandoned` when none
        may begin any more: what the calls before it did is unknown then.
        """
        calls = Calls(check, _drawn(action))
        try:
            return await self._do(job, action, calls)
        except Abandoned as problem:
            return Unknown(error=str(problem))
        except ClusterUnavailable as problem:
            if calls.changed_nothing and isinstance(action, CHANGES):
                return Refused(code=0, reason=UNAVAILABLE, message=calls.told(str(problem)))
            return Unknown(error=calls.told(str(problem)))
        except ClusterRefusal as refusal:
            if not calls.changed_nothing:
                return Unknown(error=calls.told(str(refusal)))
            message = calls.told(refusal.message)
            return Refused(code=refusal.code, reason=refusal.reason, message=message)

    async def _do(self, job: Job, action: Action, calls: Calls) -> Outcome:
        match action:
            case CreateObject():
                return await self._create(job, action, calls)
            case DeleteObject():
                return await self._delete(job, action, calls)
            case PatchObject():
                return await self._patch(job, action, calls)
            case ConfirmObject():
                return await self.find(job, action.kind, action.name)
            case PostNotice():
                return await self._post(job, action)
            case SubmitJob() | StopJob() | ConfigureServe():
                calls.check()
                return await at_dashboard(self._dashboard, job.key, action)
            case _:
                assert_never(action)

    async def _create(self, job: Job, action: CreateObject, calls: Calls) -> Outcome:
        manifest = {**complete(job, action), **_values(calls.secrets)}

        async def create() -> Object:
            async with calls.change():
                return await self._cluster.create(KINDS[action.kind], job.key.namespace, manifest)

        try:
            stored = await retry(AT_ONCE, create, on=ClusterUnavailable)
        except ClusterRefusal as refusal:
            if refusal.reason != ALREADY_EXISTS:
                raise
            calls.changed_nothing = False
            found = await self.find(job, action.kind, action.name)
            if action.may_be_there and isinstance(found, Occupied):
                return AlreadySo(uid=found.uid, resource_version=found.resource_version)
            return Unknown(error="it came and went") if isinstance(found, Gone) else found
        return Done(uid=text_at(stored, "metadata", "uid"), resource_version=version_in(stored))

    async def _delete(self, job: Job, action: DeleteObject, calls: Calls) -> Outcome:
        found = await self.find(job, action.kind, action.name)
        if not isinstance(found, AlreadySo) or found.uid != action.uid:
            return gone(found)
        if found.deleting:
            return found
        async with calls.change():
            left = await self._cluster.delete(
                KINDS[action.kind],
                job.key.namespace,
                action.name,
                uid=action.uid,
                resource_version=action.resource_version,
            )
        if left is not None:
            return Done(uid=action.uid, resource_version=version_in(left), deleting=True)
        after = await self.find(job, action.kind, action.name)
        if isinstance(after, Gone):
            return Done(uid=action.uid, resource_version=after.resource_version, deleting=True)
        return after

    async def _patch(self, job: Job, action: PatchObject, calls: Calls) -> Outcome:
        found = await self.find(job, action.kind, action.name, owner=action.owner)
        if not isinstance(found, AlreadySo) or (action.uid and found.uid != action.uid):
            return gone(found)
        if action.provided and not await self.any_ready(job, action.provided):
            chosen = ", ".join(f"{name}={value}" for name, value in action.provided.items())
            message = f"{UNREADY}no pod with {chosen} is ready"
            return Refused(code=0, reason=NOBODY_READY, message=message)
        version = action.resource_version
        metadata = {
            **mapping_at(action.patch, "metadata"),
            "uid": found.uid,
            **({"resourceVersion": str(version)} if version is not None else {}),
        }
        patch = {**action.patch, "metadata": metadata}
        async with calls.change():
            stored = await self._cluster.patch(
                KINDS[action.kind], job.key.namespace, action.name, patch
            )
        return Done(
            uid=found.uid,
            resource_version=version_in(stored),
            deleting=bool(text_at(stored, "metadata", "deletionTimestamp")),
        )

    async def _post(self, job: Job, action: PostNotice) -> Outcome:
        manifest = event_manifest(job.key, job.uid, action, job.act.id, self._clock.now())
        try:
            await self._cluster.create(EVENT, job.key.namespace, manifest)
        except ClusterRefusal as refusal:
            if refusal.reason != ALREADY_EXISTS:
                raise
        return Done()


def complete(job: Job, action: CreateObject) -> Object:
    """Return the manifest of one object: the act's, with what differs and who asked for it."""
    manifest = thawed(job.act.manifests[action.manifest])
    metadata = dict(mapping_at(manifest, "metadata"))
    metadata["name"] = action.name
    metadata["namespace"] = job.key.namespace
    metadata["labels"] = {**_texts(metadata.get("labels")), **action.labels}
    metadata["annotations"] = {
        **_texts(metadata.get("annotations")),
        ACT_ANNOTATION: job.act.id,
        RULE_ANNOTATION: action.rule,
    }
    return {**manifest, "metadata": metadata}


def _drawn(action: Action) -> dict[str, str]:
    """Draw the values of a Secret: they are in no act, and are told to nobody but Kubernetes."""
    keys = action.secret_keys if isinstance(action, CreateObject) else ()
    return {key: b64encode(token_bytes(SECRET_BYTES)).decode() for key in keys}


def _values(secrets: Mapping[str, str]) -> dict[str, object]:
    return {"stringData": secrets} if secrets else {}


def _texts(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
