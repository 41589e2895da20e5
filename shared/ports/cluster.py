"""Kubernetes as services see it: list, watch, read, create, delete, write a status.

Narrow ports, one for each right that a service may hold: `ClusterReader` (watcher), `ClusterWriter`
(executor; `ObjectFinder` if it only looks on), `StatusWriter` (status). Adapters: `shared.kube`
over HTTP and the sandbox in process. A failed read raises `ClusterUnavailable`; it is never an
empty answer.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from msgspec import Struct

Object = Mapping[str, object]
"""A raw Kubernetes object."""


class ClusterUnavailable(Exception):  # noqa: N818 - a state of the world, not a programming error
    """No answer, or an answer that tells nothing: what happened is unknown.

    `undone` if nothing can have been changed: the call never arrived, or the server turned it away
    before looking at it.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, undone: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.undone = undone


class ClusterRefusal(Exception):  # noqa: N818 - an answer of the API server
    """The API server answered with an error of its own."""

    def __init__(self, *, code: int, reason: str, message: str) -> None:
        super().__init__(f"{code} {reason}: {message}")
        self.code = code
        self.reason = reason
        self.message = message


class NotServed(ClusterRefusal):
    """The API server has no such kind: its definition is missing, or of another version."""

    def __init__(self, *, kind: str, group_version: str) -> None:
        super().__init__(
            code=404,
            reason="NotServed",
            message=f"the cluster serves no {kind} of {group_version}: "
            "is its definition installed, in this version?",
        )


class ExpiredVersion(Exception):  # noqa: N818 - an answer of the API server
    """The resourceVersion is too old to watch from: list again."""


class Kind(Struct, frozen=True, kw_only=True):
    """How to reach one kind of object. `name` is our word for it: lower case, singular."""

    name: str
    api: str
    """`/api/v1` or `/apis/<group>/<version>`."""
    plural: str
    selector: str = ""
    """Server-side label selector for lists and watches."""


class Listing(Struct, frozen=True, kw_only=True):
    """A consistent list of one kind."""

    resource_version: int
    objects: tuple[Object, ...]


class Happening(Struct, frozen=True, kw_only=True):
    """One watch event: ADDED, MODIFIED, DELETED with the raw object, or BOOKMARK."""

    type: str
    object: Object


class ClusterReader(Protocol):
    """What the watcher may do."""

    async def list(self, kind: Kind) -> Listing:
        """List a kind in all watched namespaces, consistently, page by page.

        Raise `NotServed` if the cluster has no such kind; only the API server's word for it counts.
        """
        ...

    def watch(
        self, kind: Kind, resource_version: int
    ) -> AbstractAsyncContextManager[AsyncIterator[tuple[Happening, ...]]]:
        """Follow a kind from a version on, in batches; raise `ExpiredVersion` when it is too old.

        Ends normally when the server ends the watch: watch again from the last version.
        """
        ...

    async def look(self, kind: Kind, namespace: str, *, name: str, selector: str) -> Listing:
        """Read some objects of one namespace, as the server has them at hand.

        One by its name, or all that a label selector chooses. A failed read raises.
        """
        ...


class Found(Struct, frozen=True, kw_only=True):
    """The object, or None as of a resourceVersion."""

    object: Object | None
    resource_version: int


class ObjectFinder(Protocol):
    """What an executor may do that only looks on. Refusals are raised as `ClusterRefusal`."""

    async def find(self, kind: Kind, namespace: str, name: str) -> Found:
        """Read one object consistently; absence comes with the version it was true at."""
        ...

    def find_all(
        self, kind: Kind, namespace: str, labels: Mapping[str, str]
    ) -> AsyncIterator[Object]:
        """Read consistently the objects of a namespace that have these labels, page by page."""
        ...


class ClusterWriter(ObjectFinder, Protocol):
    """What the executor may do."""

    async def create(self, kind: Kind, namespace: str, manifest: Object) -> Object:
        """Create an object and return it as stored."""
        ...

    async def delete(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: int | None = None,
    ) -> Object | None:
        """Delete the object of this uid; return it as it stands then, None if it is gone."""
        ...

    async def patch(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        """Merge a change into an object; uid and resourceVersion in its metadata must hold."""
        ...


class StatusWriter(Protocol):
    """What the status service may do."""

    async def write_status(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        """Merge-patch the status subresource; metadata in the patch is the precondition."""
        ...
