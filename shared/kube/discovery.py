"""Whether the cluster serves a kind, asked of the API server's own lists.

A path under which nothing is served is answered like a stranger would answer, so a 404 alone proves
nothing. The list of groups and the list of a group's resources are Kubernetes' own documents: only
what they leave out is told as `NotServed`. Asked after a failure, never before a call.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, TypeVar

import msgspec

from shared.kube.errors import NothingThere
from shared.kube.session import Call, Session
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, Kind, NotServed

_NOT_FOUND = 404
_GROUPS = "/apis"


class _Version(msgspec.Struct, frozen=True, rename="camel"):
    group_version: str = ""


class _Group(msgspec.Struct, frozen=True):
    versions: tuple[_Version, ...] = ()


class _Groups(msgspec.Struct, frozen=True):
    kind: Literal["APIGroupList"]
    groups: tuple[_Group, ...]


class _Resource(msgspec.Struct, frozen=True):
    name: str = ""


class _Resources(msgspec.Struct, frozen=True):
    kind: Literal["APIResourceList"]
    resources: tuple[_Resource, ...]


_Document = TypeVar("_Document", _Groups, _Resources)


@asynccontextmanager
async def explaining_absence(session: Session, kind: Kind) -> AsyncIterator[None]:
    """Raise `NotServed` instead of a 404 if the API server does not name the kind."""
    try:
        yield
    except (NothingThere, ClusterRefusal) as problem:
        if isinstance(problem, ClusterRefusal) and problem.code != _NOT_FOUND:
            raise
        if await _is_missing(session, kind):
            raise NotServed(kind=kind.plural, group_version=_group_version(kind)) from problem
        raise


async def _is_missing(session: Session, kind: Kind) -> bool:
    """Whether Kubernetes itself leaves the kind out; without its word it may be there."""
    if not kind.api.startswith(f"{_GROUPS}/"):
        return False
    try:
        groups = await _read(session, _GROUPS, _Groups)
        named = {one.group_version for group in groups.groups for one in group.versions}
        if _group_version(kind) not in named:
            return True
        resources = await _read(session, kind.api, _Resources)
    except (ClusterUnavailable, ClusterRefusal):
        return False
    return kind.plural not in {resource.name for resource in resources.resources}


async def _read(session: Session, path: str, shape: type[_Document]) -> _Document:
    body = await session.read(Call(method="GET", path=path))
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise ClusterUnavailable(f"{path} is not a list of Kubernetes'") from problem


def _group_version(kind: Kind) -> str:
    return kind.api.removeprefix(f"{_GROUPS}/")
