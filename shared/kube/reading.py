"""List a kind, consistently, page by page; then hand over to `watching.py`.

The first page is read from the quorum and fixes the version; the others continue it. When the
version expires between two pages the list starts again: half a list is never given. With several
namespaces the others are read at exactly the version of the first: it is one list.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

import msgspec

from shared.kube import paths
from shared.kube.discovery import explaining_absence
from shared.kube.projection import WHOLE, Page, projection_of
from shared.kube.session import Call, Session
from shared.kube.watching import watch_all, watch_one
from shared.ports.cluster import (
    ClusterUnavailable,
    ExpiredVersion,
    Happening,
    Kind,
    Listing,
    Object,
)

_PAGE = "500"
_ATTEMPTS = 3
EVERYWHERE = ("",)


class KubeReader:
    """`ClusterReader` over HTTP, for some namespaces or for all of them."""

    def __init__(self, session: Session, namespaces: Sequence[str] = ()) -> None:
        self._session = session
        self._namespaces = tuple(dict.fromkeys(namespaces)) or EVERYWHERE

    async def list(self, kind: Kind) -> Listing:
        """List a kind in all watched namespaces; `NotServed` if the cluster has no such kind."""
        for _ in range(_ATTEMPTS):
            try:
                async with explaining_absence(self._session, kind):
                    return await self._list_once(kind)
            except ExpiredVersion:
                continue
        raise ClusterUnavailable(f"the list of {kind.plural} expired between its pages")

    async def _list_once(self, kind: Kind) -> Listing:
        first, *others = self._namespaces
        listing = await self._pages(kind, first, {})
        version = listing.resource_version
        exactly = {"resourceVersion": str(version), "resourceVersionMatch": "Exact"}
        objects = list(listing.objects)
        for namespace in others:
            objects.extend((await self._pages(kind, namespace, exactly)).objects)
        return Listing(resource_version=version, objects=tuple(objects))

    async def _pages(self, kind: Kind, namespace: str, version: Mapping[str, str]) -> Listing:
        objects: list[Object] = []
        selector = {"labelSelector": kind.selector} if kind.selector else {}
        parameters = {"limit": _PAGE, **selector, **version}
        path = paths.collection(kind, namespace)
        while True:
            call = Call(method="GET", path=path, parameters=parameters)
            body = await self._session.read(call, seconds=self._session.limits.page_seconds)
            page = _decoded(kind, body)
            objects.extend(page.items or ())
            if not page.metadata.next:
                at = version_in(page.metadata.version)
                return Listing(resource_version=at, objects=tuple(objects))
            parameters = {"limit": _PAGE, **selector, "continue": page.metadata.next}

    def watch(
        self, kind: Kind, resource_version: int
    ) -> AbstractAsyncContextManager[AsyncIterator[tuple[Happening, ...]]]:
        """Follow a kind in all watched namespaces."""
        if len(self._namespaces) == 1:
            return watch_one(self._session, kind, self._namespaces[0], resource_version)
        return watch_all(self._session, kind, self._namespaces, resource_version)

    async def look(self, kind: Kind, namespace: str, *, name: str, selector: str) -> Listing:
        """Read some objects of one namespace from the server's cache: cheap, and good enough.

        A cache may lag behind: that there is nothing is believed only from the quorum.
        """
        cached = await self._look(kind, namespace, name, selector, {"resourceVersion": "0"})
        return cached if cached.objects else await self._look(kind, namespace, name, selector, {})

    async def _look(
        self, kind: Kind, namespace: str, name: str, selector: str, version: Mapping[str, str]
    ) -> Listing:
        parameters = dict(version)
        if selector:
            parameters["labelSelector"] = selector
        if name:
            parameters["fieldSelector"] = f"metadata.name={name}"
        path = paths.collection(kind, namespace)
        async with explaining_absence(self._session, kind):
            call = Call(method="GET", path=path, parameters=parameters)
            page = _decoded(kind, await self._session.read(call))
        at = version_in(page.metadata.version)
        return Listing(resource_version=at, objects=tuple(page.items or ()))


def _decoded(kind: Kind, body: bytes) -> Page[Object]:
    try:
        page: Page[Object] = projection_of(kind).page.decode(body)
    except msgspec.ValidationError:
        return _decoded_whole(kind, body)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise ClusterUnavailable(f"the list of {kind.plural} is not JSON") from problem
    return page


def _decoded_whole(kind: Kind, body: bytes) -> Page[Object]:
    try:
        page: Page[Object] = WHOLE.page.decode(body)
    except msgspec.ValidationError as problem:
        raise ClusterUnavailable(f"the list of {kind.plural} is not a list") from problem
    return page


def version_in(text: str) -> int:
    """Read the version of a list; an answer without one tells nothing."""
    if not text.isdigit():
        raise ClusterUnavailable("the list has no resourceVersion")
    return int(text)
