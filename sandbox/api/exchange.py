"""One HTTP request to a `Request`, and one answer back to bytes.

Everything the URL, the headers and the body can say is read here; nothing is decided. Bodies may be
JSON or YAML. Answers are JSON in the form the client accepts: the objects, a table, or metadata.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, cast

import msgspec
from aiohttp import web

from sandbox.api.bodies import check_body, check_media, decoded
from sandbox.api.paths import Target
from sandbox.errors import ApiError, Cause
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
from sandbox.wording import invalid, unsupported

Form: TypeAlias = Literal["object", "table", "metadata"]
SUBRESOURCES = frozenset(("", "status", "scale", "finalize", "eviction", "binding"))
WRITES: Mapping[str, Verb] = {"POST": "create", "PUT": "update", "PATCH": "patch"}
FIELD_VALIDATIONS = frozenset(("Ignore", "Warn", "Strict"))
MANAGER_MAX = 128
PROPAGATIONS = frozenset(("", "Background", "Foreground", "Orphan"))


async def read_request(http: web.Request, target: Target, registry: Registry) -> Request:
    """Read what the client asks for; raises `ApiError` if it makes no sense."""
    kind = registry.served(target.group, target.version, target.plural)
    verb = _verb(http, target)
    if target.subresource not in SUBRESOURCES:
        raise kind.not_found(target.name) if kind.custom else ApiError.unknown_resource()
    if target.namespace and not kind.namespaced:
        raise ApiError.unknown_path() if kind.custom else ApiError.unknown_resource()
    if kind.namespaced and not target.namespace and verb not in {"list", "watch"}:
        raise ApiError.method_not_allowed()
    if verb == "create" and target.name and not target.subresource:
        raise ApiError.method_not_allowed()
    content_type = http.content_type
    data = await http.read()
    if http.method in {"POST", "PUT"}:
        check_media(content_type)
    body = decoded(data, content_type)
    if http.method in {"POST", "PUT"} and not target.subresource:
        check_body(kind, data, body)
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
        dry_run=_dry_run(http) or _dry_body(http.method, body),
        field_validation=_field_validation(http),
        field_manager=_field_manager(http),
        agent=http.headers.get("User-Agent", "").partition("/")[0][:MANAGER_MAX],
        force=_true(http.query.get("force")),
    )


async def read_body(http: web.Request) -> Object:
    """Read a body that must be an object."""
    body = decoded(await http.read(), http.content_type)
    if not isinstance(body, dict):
        raise ApiError.bad_request("the body is not an object")
    return body


def accepted_form(http: web.Request) -> Form:
    """Return the form of objects that the client likes best."""
    accept = http.headers.get("Accept", "").replace(" ", "")
    first = accept.split(",")[0]
    if "as=Table" in first:
        return "table"
    return "metadata" if "as=PartialObjectMetadata" in first else "object"


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
        raise ApiError.method_not_allowed()
    if target.name:
        return "get"
    return "watch" if _true(http.query.get("watch")) else "list"


def _deletion(query: Mapping[str, str], body: Any) -> Deletion:
    given: Object = body if isinstance(body, dict) else {}
    policy = str(given.get("propagationPolicy") or query.get("propagationPolicy") or "")
    orphan = given.get("orphanDependents", query.get("orphanDependents"))
    if policy and orphan is not None:
        told = "orphanDependents and deletionPropagation cannot be both set"
        raise ApiError.bad_options("DeleteOptions", invalid("propagationPolicy", policy, told))
    if policy not in PROPAGATIONS:
        options = '"Foreground", "Background", "Orphan", "nil"'
        told = f'Unsupported value: "{policy}": supported values: {options}'
        raise ApiError.bad_options(
            "DeleteOptions",
            Cause(field="propagationPolicy", reason="FieldValueNotSupported", message=told),
        )
    if orphan is not None:
        policy = "Orphan" if orphan in {True, "true", "1"} else "Background"
    grace = given.get("gracePeriodSeconds", query.get("gracePeriodSeconds"))
    return Deletion(
        propagation=cast("Propagation", policy),
        grace_seconds=None if grace is None else int(grace),
        uid=dig(given, "preconditions.uid"),
        revision=dig(given, "preconditions.resourceVersion"),
    )


def _dry_run(http: web.Request) -> bool:
    asked = [each for each in http.query.getall("dryRun", []) if each]
    if any(each != "All" for each in asked):
        told = f'Unsupported value: {json.dumps(asked)}: supported values: "All"'
        cause = Cause(field="dryRun", reason="FieldValueNotSupported", message=told)
        raise ApiError.bad_options(_options(http), cause)
    return bool(asked)


def _dry_body(method: str, body: Any) -> bool:
    return method == "DELETE" and isinstance(body, dict) and "All" in (body.get("dryRun") or ())


def _field_validation(http: web.Request) -> FieldValidation:
    given = http.query.get("fieldValidation") or "Warn"
    if given not in FIELD_VALIDATIONS:
        known = ("", *sorted(FIELD_VALIDATIONS))
        raise ApiError.bad_options(_options(http), unsupported("fieldValidation", given, known))
    return cast("FieldValidation", given)


def _options(http: web.Request) -> str:
    """Name the kind of options that a request of this method has."""
    return {"POST": "CreateOptions", "PUT": "UpdateOptions"}.get(http.method, "PatchOptions")


def _field_manager(http: web.Request) -> str:
    manager = http.query.get("fieldManager", "")
    if len(manager.encode()) > MANAGER_MAX:
        told = f"Too long: may not be more than {MANAGER_MAX} bytes"
        cause = Cause(field="fieldManager", reason="FieldValueTooLong", message=told)
        raise ApiError.bad_options(_options(http), cause)
    return manager


def _true(text: str | None) -> bool:
    return (text or "").lower() in {"1", "true"}
