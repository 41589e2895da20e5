"""One HTTP request to a `Request`, and one answer back to bytes.

Everything the URL, the headers and the body can say is read here; nothing is decided. Bodies may be
JSON or YAML. Answers are JSON in the form the client accepts: the objects, a table, or metadata.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, cast

import msgspec
import yaml
from aiohttp import web

from sandbox.api.paths import Target
from sandbox.api.protobuf import read_object
from sandbox.errors import ApiError
from sandbox.kinds import Registry
from sandbox.objects import Object, dig
from sandbox.requests import (
    Deletion,
    FieldValidation,
    Propagation,
    Request,
    Verb,
    selection_from,
)

Form: TypeAlias = Literal["object", "table", "metadata"]
SUBRESOURCES = frozenset(("", "status", "scale", "finalize"))
WRITES: Mapping[str, Verb] = {"POST": "create", "PUT": "update", "PATCH": "patch"}
FIELD_VALIDATIONS = frozenset(("Ignore", "Warn", "Strict"))
PROPAGATIONS = frozenset(("", "Background", "Foreground", "Orphan"))


async def read_request(http: web.Request, target: Target, registry: Registry) -> Request:
    """Read what the client asks for; raises `ApiError` if it makes no sense."""
    kind = registry.served(target.group, target.version, target.plural)
    verb = _verb(http, target)
    if target.subresource not in SUBRESOURCES:
        raise ApiError.unknown_resource()
    if target.namespace and not kind.namespaced:
        raise ApiError.unknown_resource()
    if kind.namespaced and not target.namespace and verb not in {"list", "watch"}:
        raise ApiError.method_not_allowed(kind.plural, kind.group)
    content_type = http.content_type
    body = decoded(await http.read(), content_type)
    return Request(
        verb=verb,
        resource=kind.qualified_plural,
        version=target.version,
        namespace=target.namespace,
        name=target.name,
        subresource=cast("Any", target.subresource),
        body=body,
        content_type=content_type,
        selection=selection_from(http.query),
        deletion=_deletion(http.query, body) if http.method == "DELETE" else Deletion(),
        dry_run="All" in http.query.getall("dryRun", []) or _dry_body(http.method, body),
        field_validation=_field_validation(http.query),
        field_manager=http.query.get("fieldManager", ""),
        force=_true(http.query.get("force")),
    )


def accepted_form(http: web.Request) -> Form:
    """Return the form of objects that the client likes best."""
    accept = http.headers.get("Accept", "").replace(" ", "")
    first = accept.split(",")[0]
    if "as=Table" in first:
        return "table"
    return "metadata" if "as=PartialObjectMetadata" in first else "object"


def decoded(data: bytes, content_type: str) -> Any:
    """Read a body of JSON or YAML, or one of the few in protobuf."""
    if not data:
        return None
    if "protobuf" in content_type:
        return read_object(data)
    try:
        return _parsed(data, content_type)
    except (msgspec.DecodeError, yaml.YAMLError) as error:
        raise ApiError.bad_request(f"the body cannot be read: {error}") from error


def _parsed(data: bytes, content_type: str) -> Any:
    if "yaml" in content_type and not data.lstrip().startswith(b"{"):
        return yaml.load(data, Loader=yaml.CSafeLoader)
    return msgspec.json.decode(data)


def respond(body: Object, *, code: int = 200, warnings: tuple[str, ...] = ()) -> web.Response:
    """Answer with JSON, and warnings in their header."""
    response = web.Response(
        body=msgspec.json.encode(body), status=code, content_type="application/json"
    )
    for warning in warnings:
        quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.add("Warning", f'299 - "{quoted}"')
    return response


def _verb(http: web.Request, target: Target) -> Verb:
    if http.method in WRITES:
        return WRITES[http.method]
    if http.method == "DELETE":
        return "delete" if target.name else "deletecollection"
    if http.method != "GET":
        raise ApiError.method_not_allowed(target.plural, target.group)
    if target.name:
        return "get"
    return "watch" if _true(http.query.get("watch")) else "list"


def _deletion(query: Mapping[str, str], body: Any) -> Deletion:
    given: Object = body if isinstance(body, dict) else {}
    policy = str(given.get("propagationPolicy") or query.get("propagationPolicy") or "")
    if given.get("orphanDependents") is not None:
        policy = "Orphan" if given["orphanDependents"] else "Background"
    if policy not in PROPAGATIONS:
        raise ApiError.bad_request(f"invalid propagationPolicy: {policy}")
    grace = given.get("gracePeriodSeconds", query.get("gracePeriodSeconds"))
    return Deletion(
        propagation=cast("Propagation", policy),
        grace_seconds=None if grace is None else int(grace),
        uid=dig(given, "preconditions.uid"),
        revision=dig(given, "preconditions.resourceVersion"),
    )


def _dry_body(method: str, body: Any) -> bool:
    return method == "DELETE" and isinstance(body, dict) and "All" in (body.get("dryRun") or ())


def _field_validation(query: Mapping[str, str]) -> FieldValidation:
    given = query.get("fieldValidation") or "Warn"
    if given not in FIELD_VALIDATIONS:
        raise ApiError.bad_request(f"fieldValidation: Unsupported value: {given}")
    return cast("FieldValidation", given)


def _true(text: str | None) -> bool:
    return (text or "").lower() in {"1", "true"}
