"""From a request's body to an object that may be stored: read, complete, check.

The order is the API server's: what the client sent must fit the URL; unknown fields are told or
refused, then pruned; defaults are filled in; what is left must be valid. Read next: writing.py.
"""

from collections.abc import Sequence

import msgspec

from sandbox import crds, defaults, validation, wording
from sandbox.builtin import BUILTIN_KINDS
from sandbox.decoding import check_types
from sandbox.errors import ApiError, warned_of
from sandbox.kinds import Kind
from sandbox.objects import Object, copy_of, dig, metadata, name_of, namespace_of, with_metadata
from sandbox.patches.apply import APPLY
from sandbox.requests import Request
from sandbox.schemas.builtin import builtin_node, without_empty
from sandbox.schemas.pruning import ROOT_FIELDS, pruned
from sandbox.state import State, as_stored, shown

BLANK = ("labels", "annotations", "finalizers", "ownerReferences", "generateName")
ELSEWHERE = "the namespace of the provided object does not match the namespace sent on the request"


def received(kind: Kind, request: Request) -> Object:
    """Return a copy of the body in stored form; raises `ApiError` if it does not fit the URL."""
    body = request.body
    if not isinstance(body, dict):
        raise ApiError.bad_request("the object provided is unrecognized (must be of type object)")
    _check_type(kind, request, body)
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


def check_place(kind: Kind, obj: Object, request: Request) -> None:
    """Refuse what a patch makes of an object if it is not where the URL says."""
    if name_of(obj) != request.name:
        raise ApiError.bad_request(
            f"the name of the object ({name_of(obj)}) does not match the name on the URL "
            f"({request.name})"
        )
    if kind.namespaced and namespace_of(obj) not in {"", request.namespace}:
        raise ApiError.bad_request(ELSEWHERE)


def check_applied(kind: Kind, request: Request) -> None:
    """Refuse to apply an object of another kind than the URL's, or of none."""
    body = request.body if isinstance(request.body, dict) else {}
    given, named = str(body.get("apiVersion") or ""), str(body.get("kind") or "")
    if given != kind.api_version(request.version) or named != kind.kind:
        group, _, version = given.rpartition("/")
        raise ApiError.bad_request(f"invalid object type: {group}/{version}, Kind={named}")


def placed(kind: Kind, obj: Object, namespace: str) -> Object:
    """Return the object in the request's namespace; raises `ApiError` if it names another."""
    if not kind.namespaced:
        return with_metadata(obj, namespace=None)
    if not namespace:
        raise ApiError.bad_request("namespace is required")
    if namespace_of(obj) not in {"", namespace}:
        raise ApiError.bad_request(ELSEWHERE)
    return with_metadata(obj, namespace=namespace)


def completed(state: State, kind: Kind, obj: Object, request: Request) -> tuple[Object, list[str]]:
    """Return the object pruned and with defaults, and warnings about what was dropped."""
    version = kind.version(request.version)
    schema = state.schema(kind, version)
    warnings = [version.warning] if version.warning else []
    seen = _without_blanks(shown(kind, request.version, obj))
    known, unknown = pruned(schema.root if schema else builtin_node(seen), seen)
    if request.field_validation != "Ignore":
        told = [f'unknown field "{path}"' for path in sorted(unknown)]
        _refuse_unknown(kind, request, told, seen)
        warnings.extend(told)
    if schema is not None:
        return schema.default(known, keep_nulls=request.content_type == APPLY), warnings
    kept = as_stored(kind, without_empty(builtin_node(seen), known))
    if kind.resource == crds.RESOURCE:
        return crds.completed(kept), warnings
    return defaults.completed(kind.resource, kept), warnings


def applied_blank(kind: Kind, obj: Object, request: Request) -> bool:
    """Whether this is stored with empty metadata: what was applied to a custom object is."""
    return kind.custom and request.content_type == APPLY and bool(_blanks(obj))


def _without_blanks(obj: Object) -> Object:
    """Drop metadata that are empty: to the API server they are not there."""
    blank = _blanks(obj)
    return with_metadata(obj, **dict.fromkeys(blank)) if blank else obj


def _blanks(obj: Object) -> list[str]:
    return [field for field in BLANK if field in metadata(obj) and not metadata(obj)[field]]


def check(
    state: State, kind: Kind, obj: Object, version: str = "", *, old: Object | None = None
) -> None:
    """Refuse an object that is not valid by the rules of the version it came through."""
    if kind.resource == crds.RESOURCE:
        validation.refuse(kind, obj, crds.problems(obj))
    schema = state.schema(kind, kind.version(version))
    about = list(validation.causes(kind, obj, version))
    if schema is not None:
        about.extend(schema.problems(obj, old, before=about))
    validation.refuse(kind, obj, about)


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
    made = with_metadata(job, labels=metadata(job).get("labels") or labels)
    return {**made, "spec": {**spec, "selector": {"matchLabels": ours}, "template": labelled}}


def _check_type(kind: Kind, request: Request, body: Object) -> None:
    expected = kind.api_version(request.version)
    given = str(body.get("apiVersion") or expected)
    named = body.get("kind") or kind.kind
    if kind.custom:
        with warned_of(_unversioned(kind, request, body, given)):
            _check_custom_type(kind, expected, given, str(named), name_of(body))
    elif given != expected or named != kind.kind:
        raise ApiError.bad_request(
            f'{named} in version "{given.rpartition("/")[2]}" cannot be handled as a {kind.kind}: '
            f"{_why_not(kind, given, str(named))}"
        )


def _unversioned(kind: Kind, request: Request, body: Object, given: str) -> list[str]:
    """Tell of every field of a version that the kind does not have: none of them is known."""
    group, _, version = given.rpartition("/")
    known = any(each.name == version for each in kind.versions)
    ours = group == kind.group and body.get("kind") == kind.kind
    if known or not ours or request.field_validation == "Ignore":
        return []
    told = [f'unknown field "{name}"' for name in sorted(body) if name not in ROOT_FIELDS]
    _refuse_unknown(kind, msgspec.structs.replace(request, version=version), told, body)
    return told


def _check_custom_type(kind: Kind, expected: str, given: str, named: str, name: str) -> None:
    if given != expected:
        raise ApiError.bad_request(
            f"the API version in the data ({given}) does not match the expected API version "
            f"({expected})"
        )
    if named != kind.kind:
        cause = wording.invalid("kind", named, f"must be {kind.kind}")
        raise ApiError.invalid(named, name, [cause], group=kind.group)


def _why_not(kind: Kind, given: str, named: str) -> str:
    known = any(each.kind == named and each.api_version() == given for each in BUILTIN_KINDS)
    if not known:
        return (
            f'no kind "{named}" is registered for version "{given}" in scheme '
            '"pkg/runtime/scheme.go:111"'
        )
    _, _, version = given.rpartition("/")
    theirs = f"{version}.{named}"
    ours = f"{(kind.group or 'core').partition('.')[0]}.{kind.kind}"
    return f"converting ({theirs}) to ({ours}): unknown conversion"


def _refuse_unknown(kind: Kind, request: Request, unknown: Sequence[str], seen: Object) -> None:
    if request.field_validation != "Strict" or not unknown:
        return
    told = f"strict decoding error: {', '.join(unknown)}"
    if request.verb == "patch":
        text = msgspec.json.encode(seen, order="sorted").decode()
        raise ApiError.invalid("", "", [wording.invalid("patch", text, told)])
    what = f'{kind.kind} in version "{request.version or kind.storage_version.name}"'
    raise ApiError.bad_request(f"{what} cannot be handled as a {kind.kind}: {told}")
