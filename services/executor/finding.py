"""Look for one object and say whether it is there, and whether it is the resource's own.

Nothing is changed here: an executor that only looks on (`shadow.py`) can do this and no more.
"""

from collections.abc import Mapping

from msgspec import Struct

from shared.actions.objects import Action, CreateObject, DeleteObject
from shared.actions.outcomes import AlreadySo, Gone, Occupied, Outcome, Unknown
from shared.events.decisions import Decided
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import controller_of, entries_at, text_at
from shared.kube.kinds import KINDS
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, Found, Object, ObjectFinder
from shared.runtime.retry import BRIEFLY, retry

Presence = AlreadySo | Occupied | Gone


class Job(Struct, frozen=True, kw_only=True):
    """An act in hand: whose it is and what it says."""

    key: ResourceKey
    uid: str
    act: Decided


class Finder:
    """Reads objects of one cluster."""

    def __init__(self, cluster: ObjectFinder) -> None:
        self._finder = cluster

    async def read(self, job: Job, action: Action) -> Outcome | None:
        """Say what an earlier hand may have done of an action that is not done now."""
        match action:
            case CreateObject():
                found = await self._look(job, action.kind, action.name)
                return found if isinstance(found, AlreadySo | Unknown) else None
            case DeleteObject():
                found = await self._look(job, action.kind, action.name)
                if isinstance(found, AlreadySo) and found.uid == action.uid:
                    return found if found.deleting else None
                return found if isinstance(found, Unknown) else gone(found)
            case _:
                return None

    async def _look(self, job: Job, kind: str, name: str) -> Presence | Unknown:
        try:
            return await self.find(job, kind, name)
        except (ClusterUnavailable, ClusterRefusal) as problem:
            return Unknown(error=str(problem))

    async def find(self, job: Job, kind: str, name: str, *, owner: str = "") -> Presence:
        """Say whether an object is there, and whether the resource, or that owner, controls it."""
        found = await self.fetch(job, kind, name)
        if found.object is None:
            return Gone(resource_version=found.resource_version)
        uid = text_at(found.object, "metadata", "uid")
        version = version_in(found.object)
        itself = (kind, name, uid) == (job.key.kind, job.key.name, job.uid)
        if not itself and text_at(controller_of(found.object), "uid") != (owner or job.uid):
            told = f"{kind} {name} exists and belongs to something else"
            return Occupied(uid=uid, resource_version=version, message=told)
        deleting = bool(text_at(found.object, "metadata", "deletionTimestamp"))
        return AlreadySo(uid=uid, resource_version=version, deleting=deleting)

    async def any_ready(self, job: Job, labels: Mapping[str, str]) -> bool:
        """Say whether a pod with these labels is ready now, and not on its way out.

        Asked once: what is decided by the answer must not be late.
        """
        async for pod in self._finder.find_all(KINDS["pod"], job.key.namespace, labels):
            if _ready(pod):
                return True
        return False

    async def fetch(self, job: Job, kind: str, name: str) -> Found:
        """Read an object as it stands."""
        return await retry(
            BRIEFLY,
            lambda: self._finder.find(KINDS[kind], job.key.namespace, name),
            on=ClusterUnavailable,
        )


def _ready(pod: Object) -> bool:
    return not text_at(pod, "metadata", "deletionTimestamp") and any(
        text_at(one, "type") == "Ready" and text_at(one, "status") == "True"
        for one in entries_at(pod, "status", "conditions")
    )


def version_in(stored: Object) -> int:
    """Return an object's resourceVersion as a number."""
    text = text_at(stored, "metadata", "resourceVersion")
    return int(text) if text.isdigit() else 0


def gone(found: Presence) -> Gone:
    """Say of an object that is not there, or is another one now, since when."""
    return Gone(resource_version=found.resource_version)
