"""Which groups, versions and resources are served: both forms that clients ask for.

Pure. The plain form is a tree of small documents; the aggregated form is everything in two. Verbs
are those the sandbox really offers.
"""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

from sandbox.errors import ApiError
from sandbox.kinds import Kind, Registry, Version
from sandbox.objects import Object

VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
CUSTOM_VERBS = (
    *("delete", "deletecollection", "get", "list"),
    *("patch", "create", "update", "watch"),
)
SUBRESOURCE_VERBS = ("get", "patch", "update")
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def core_versions(address: str) -> Object:
    """Answer `/api`."""
    where = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": where}


def group_list(registry: Registry) -> Object:
    """Answer `/apis`."""
    groups = [_group(name, versions) for name, versions in registry.groups().items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group(registry: Registry, name: str) -> Object:
    """Answer `/apis/<group>`."""
    versions = registry.groups().get(name)
    if versions is None:
        raise ApiError.unknown_path()
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)}


def resource_list(registry: Registry, name: str, version: str) -> Object:
    """Answer `/api/v1` and `/apis/<group>/<version>`."""
    served = registry.at(name, version)
    if not served:
        raise ApiError.unknown_path() if name else ApiError.unknown_resource()
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{name}/{version}" if name else version,
        "resources": [row for kind, each in served for row in _resources(kind, each)],
    }


def aggregated(registry: Registry, groups: Iterable[tuple[str, tuple[str, ...]]]) -> Object:
    """Answer `/api` or `/apis` in the aggregated form."""
    items = [
        {
            "metadata": {"name": name} if name else {},
            "versions": [_aggregated_version(registry, name, version) for version in versions],
        }
        for name, versions in groups
    ]
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


def _group(name: str, versions: tuple[str, ...]) -> Object:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _resources(kind: Kind, version: Version) -> Iterable[Object]:
    names: Object = {
        "name": kind.plural,
        "singularName": kind.singular or kind.kind.lower(),
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(CUSTOM_VERBS if kind.custom else VERBS),
        "storageVersionHash": _storage_hash(kind),
    }
    if kind.short_names:
        names["shortNames"] = list(kind.short_names)
    if kind.categories:
        names["categories"] = list(kind.categories)
    yield names
    for name, response in _subresources(kind, version):
        yield {
            "name": f"{kind.plural}/{name}",
            "singularName": "",
            "namespaced": kind.namespaced,
            **response,
            "verbs": list(SUBRESOURCE_VERBS),
        }


def _storage_hash(kind: Kind) -> str:
    """Return the mark by which clients see that the stored version has changed."""
    named = f"{kind.group}/{kind.storage_version.name}/{kind.kind}"
    return b64encode(sha256(named.encode()).digest()[:8]).decode()


def _subresources(kind: Kind, version: Version) -> Iterable[tuple[str, Object]]:
    if version.status:
        yield "status", {"kind": kind.kind}
    if version.scale is not None:
        yield "scale", {"group": "autoscaling", "version": "v1", "kind": "Scale"}


def _aggregated_version(registry: Registry, name: str, version: str) -> Object:
    """Tell of one version; built-in kinds answer with themselves, and so need not say with what."""
    served = sorted(registry.at(name, version), key=lambda pair: pair[0].plural)
    resources = [_aggregated_resource(kind, each) for kind, each in served]
    return {"version": version, "freshness": "Current", "resources": resources}


def _aggregated_resource(kind: Kind, version: Version) -> Object:
    own = {"group": "", "version": "", "kind": kind.kind}
    if kind.custom:
        own = {"group": kind.group, "version": version.name, "kind": kind.kind}
    row: Object = {
        "resource": kind.plural,
        "responseKind": own,
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular or kind.kind.lower(),
        "verbs": list(CUSTOM_VERBS if kind.custom else VERBS),
    }
    subresources = [
        {
            "subresource": sub,
            "responseKind": {**own, **response},
            "verbs": list(SUBRESOURCE_VERBS),
        }
        for sub, response in _subresources(kind, version)
    ]
    more = {
        "shortNames": list(kind.short_names),
        "categories": list(kind.categories),
        "subresources": subresources,
    }
    return {**row, **{field: value for field, value in more.items() if value}}
