"""From a request's body to an object that may be stored: read, complete, check.

The order is the API server's: what the client sent must fit the URL; unknown fields are told or
refused, then pruned; defaults are filled in; what is left must be valid. Read next: writing.py.
"""

from collections.abc import Sequence

from sandbox import crds, defaults, validation
from sandbox.decoding import check_types
from sandbox.errors import ApiError
from sandbox.kinds import Kind
from sandbox.objects import Object, copy_of, dig, metadata, name_of, namespace_of, with_metadata
from sandbox.requests import Request
from sandbox.state import State, as_stored


def received(kind: Kind, request: Request) -> Object:
    """Return a copy of the body in stored form; raises `ApiError` if it does not fit the URL."""
    body = request.body
    if not isinstance(body, dict):
        raise ApiError.bad_request("the object provided is unrecognized (must be of type object)")
    _check_type(kind, request.version, body)
    check_types(kind, body)
    sent: Object = copy_of(body)
    typed = {"apiVersion": kind.api_version(request.version), "kind": kind.kind}
    obj = as_stored(kind, {**sent, **typed})
    if request.name and name_of(obj) not in {"", request.name}:
        raise ApiError.bad_request(
            f"the name of the object ({name_of(obj)}) does not match the name on the URL "
            f"({request.name})"
        )
    return placed(kind, obj, request.namespace)


def placed(kind: Kind, obj: Object, namespace: str) -> Object:
    """Return the object in the request's namespace; raises `ApiError` if it names another."""
    if not kind.namespaced:
        return with_metadata(obj, namespace=None)
    if not namespace:
        raise ApiError.bad_request("namespace is required")
    if namespace_of(obj) not in {"", namespace}:
        raise ApiError.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    return with_metadata(obj, namespace=namespace)


def completed(state: State, kind: Kind, obj: Object, request: Request) -> tuple[Object, list[str]]:
    """Return the object pruned and with defaults, and warnings about what was dropped."""
    version = kind.version(request.version)
    schema = state.schema(kind, version)
    warnings = [version.warning] if version.warning else []
    if kind.resource == crds.RESOURCE:
        return crds.completed(obj), warnings
    if schema is None:
        return defaults.completed(kind.resource, obj), warnings
    if request.field_validation != "Ignore":
        unknown = [f'unknown field "{path}"' for path in schema.unknown(obj)]
        _refuse_unknown(kind, request, unknown)
        warnings.extend(unknown)
    return schema.default(schema.prune(obj)), warnings


def check(state: State, kind: Kind, obj: Object, version: str = "") -> None:
    """Refuse an object that is not valid by the rules of the version it came through."""
    if kind.resource == crds.RESOURCE:
        validation.refuse(kind, obj, crds.problems(obj))
    schema = state.schema(kind, kind.version(version))
    if schema is not None:
        validation.refuse(kind, obj, list(schema.problems(obj)))
    validation.check(kind, obj)


def check_namespace(state: State, kind: Kind, obj: Object) -> None:
    """Refuse to create in a namespace that is missing or on its way out."""
    if not kind.namespaced:
        return
    name = namespace_of(obj)
    found = state.store.get("namespaces", "", name)
    if found is None:
        raise ApiError.not_found("namespaces", name)
    if "deletionTimestamp" in metadata(found):
        because = f"unable to create new content in namespace {name} because it is being terminated"
        raise ApiError.forbidden(kind.plural, name_of(obj), because, group=kind.group)


def labelled_job(job: Object, uid: str) -> Object:
    """Give a Job the selector by which it knows its pods, unless it brings one."""
    if dig(job, "spec.manualSelector") or dig(job, "spec.selector"):
        return job
    spec = job["spec"]
    template = spec.get("template") or {}
    ours = {"batch.kubernetes.io/controller-uid": uid}
    named = {
        **ours,
        "batch.kubernetes.io/job-name": name_of(job),
        "controller-uid": uid,
        "job-name": name_of(job),
    }
    labels = {**(metadata(template).get("labels") or {}), **named}
    labelled = with_metadata(template, labels=labels)
    return {**job, "spec": {**spec, "selector": {"matchLabels": ours}, "template": labelled}}


def _check_type(kind: Kind, version: str, body: Object) -> None:
    expected = kind.api_version(version)
    given = body.get("apiVersion")
    if given and given != expected:
        raise ApiError.bad_request(
            f"the API version in the data ({given}) does not match the expected API version "
            f"({expected})"
        )
    if body.get("kind") not in (None, "", kind.kind):
        raise ApiError.bad_request(
            f'{body["kind"]} in version "{given or expected}" cannot be handled as a {kind.kind}'
        )


def _refuse_unknown(kind: Kind, request: Request, unknown: Sequence[str]) -> None:
    if request.field_validation == "Strict" and unknown:
        listed = ", ".join(unknown)
        what = f'{kind.kind} in version "{request.version or kind.storage_version.name}"'
        raise ApiError.bad_request(
            f"{what} cannot be handled as a {kind.kind}: strict decoding error: {listed}"
        )
