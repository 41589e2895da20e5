"""What a request wants, as access rules see it: a verb on a resource, or a path.

Pure, and read from the URL alone, so that every route is covered, whoever serves it.
"""

from collections.abc import Mapping

from msgspec import Struct

from sandbox.errors import ApiError, qualified

VERBS: Mapping[str, str] = {"POST": "create", "PUT": "update", "PATCH": "patch", "HEAD": "get"}
NAMESPACE_PARTS = frozenset(("status", "finalize"))


class Attributes(Struct, frozen=True, kw_only=True):
    """One request; `path` is set where no resource is meant."""

    verb: str
    path: str = ""
    group: str = ""
    namespace: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""

    @property
    def kind(self) -> str:
        """The resource with its subresource, as rules name it."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    def refusal(self, user: str, because: str = "") -> ApiError:
        """Say that a user may not do this."""
        if self.path:
            message = f'forbidden: User "{user}" cannot {self.verb} path "{self.path}"'
            return ApiError(403, "Forbidden", message, {})
        where = f'in the namespace "{self.namespace}"' if self.namespace else "at the cluster scope"
        named = f' "{self.name}"' if self.name else ""
        message = (
            f"{qualified(self.resource, self.group)}{named} is forbidden: "
            f'User "{user}" cannot {self.verb} resource "{self.kind}" in API group '
            f'"{self.group}" {where}{because}'
        )
        pairs = {"name": self.name, "group": self.group, "kind": self.resource}
        return ApiError(403, "Forbidden", message, {k: v for k, v in pairs.items() if v})


def attributes(method: str, path: str, query: Mapping[str, str]) -> Attributes:
    """Read what a request wants."""
    parts = [part for part in path.split("/") if part]
    group, rest = _split(parts)
    if rest is None:
        verb = VERBS.get(method, method.lower())
        return Attributes(verb="get" if verb == "get" else verb, path=path)
    namespace = ""
    if _inside(rest):
        namespace, rest = rest[1], rest[2:]
    resource, name, sub = (*rest[:2], "", "")[0], (*rest, "", "")[1], "/".join(rest[2:3])
    if resource == "namespaces" and not namespace:
        namespace = name
    return Attributes(
        verb=_verb(method, name, query),
        group=group,
        namespace=namespace,
        resource=resource,
        subresource=sub,
        name=name,
    )


def _split(parts: list[str]) -> tuple[str, list[str] | None]:
    """Return the group and what follows group and version; None where no resource follows."""
    if len(parts) > 2 and parts[0] == "api":  # noqa: PLR2004 - api, version, and more
        return "", parts[2:]
    if len(parts) > 3 and parts[0] == "apis":  # noqa: PLR2004 - apis, group, version, and more
        return parts[1], parts[3:]
    return "", None


def _inside(rest: list[str]) -> bool:
    return len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in NAMESPACE_PARTS  # noqa: PLR2004


def _verb(method: str, name: str, query: Mapping[str, str]) -> str:
    if method in VERBS and method != "HEAD":
        return VERBS[method]
    if method == "DELETE":
        return "delete" if name else "deletecollection"
    if name:
        return "get"
    return "watch" if query.get("watch", "").lower() in {"1", "true"} else "list"
