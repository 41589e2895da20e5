"""Role-based access: what a user's roles allow.

Pure. A cluster role binding allows everywhere, a role binding in its namespace. Everybody who is
known may look at what is served and ask about themselves. `cluster-admin` is there without being
stored; the other roles of a fresh cluster, and roles made of others, are not imitated.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sandbox.access.attributes import Attributes
from sandbox.access.users import ACCOUNT_PREFIX, AUTHENTICATED, User
from sandbox.objects import Object, dig, namespace_of, rows
from sandbox.store import Store

GROUP = "rbac.authorization.k8s.io"
Rule = Mapping[str, Any]
EVERYTHING: tuple[Rule, ...] = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
BUILTIN: Mapping[str, tuple[Rule, ...]] = {"cluster-admin": EVERYTHING}
KNOWN: tuple[Rule, ...] = (
    {
        "nonResourceURLs": ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"],
        "verbs": ["get"],
    },
    {
        "apiGroups": ["authorization.k8s.io"],
        "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        "verbs": ["create"],
    },
    {
        "apiGroups": ["authentication.k8s.io"],
        "resources": ["selfsubjectreviews"],
        "verbs": ["create"],
    },
)
PUBLIC: tuple[Rule, ...] = (
    {"nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version"], "verbs": ["get"]},
)


def allowed(store: Store, user: User, wanted: Attributes) -> bool:
    """Tell whether a user may do something."""
    if user.almighty:
        return True
    return any(_covers(rule, wanted) for rule in rules(store, user, wanted.namespace))


def rules(store: Store, user: User, namespace: str) -> Iterator[Rule]:
    """Yield every rule that speaks for a user in a namespace (none: in the whole cluster)."""
    yield from PUBLIC
    if AUTHENTICATED in user.groups:
        yield from KNOWN
    for binding in store.objects(f"clusterrolebindings.{GROUP}"):
        if _binds(binding, user):
            yield from _granted(store, binding)
    for binding in store.objects(f"rolebindings.{GROUP}"):
        if namespace and namespace_of(binding) == namespace and _binds(binding, user):
            yield from _granted(store, binding)


def missing(store: Store, user: User, namespace: str) -> str:
    """Say which roles are bound to a user and not there; nothing if none is missing."""
    bindings = [*store.objects(f"clusterrolebindings.{GROUP}")]
    bindings += [
        each
        for each in store.objects(f"rolebindings.{GROUP}")
        if namespace and namespace_of(each) == namespace
    ]
    told = [
        f'{str(dig(each, "roleRef.kind")).lower()}.{GROUP} "{dig(each, "roleRef.name")}" not found'
        for each in bindings
        if _binds(each, user) and not list(_granted(store, each))
    ]
    if not told:
        return ""
    return f": rbac: RBAC: {told[0] if len(told) == 1 else '[' + ', '.join(told) + ']'}"


def _binds(binding: Object, user: User) -> bool:
    return any(_is(subject, user, namespace_of(binding)) for subject in rows(binding, "subjects"))


def _is(subject: Rule, user: User, namespace: str) -> bool:
    name = str(subject.get("name", ""))
    match subject.get("kind"):
        case "User":
            return name == user.name
        case "Group":
            return name in user.groups
        case "ServiceAccount":
            home = subject.get("namespace") or namespace
            return f"{ACCOUNT_PREFIX}{home}:{name}" == user.name
        case _:
            return False


def _granted(store: Store, binding: Object) -> Iterable[Rule]:
    name = str(dig(binding, "roleRef.name") or "")
    if dig(binding, "roleRef.kind") == "Role":
        role = store.get(f"roles.{GROUP}", namespace_of(binding), name)
    else:
        role = store.get(f"clusterroles.{GROUP}", "", name)
    return rows(role, "rules") if role is not None else BUILTIN.get(name, ())


def _covers(rule: Rule, wanted: Attributes) -> bool:
    if not _named(rule.get("verbs"), wanted.verb):
        return False
    if wanted.path:
        return any(_matches(url, wanted.path) for url in rule.get("nonResourceURLs") or ())
    names = rule.get("resourceNames") or ()
    return (
        _named(rule.get("apiGroups"), wanted.group)
        and _resource(rule.get("resources") or (), wanted)
        and (not names or wanted.name in names)
    )


def _named(listed: Iterable[str] | None, name: str) -> bool:
    return any(each in {"*", name} for each in listed or ())


def _resource(listed: Iterable[str], wanted: Attributes) -> bool:
    any_of = {"*", wanted.kind}
    if wanted.subresource:
        any_of.add(f"*/{wanted.subresource}")
    return any(each in any_of for each in listed)


def _matches(url: str, path: str) -> bool:
    return url in {"*", path} or (url.endswith("*") and path.startswith(url[:-1]))


def spelled(found: Iterable[Rule]) -> tuple[list[Object], list[Object]]:
    """Return rules about resources and rules about paths, as a review lists them."""
    about: list[Object] = []
    paths: list[Object] = []
    for rule in found:
        if rule.get("nonResourceURLs"):
            paths.append({"verbs": rule["verbs"], "nonResourceURLs": rule["nonResourceURLs"]})
        else:
            fields = ("verbs", "apiGroups", "resources", "resourceNames")
            about.append({field: rule[field] for field in fields if rule.get(field)})
    return about, paths
