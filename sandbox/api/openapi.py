"""What the served kinds look like, as OpenAPI: enough for `kubectl apply` and `kubectl explain`.

Pure. Custom kinds show the schema of their definition. Built-in kinds are shown as open objects,
and say nothing of strategic merge patch, so that clients use their own knowledge of these types.
"""

from collections.abc import Iterator
from hashlib import sha256

import msgspec

from sandbox.errors import ApiError
from sandbox.kinds import Kind, Registry, Version
from sandbox.objects import Object

META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
INFO = {"title": "Kubernetes sandbox", "version": "v1.37.0"}
PATCH_TYPES = ("application/json-patch+json", "application/merge-patch+json")
SWAGGER_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
APPLY_TYPE = "application/apply-patch+yaml"
OBJECT_META: Object = {
    "description": "ObjectMeta is metadata that all persisted resources must have.",
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Name must be unique within a namespace."},
        "namespace": {"type": "string", "description": "The space in which the name is unique."},
        "labels": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Keys and values by which objects are selected.",
        },
        "annotations": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Keys and values that are stored for tools.",
        },
    },
    "x-kubernetes-preserve-unknown-fields": True,
}


def index(registry: Registry) -> Object:
    """Answer `/openapi/v3`: one document per group and version."""
    places = ["api/v1"]
    for group, versions in registry.groups().items():
        places.extend(f"apis/{group}/{version}" for version in versions)
    mark = registry.generation
    return {
        "paths": {
            place: {"serverRelativeURL": f"/openapi/v3/{place}?hash={_digest(place, mark)}"}
            for place in places
        }
    }


def document(registry: Registry, group: str, version: str) -> Object:
    """Answer `/openapi/v3/<place>`."""
    served = registry.at(group, version)
    if not served:
        raise ApiError.unknown_resource()
    paths: Object = {}
    schemas: Object = {META: OBJECT_META}
    for kind, each in served:
        paths |= dict(_paths(kind, each))
        schemas[schema_name(kind, each)] = schema(kind, each, "#/components/schemas/")
    return {
        "openapi": "3.0.0",
        "info": INFO,
        "paths": paths,
        "components": {"schemas": schemas},
    }


def swagger(registry: Registry) -> Object:
    """Answer `/openapi/v2`: definitions of every kind, without paths."""
    definitions: Object = {META: OBJECT_META}
    for kind in registry:
        for version in kind.versions:
            definitions[schema_name(kind, version)] = schema(kind, version, "#/definitions/")
    return {"swagger": "2.0", "info": INFO, "paths": {}, "definitions": definitions}


def empty_swagger() -> bytes:
    """Answer `/openapi/v2` in protobuf, as kubectl asks about kinds it cannot find in v3.

    The document says its version and its title, and defines nothing.
    """
    title, version = INFO["title"].encode(), INFO["version"].encode()
    info = b"\x0a%c%b\x12%c%b" % (len(title), title, len(version), version)
    return b"\x0a\x032.0\x12%c%b" % (len(info), info)


def schema_name(kind: Kind, version: Version) -> str:
    """Name a schema as the API server does: the group backwards, then version and kind."""
    group = kind.group or "core.api.k8s.io"
    return ".".join([*reversed(group.split(".")), version.name, kind.kind])


def schema(kind: Kind, version: Version, place: str) -> Object:
    """Return one kind's schema with what every object has."""
    given: Object = dict(version.schema or {"x-kubernetes-preserve-unknown-fields": True})
    properties = {
        **(given.get("properties") or {}),
        "apiVersion": {"type": "string", "description": "The version of this object's form."},
        "kind": {"type": "string", "description": "The kind of this object."},
        "metadata": {"allOf": [{"$ref": f"{place}{META}"}], "default": {}},
    }
    return {
        "description": f"{kind.kind} is served by the sandbox.",
        **given,
        "type": "object",
        "properties": properties,
        "x-kubernetes-group-version-kind": [_gvk(kind, version)],
    }


def _gvk(kind: Kind, version: Version) -> Object:
    return {"group": kind.group, "version": version.name, "kind": kind.kind}


def _paths(kind: Kind, version: Version) -> Iterator[tuple[str, Object]]:
    root = f"/apis/{kind.group}/{version.name}" if kind.group else f"/api/{version.name}"
    place = f"{root}/namespaces/{{namespace}}" if kind.namespaced else root
    yield (
        f"{place}/{kind.plural}",
        {
            "get": _operation(kind, version, "list"),
            "post": _operation(kind, version, "post", "*/*"),
        },
    )
    yield (
        f"{place}/{kind.plural}/{{name}}",
        {
            "get": _operation(kind, version, "get"),
            "put": _operation(kind, version, "put", "*/*"),
            "patch": _operation(kind, version, "patch", *PATCH_TYPES, APPLY_TYPE),
            "delete": _operation(kind, version, "delete"),
        },
    )


def _operation(kind: Kind, version: Version, action: str, *bodies: str) -> Object:
    reference = {"$ref": f"#/components/schemas/{schema_name(kind, version)}"}
    names = ["dryRun", "fieldManager", "fieldValidation"] if bodies else []
    operation: Object = {
        "operationId": f"{action}{kind.kind}{version.name}{kind.group}",
        "parameters": [
            {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}}
            for name in names
        ],
        "responses": {
            "200": {"description": "OK", "content": {"application/json": {"schema": reference}}}
        },
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _gvk(kind, version),
    }
    if bodies:
        content = {media: {"schema": reference} for media in bodies}
        operation["requestBody"] = {"content": content, "required": True}
    return operation


def _digest(place: str, generation: int) -> str:
    return sha256(msgspec.json.encode([place, generation])).hexdigest().upper()[:32]
