"""What a client asks for, as one value: the same whether it came over HTTP or in process.

Everything that must know about a request before it is carried out (faults today; access rules,
audits) looks at this value alone. Read next: cluster.py, where it is carried out.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from sandbox.objects import Object

Verb: TypeAlias = Literal[
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"
]
Propagation: TypeAlias = Literal["", "Background", "Foreground", "Orphan"]
FieldValidation: TypeAlias = Literal["Ignore", "Warn", "Strict"]

WRITING: frozenset[Verb] = frozenset(("create", "update", "patch", "delete", "deletecollection"))


class Selection(Struct, frozen=True, kw_only=True):
    """Which objects of a collection are meant, and how many at once."""

    labels: str = ""
    fields: str = ""
    limit: int = 0
    continue_: str = ""
    revision: str = ""
    revision_match: str = ""


class Deletion(Struct, frozen=True, kw_only=True):
    """How an object should go, and under which conditions."""

    propagation: Propagation = ""
    grace_seconds: int | None = None
    uid: str | None = None
    revision: str | None = None


class Request(Struct, frozen=True, kw_only=True):
    """One request to the API server.

    `resource` is a plural or `plural.group`; `version` is how the client wants to see objects (none
    given: as they are stored). An empty namespace in a list means all of them. `agent` is the
    client's program, which owns the fields it writes unless it calls itself something else.
    """

    verb: Verb
    resource: str
    version: str = ""
    namespace: str = ""
    name: str = ""
    subresource: Literal["", "status", "scale", "finalize", "eviction", "binding"] = ""
    body: Any = None
    content_type: str = "application/json"
    selection: Selection = Selection()
    deletion: Deletion = Deletion()
    dry_run: bool = False
    field_validation: FieldValidation = "Warn"
    field_manager: str = ""
    agent: str = ""
    force: bool = False
    user: str = ""


class Answer(Struct, frozen=True, kw_only=True):
    """What the API server says: a code, a body, and warnings for the user."""

    body: Object
    code: int = 200
    warnings: tuple[str, ...] = ()
    items: tuple[Object, ...] = ()


def selection_from(query: Mapping[str, str]) -> Selection:
    """Read a selection from the parameters of a URL."""
    limit = query.get("limit", "")
    return Selection(
        labels=query.get("labelSelector", ""),
        fields=query.get("fieldSelector", ""),
        limit=int(limit) if limit.isdigit() else 0,
        continue_=query.get("continue", ""),
        revision=query.get("resourceVersion", ""),
        revision_match=query.get("resourceVersionMatch", ""),
    )
