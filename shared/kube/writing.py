"""Read one object, create, delete, write a status: what may be done to a single object.

Preconditions travel with the call, so that the API server itself refuses what is no longer meant.
A lost answer is `ClusterUnavailable`: it may have been done. Nothing is repeated here.
"""

from collections.abc import AsyncIterator, Mapping

import msgspec

from shared.kernel.manifests import text_at, uid_of
from shared.kube import paths
from shared.kube.discovery import explaining_absence
from shared.kube.projection import WHOLE, Page
from shared.kube.reading import version_in
from shared.kube.session import MERGE_PATCH, Call, Session
from shared.ports.cluster import (
    ClusterRefusal,
    ClusterUnavailable,
    ExpiredVersion,
    Found,
    Kind,
    Object,
)

_NOT_FOUND = 404
_CONFLICT = 409
_SMALL_PAGE = "50"
"""Whoever looks for one of many seldom needs a second page."""
_OBJECT = msgspec.json.Decoder(dict[str, object])


class KubeWriter:
    """`ClusterWriter` over HTTP."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def find(self, kind: Kind, namespace: str, name: str) -> Found:
        """Read one object; if it is not there, a list of one tells since which version."""
        async with explaining_absence(self._session, kind):
            return await self._found(kind, namespace, name)

    async def find_all(
        self, kind: Kind, namespace: str, labels: Mapping[str, str]
    ) -> AsyncIterator[Object]:
        """List what has these labels, from the quorum, in small pages."""
        chosen = ",".join(f"{name}={value}" for name, value in labels.items())
        parameters = {"labelSelector": chosen, "limit": _SMALL_PAGE}
        while True:
            call = Call(method="GET", path=paths.collection(kind, namespace), parameters=parameters)
            try:
                async with explaining_absence(self._session, kind):
                    page = _page(await self._session.read(call))
            except ExpiredVersion as late:
                raise ClusterUnavailable("the list expired between its pages") from late
            for one in page.items or ():
                yield one
            if not page.metadata.next:
                return
            parameters = {**parameters, "continue": page.metadata.next}

    async def _found(self, kind: Kind, namespace: str, name: str) -> Found:
        path = paths.single(kind, namespace, name)
        try:
            found = _decoded(await self._session.read(Call(method="GET", path=path)))
        except ClusterRefusal as refusal:
            if refusal.code != _NOT_FOUND:
                raise
            return await self._absent(kind, namespace, name)
        return Found(object=found, resource_version=_version(found))

    async def _absent(self, kind: Kind, namespace: str, name: str) -> Found:
        parameters = {"fieldSelector": f"metadata.name={name}", "limit": "1"}
        path = paths.collection(kind, namespace)
        body = await self._session.read(Call(method="GET", path=path, parameters=parameters))
        page = _page(body)
        if page.items:
            return Found(object=page.items[0], resource_version=_version(page.items[0]))
        return Found(object=None, resource_version=version_in(page.metadata.version))

    async def create(self, kind: Kind, namespace: str, manifest: Object) -> Object:
        """Create an object."""
        call = Call(method="POST", path=paths.collection(kind, namespace), body=manifest)
        async with explaining_absence(self._session, kind):
            return _decoded(await self._session.write(call))

    async def delete(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: int | None = None,
    ) -> Object | None:
        """Delete the object of this uid and let what it owns follow.

        What comes back without a deletionTimestamp was removed at once.
        """
        path = paths.single(kind, namespace, name)
        call = Call(method="DELETE", path=path, body=_options(uid, resource_version))
        try:
            answer = _decoded(await self._session.write(call))
        except ClusterRefusal as refusal:
            if refusal.code == _NOT_FOUND:
                return None
            if refusal.code == _CONFLICT and await self._is_gone(kind, namespace, name, uid):
                return None
            raise
        return None if answer.get("kind") == "Status" else answer

    async def patch(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        """Merge-patch the object; uid and resourceVersion in the patch's metadata must hold."""
        path = paths.single(kind, namespace, name)
        call = Call(method="PATCH", path=path, body=patch, content_type=MERGE_PATCH)
        return _decoded(await self._session.write(call))

    async def _is_gone(self, kind: Kind, namespace: str, name: str, uid: str) -> bool:
        found = (await self.find(kind, namespace, name)).object
        return found is None or uid_of(found) != uid


class KubeStatusWriter:
    """`StatusWriter` over HTTP."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def write_status(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        """Merge-patch the status; uid and resourceVersion in the patch's metadata must hold."""
        path = paths.status(kind, namespace, name)
        call = Call(method="PATCH", path=path, body=patch, content_type=MERGE_PATCH)
        return _decoded(await self._session.write(call))


def _options(uid: str, resource_version: int | None) -> Mapping[str, object]:
    version = {} if resource_version is None else {"resourceVersion": str(resource_version)}
    return {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "propagationPolicy": "Background",
        "preconditions": {"uid": uid, **version},
    }


def _decoded(body: bytes) -> Object:
    try:
        return _OBJECT.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise ClusterUnavailable("the answer is not a Kubernetes object") from problem


def _page(body: bytes) -> Page[Object]:
    try:
        page: Page[Object] = WHOLE.page.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise ClusterUnavailable("the answer is not a list") from problem
    return page


def _version(found: Object) -> int:
    return version_in(text_at(found, "metadata", "resourceVersion"))
