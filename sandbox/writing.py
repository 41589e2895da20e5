"""Create, update and patch, for the whole object and its subresources.

Every write ends in `write`, so that one place knows the order: complete, merge with what is there,
check, store, or remove what nothing holds any longer. Dry runs take the same way and stop before
the store. Read next: admission.py and lifecycle.py for the rules.
"""

from sandbox import admission, scaling
from sandbox.decoding import check_types
from sandbox.defaults import first_status
from sandbox.deletion import released
from sandbox.errors import ApiError
from sandbox.identity import generated_name
from sandbox.immutability import check_change, kept_address
from sandbox.kinds import Kind
from sandbox.lifecycle import Part, changed, newborn, require_revision
from sandbox.objects import Object, metadata, name_of, namespace_of, timestamp, with_metadata
from sandbox.patches.apply import APPLY, apply_patch
from sandbox.patches.ownership import FieldOwner
from sandbox.requests import Answer, Request
from sandbox.state import State, as_stored, shown

NAME_ATTEMPTS = 8


def create(state: State, request: Request) -> Answer:
    """Bring an object into being."""
    kind = state.registry.find(request.resource)
    if request.subresource:
        raise ApiError.method_not_allowed(kind.plural, kind.group)
    return _born(state, kind, admission.received(kind, request), request)


def update(state: State, request: Request) -> Answer:
    """Replace an object, its status, or its scale."""
    kind = state.registry.find(request.resource)
    old = state.find(kind, request.namespace, request.name)
    if request.subresource == "scale":
        return _scaled(state, kind, old, request, request.body)
    new = admission.received(kind, request)
    if not request.subresource:
        require_revision(kind, new)
    return write(state, kind, old, new, request)


def patch(state: State, request: Request) -> Answer:
    """Change part of an object; an apply patch may create it."""
    kind = state.registry.find(request.resource)
    old = state.store.get(kind.resource, request.namespace if kind.namespaced else "", request.name)
    if old is None:
        return _applied_anew(state, kind, request)
    if request.subresource == "scale":
        scale = apply_patch(
            request.content_type, scaling.view(kind, request.version, old), request.body
        )
        return _scaled(state, kind, old, request, scale)
    new = _patched(state, kind, shown(kind, request.version, old), request)
    if name_of(new) != name_of(old) or namespace_of(new) != namespace_of(old):
        raise ApiError.bad_request(
            f"the name of the object ({name_of(new)}) does not match the name on the URL "
            f"({name_of(old)})"
        )
    return write(state, kind, old, new, request)


def write(
    state: State, kind: Kind, old: Object, new: Object, request: Request, *, whole: bool = False
) -> Answer:
    """Store what an update makes of an object, or nothing if it makes no difference."""
    part: Part = "whole" if whole or request.subresource == "finalize" else "main"
    if request.subresource == "status":
        part = "status"
        _require_status(kind, request.version)
    new, warnings = admission.completed(state, kind, new, request)
    if kind.resource == "services" and part != "status":
        new = kept_address(old, new)
        new = state.addresses.assigned(new, state.store.objects("services"))
    merged = changed(kind, old, new, part)
    if merged is not old:
        admission.check(state, kind, merged, request.version)
        if part == "main":
            check_change(kind, old, merged)
        merged = merged if request.dry_run else _stored(state, kind, merged)
    return Answer(body=shown(kind, request.version, merged), warnings=tuple(warnings))


def _stored(state: State, kind: Kind, obj: Object) -> Object:
    return state.remove(kind, obj) if released(kind, obj) else state.replace(kind, obj)


def _born(state: State, kind: Kind, obj: Object, request: Request) -> Answer:
    if metadata(obj).get("resourceVersion"):
        raise ApiError.bad_request("resourceVersion should not be set on objects to be created")
    uid = state.uids()
    obj = _named(state, kind, obj, uid)
    obj, warnings = admission.completed(state, kind, obj, request)
    admission.check_namespace(state, kind, obj)
    born = first_status(kind.resource, newborn(kind, obj, uid=uid, now=state.clock()))
    if kind.resource == "jobs.batch":
        born = admission.labelled_job(born, uid)
    admission.check(state, kind, born, request.version)
    if state.store.get(kind.resource, namespace_of(born), name_of(born)) is not None:
        raise ApiError.already_exists(kind.plural, name_of(born), kind.group)
    if kind.resource == "services":
        born = state.addresses.assigned(born, state.store.objects("services"))
    kept = born if request.dry_run else state.insert(kind, born)
    return Answer(code=201, body=shown(kind, request.version, kept), warnings=tuple(warnings))


def _named(state: State, kind: Kind, obj: Object, uid: str) -> Object:
    prefix = metadata(obj).get("generateName")
    if name_of(obj) or not prefix:
        return obj
    name = generated_name(str(prefix), uid)
    for _ in range(NAME_ATTEMPTS):
        if state.store.get(kind.resource, namespace_of(obj), name) is None:
            break
        name = generated_name(str(prefix), state.uids())
    return with_metadata(obj, name=name)


def _patched(state: State, kind: Kind, current: Object, request: Request) -> Object:
    owner = None
    if request.field_manager:
        owner = FieldOwner(
            manager=request.field_manager,
            at=timestamp(state.clock()),
            force=request.force,
            subresource=request.subresource,
        )
    schema = state.schema(kind, kind.version(request.version))
    made: object = apply_patch(
        request.content_type, current, request.body, schema=schema, owner=owner
    )
    if not isinstance(made, dict):
        raise ApiError.bad_request("the patch leaves no object")
    check_types(kind, made)
    return as_stored(kind, made)


def _applied_anew(state: State, kind: Kind, request: Request) -> Answer:
    if request.content_type != APPLY or request.subresource:
        raise kind.not_found(request.name)
    obj = _patched(state, kind, {}, request)
    return _born(state, kind, admission.placed(kind, obj, request.namespace), request)


def _scaled(state: State, kind: Kind, old: Object, request: Request, scale: object) -> Answer:
    if not isinstance(scale, dict):
        raise ApiError.bad_request("the body is not a Scale")
    new = scaling.scaled(kind, request.version, old, scale)
    main = Request(
        verb=request.verb,
        resource=request.resource,
        version=request.version,
        dry_run=request.dry_run,
    )
    answer = write(state, kind, old, new, main)
    return Answer(body=scaling.view(kind, request.version, answer.body))


def _require_status(kind: Kind, version: str) -> None:
    if not kind.version(version).status:
        raise ApiError.unknown_resource()
