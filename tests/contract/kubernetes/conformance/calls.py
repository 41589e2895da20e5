"""A conformance case as data: calls over HTTP, in order.

`$ns` stands for the namespace of the case wherever it occurs; `$0.metadata.uid` stands for a value
of the answer to the case's call number 0, counted from the first. Nothing here knows which server
it will be played on. Read next: playing.py, then any file of cases.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

Body: TypeAlias = Any

JSON = "application/json"
MERGE = "application/merge-patch+json"
OPERATIONS = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
NOBODY = "nobody"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
BARE = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
BARE_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request; `until` says which code ends a repetition, `bearer` whose token is shown."""

    method: str
    path: str
    query: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: Body = None
    media: str = JSON
    accept: str = JSON
    until: int = 0
    bearer: str = ""
    raw: bool = False
    only: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, under a name that says what it is about."""

    area: str
    name: str
    calls: tuple[Call, ...]

    @property
    def key(self) -> str:
        """The name under which answers are recorded."""
        return f"{self.area}: {self.name}"


def cases(area: str, **named: tuple[Call, ...]) -> tuple[Case, ...]:
    """Make the cases of one area; names are written with underscores."""
    return tuple(
        Case(area=area, name=name.replace("_", " "), calls=calls) for name, calls in named.items()
    )


def at(resource: str, name: str = "", sub: str = "", *, everywhere: bool = False) -> str:
    """Return the path of a resource: `pods`, or `jobs.batch/v1` where it has a group."""
    plural, _, rest = resource.partition(".")
    root = f"/apis/{rest}" if rest else "/api/v1"
    space = "" if everywhere else "/namespaces/$ns"
    return "/".join(part for part in (f"{root}{space}", plural, name, sub) if part)


def get(path: str, *, accept: str = JSON, until: int = 0, **query: str) -> Call:
    """Ask for an object or a list."""
    return Call(method="GET", path=path, query=_query(query), accept=accept, until=until)


def post(path: str, body: Body, **query: str) -> Call:
    """Create."""
    return Call(method="POST", path=path, query=_query(query), body=body)


def put(path: str, body: Body, **query: str) -> Call:
    """Replace."""
    return Call(method="PUT", path=path, query=_query(query), body=body)


def patch(path: str, body: Body, media: str = MERGE, **query: str) -> Call:
    """Change."""
    return Call(method="PATCH", path=path, query=_query(query), body=body, media=media)


def apply(path: str, body: Body, manager: str = "first", **query: str) -> Call:
    """Apply on the server."""
    return patch(path, body, APPLY, fieldManager=manager, **query)


def delete(path: str, body: Body = None, **query: str) -> Call:
    """Delete."""
    return Call(method="DELETE", path=path, query=_query(query), body=body)


def watch(path: str, *, accept: str = JSON, **query: str) -> Call:
    """Watch for one second, and answer with what was seen."""
    options = {"timeoutSeconds": "1", **query, "watch": "true"}
    return Call(method="GET", path=path, query=_query(options), accept=accept)


def raw(method: str, path: str, text: str, media: str = JSON, **query: str) -> Call:
    """Send a body as it stands."""
    return Call(method=method, path=path, query=_query(query), body=text, media=media, raw=True)


def by(bearer: str, call: Call) -> Call:
    """Ask with a token."""
    return msgspec.structs.replace(call, bearer=bearer)


def soon(code: int, call: Call) -> Call:
    """Ask until the answer has a code: what was written before may take a moment to be seen."""
    return msgspec.structs.replace(call, until=code)


def only(path: str, call: Call) -> Call:
    """Compare no more of the answer than what is at a path.

    `details.causes`, or with slashes where names have dots: `items/name=a.b/versions`.
    """
    return msgspec.structs.replace(call, only=path)


def _query(given: Mapping[str, str]) -> dict[str, str]:
    return {name.rstrip("_"): value for name, value in given.items()}
