"""The sandbox in process as the three ports of `shared.ports.cluster`: no HTTP, no real time.

Made for simulations, those of what-if and those of tests: every call gives way to other tasks once,
faults are those of the cluster (`Cluster.faults`), and watches can be ended at will.
`tests/contract/test_cluster.py` holds it to the same promises as the adapter over HTTP.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from sandbox.cluster import Cluster
from sandbox.errors import AnswerLostError, ApiError
from sandbox.requests import Answer, Deletion, Request, Selection, Verb
from sandbox.watching import Subscription
from shared.kernel.manifests import text_at, uid_of
from shared.kube.errors import refusal
from shared.ports.cluster import (
    ClusterRefusal,
    ClusterUnavailable,
    Found,
    Happening,
    Kind,
    Listing,
    NotServed,
    Object,
)

Batch = tuple[Happening, ...]
NOT_FOUND, CONFLICT = 404, 409


class SandboxCluster:
    """`ClusterReader`, `ClusterWriter` and `StatusWriter` over one `Cluster`."""

    def __init__(self, cluster: Cluster, namespaces: Sequence[str] = ()) -> None:
        self.cluster = cluster
        self._namespaces = tuple(namespaces) or ("",)
        self._watches: dict[asyncio.Event, bool] = {}

    def end_watches(self) -> None:
        """End every open watch, as a server does from time to time."""
        for news in self._watches:
            self._watches[news] = True
            news.set()

    async def list(self, kind: Kind) -> Listing:
        """List all objects of a kind."""
        first, *others = self._namespaces
        answer = await self._ask(_list_of(kind, first))
        version = text_at(answer.body, "metadata", "resourceVersion")
        items = list(answer.items)
        for namespace in others:
            items.extend((await self._ask(_list_of(kind, namespace, exactly=version))).items)
        return Listing(resource_version=int(version), objects=tuple(items))

    @asynccontextmanager
    async def watch(self, kind: Kind, resource_version: int) -> AsyncIterator[AsyncIterator[Batch]]:
        """Watch a kind from a version on."""
        await asyncio.sleep(0)
        news = asyncio.Event()
        watches = [self._subscription(kind, each, resource_version) for each in self._namespaces]
        for each in watches:
            each.on_news(news.set)
        self._watches[news] = False
        try:
            yield self._batches(watches, news)
        finally:
            del self._watches[news]
            for each in watches:
                each.close()

    def _subscription(self, kind: Kind, namespace: str, resource_version: int) -> Subscription:
        selection = Selection(labels=kind.selector, revision=str(resource_version))
        request = _request("watch", kind, namespace, selection=selection)
        try:
            return self.cluster.watch(request)
        except ApiError as error:
            raise _translated(error) from error
        except AnswerLostError as error:
            raise ClusterUnavailable(str(error)) from error

    async def _batches(
        self, watches: Sequence[Subscription], news: asyncio.Event
    ) -> AsyncIterator[Batch]:
        while not self._watches[news]:
            news.clear()
            try:
                seen = [event for each in watches for event in each.poll()]
            except ApiError as error:
                raise _translated(error) from error
            if seen:
                yield tuple(Happening(type=event.type, object=event.object) for event in seen)
            await news.wait()

    async def look(self, kind: Kind, namespace: str, *, name: str, selector: str) -> Listing:
        """List some objects of a namespace."""
        fields = f"metadata.name={name}" if name else ""
        chosen = Selection(labels=selector, fields=fields)
        answer = await self._ask(_request("list", kind, namespace, selection=chosen))
        version = text_at(answer.body, "metadata", "resourceVersion")
        return Listing(resource_version=int(version), objects=tuple(answer.items))

    async def find(self, kind: Kind, namespace: str, name: str) -> Found:
        """Find one object, or that there is none."""
        request = _request(
            "list", kind, namespace, selection=Selection(fields=f"metadata.name={name}", limit=1)
        )
        answer = await self._ask(request)
        if answer.items:
            found = answer.items[0]
            version = int(text_at(found, "metadata", "resourceVersion"))
            return Found(object=found, resource_version=version)
        version = int(text_at(answer.body, "metadata", "resourceVersion"))
        return Found(object=None, resource_version=version)

    async def find_all(
        self, kind: Kind, namespace: str, labels: Mapping[str, str]
    ) -> AsyncIterator[Object]:
        """Find every object of a namespace that has these labels."""
        chosen = ",".join(f"{name}={value}" for name, value in labels.items())
        for found in (await self.look(kind, namespace, name="", selector=chosen)).objects:
            yield found

    async def create(self, kind: Kind, namespace: str, manifest: Object) -> Object:
        """Create an object."""
        return (await self._ask(_request("create", kind, namespace, body=_plain(manifest)))).body

    async def delete(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: int | None = None,
    ) -> Object | None:
        """Delete an object of a uid; None if it is gone."""
        version = None if resource_version is None else str(resource_version)
        deletion = Deletion(propagation="Background", uid=uid, revision=version)
        try:
            answer = await self._ask(
                _request("delete", kind, namespace, name=name, deletion=deletion)
            )
        except ClusterRefusal as refused:
            if refused.code == NOT_FOUND:
                return None
            if refused.code == CONFLICT and await self._is_gone(kind, namespace, name, uid):
                return None
            raise
        return None if answer.body.get("kind") == "Status" else answer.body

    async def _is_gone(self, kind: Kind, namespace: str, name: str, uid: str) -> bool:
        found = (await self.find(kind, namespace, name)).object
        return found is None or uid_of(found) != uid

    async def patch(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        """Patch an object."""
        request = _request(
            "patch",
            kind,
            namespace,
            name=name,
            body=_plain(patch),
            content_type="application/merge-patch+json",
        )
        return (await self._ask(request)).body

    async def write_status(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        """Patch the status of an object."""
        request = _request(
            "patch",
            kind,
            namespace,
            name=name,
            subresource="status",
            body=_plain(patch),
            content_type="application/merge-patch+json",
        )
        return (await self._ask(request)).body

    async def _ask(self, request: Request) -> Answer:
        await asyncio.sleep(0)
        try:
            return self.cluster.carry_out(request)
        except ApiError as error:
            if error.status == ApiError.unknown_resource().status:
                plural, _, group = request.resource.partition(".")
                version = f"{group}/{request.version}"
                raise NotServed(kind=plural, group_version=version) from error
            raise _translated(error) from error
        except AnswerLostError as error:
            raise ClusterUnavailable(str(error)) from error


def _list_of(kind: Kind, namespace: str, *, exactly: str = "") -> Request:
    selection = Selection(
        labels=kind.selector, revision=exactly, revision_match="Exact" if exactly else ""
    )
    return _request("list", kind, namespace, selection=selection)


def _request(verb: Verb, kind: Kind, namespace: str, **more: Any) -> Request:
    group, _, version = kind.api.removeprefix("/apis/").removeprefix("/api/").rpartition("/")
    resource = f"{kind.plural}.{group}" if group else kind.plural
    return Request(verb=verb, resource=resource, version=version, namespace=namespace, **more)


def _translated(error: ApiError) -> Exception:
    return refusal(error.code, {}, msgspec.json.encode(error.status))


def _plain(value: Object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
