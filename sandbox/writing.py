"""Create, update and patch, for the whole object and its subresources.

Every write ends in `write`, so that one place knows the order: complete, merge with what is there,
check, store, or remove what nothing holds any longer. Dry runs take the same way and stop before
the store. Read next: admission.py and lifecycle.py for the rules.
"""

from msgspec.structs import replace

from sandbox import admission, placing, scaling
from sandbox.decoding import check_types
from sandbox.defaults import admitted, first_status
from sandbox.deletion import released
from sandbox.errors import ApiError, warned_of
from sandbox.identity import generated_name
from sandbox.immutability import check_change, kept_address
from sandbox.kinds import Kind
from sandbox.lifecycle import Part, changed, newborn, require_revision
from sandbox.objects import Object, metadata, name_of, namespace_of, timestamp, with_metadata
from sandbox.patches.apply import APPLY, apply_patch
from sandbox.patches.ownership import FieldOwner
from sandbox.patches.shapes import Shapes
from sandbox.patches.tracking import claimed, forgotten, kept, tracked, zero
from sandbox.requests import Answer, Request
from sandbox.state import State, as_stored, shown
from sandbox.validation import refuse
from sandbox.wording import invalid

NAME_ATTEMPTS = 8
IDENTITY = frozenset(("name", "namespace", "uid", "resourceVersion", "managedFields"))


def create(state: State, request: Request) -> Answer:
    """Bring an object into being."""
    kind = state.registry.find(request.resource)
    if kind.resource == "pods" and request.subresource == "eviction":
        return placing.evict(state, kind, request)
    if kind.resource == "pods" and request.subresource == "binding":
        return placing.bind(state, kind, request)
    if request.subresource:
        raise ApiError.method_not_allowed()
    return _born(state, kind, admission.received(kind, request), request)


def update(state: State, request: Request) -> Answer:
    """Replace an object, its status, or its scale; of some kinds also bring one into being."""
    kind = state.registry.find(request.resource)
    place = request.namespace if kind.namespaced else ""
    absent = state.store.get(kind.resource, place, request.name) is None
    if absent and kind.born_by_update and not request.subresource:
        return _born(state, kind, admission.received(kind, request), request)
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
    admission.check_place(kind, new, request)
    uid = metadata(new).get("uid")
    if uid and uid != metadata(old)["uid"]:
        refuse(kind, old, [invalid("metadata.uid", uid, "field is immutable")])
    return write(state, kind, old, new, request)


def write(
    state: State, kind: Kind, old: Object, new: Object, request: Request, *, whole: bool = False
) -> Answer:
    """Store what an update makes of an object, or nothing if it makes no difference."""
    part: Part = "whole" if whole or request.subresource == "finalize" else "main"
    if request.subresource == "status":
        part = "status"
        _require_status(kind, request.version)
    blank = admission.applied_blank(kind, new, request)
    new, warnings = admission.completed(state, kind, new, request)
    with warned_of(warnings):
        merged = _merged(state, kind, old, new, request, part)
    if not request.dry_run:
        merged = _settled(state, kind, old, merged, blank=blank)
    return Answer(body=shown(kind, request.version, merged), warnings=tuple(warnings))


def _merged(
    state: State, kind: Kind, old: Object, new: Object, request: Request, part: Part
) -> Object:
    if kind.resource == "services" and part != "status":
        new = kept_address(old, new)
        held = state.store.objects("services")
        new = state.addresses.assigned(new, held, dry=request.dry_run)
    merged = changed(kind, old, _with_owners_kept(old, new, request), part)
    if merged is not old:
        merged = _tracked(state, kind, old, merged, request)
        admission.check(state, kind, merged, request.version, old=old)
        if part == "main":
            check_change(kind, old, merged)
        merged = merged if request.dry_run else _stored(state, kind, merged)
    elif request.subresource == "scale":
        split = scaling.resplit(kind, request.version, old)
        merged = old if split == old or request.dry_run else _stored(state, kind, split)
    return merged


def _settled(state: State, kind: Kind, old: Object, merged: Object, *, blank: bool) -> Object:
    """Spend a revision on the same object if it lies, or will lie, in the store with blanks."""
    uid = metadata(old)["uid"]
    if merged is old and (blank or uid in state.blank):
        merged = state.replace(kind, old)
    (state.blank.add if blank else state.blank.discard)(uid)
    return merged


def _stored(state: State, kind: Kind, obj: Object) -> Object:
    if not released(kind, obj):
        return state.replace(kind, obj)
    state.remove(kind, obj)
    return obj


def _born(state: State, kind: Kind, obj: Object, request: Request) -> Answer:
    if metadata(obj).get("resourceVersion"):
        raise ApiError(500, "", "resourceVersion should not be set on objects to be created")
    uid = state.uids()
    obj = _named(state, kind, obj, uid)
    blank = admission.applied_blank(kind, obj, request)
    obj, warnings = admission.completed(state, kind, obj, request)
    with warned_of(warnings):
        kept = _kept(state, kind, obj, uid, request)
    if blank and not request.dry_run:
        state.blank.add(uid)
    return Answer(code=201, body=shown(kind, request.version, kept), warnings=tuple(warnings))


def _kept(state: State, kind: Kind, obj: Object, uid: str, request: Request) -> Object:
    admission.check_namespace(state, kind, obj)
    if request.content_type != APPLY:
        nothing = zero(kind.resource, kind.api_version(request.version))
        obj = _tracked(state, kind, nothing, obj, request)
    obj = admitted(kind.resource, obj)
    born = first_status(kind.resource, newborn(kind, obj, uid=uid, now=state.clock()))
    if kind.resource == "jobs.batch":
        born = admission.labelled_job(born, uid)
    admission.check(state, kind, born, request.version)
    held = state.store.get(kind.resource, namespace_of(born), name_of(born))
    if held is not None:
        dying = "deletionTimestamp" in metadata(held)
        raise ApiError.already_exists(kind.plural, name_of(born), kind.group, dying=dying)
    if kind.resource == "services":
        others = state.store.objects("services")
        born = state.addresses.assigned(born, others, dry=request.dry_run)
    return born if request.dry_run else state.insert(kind, born)


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


def _with_owners_kept(old: Object, new: Object, request: Request) -> Object:
    """Let only an apply patch say who owns what; others may at most forget everybody."""
    if request.content_type == APPLY:
        return new
    return with_metadata(new, managedFields=None) if forgotten(new) else kept(old, new)


def _tracked(state: State, kind: Kind, old: Object, new: Object, request: Request) -> Object:
    owner = _owner(state, request)
    if request.subresource == "scale" and not scaling.owned(kind, request.version, old):
        owner = None
    untold = "uid" in metadata(old) and not metadata(new).get("managedFields")
    if request.content_type == APPLY or untold or (owner is None and "uid" not in metadata(old)):
        return new
    if kind.storage_version.status and request.subresource != "status":
        old, written = _without_status(old), _without_status(new)
    else:
        written = new
    shapes = Shapes(state.schema(kind, kind.version(request.version)))
    owned = tracked(old, shown(kind, request.version, written), owner, shapes)
    if request.subresource == "scale":
        owned = scaling.unowned(kind, request.version, owned)
    return with_metadata(new, managedFields=metadata(owned).get("managedFields"))


def _without_status(obj: Object) -> Object:
    return {field: value for field, value in obj.items() if field != "status"}


def _owner(state: State, request: Request) -> FieldOwner | None:
    """Say who writes: nobody, for writers inside the sandbox."""
    manager = request.field_manager
    if request.content_type != APPLY:
        manager = manager or request.agent
    if not manager:
        return None
    return FieldOwner(
        manager=manager,
        at="" if request.subresource == "scale" else timestamp(state.clock()),
        force=request.force,
        subresource=request.subresource,
    )


def _patched(state: State, kind: Kind, current: Object, request: Request) -> Object:
    owner = _owner(state, request)
    if request.content_type == APPLY and owner is not None:
        admission.check_applied(kind, request)
        current = _claimed(state, kind, current, request, owner) if current else current
    schema = state.schema(kind, kind.version(request.version))
    body = request.body
    if request.content_type == APPLY and isinstance(body, dict):
        body = _writable(kind, body, request)
    made: object = apply_patch(request.content_type, current, body, schema=schema, owner=owner)
    if not isinstance(made, dict):
        raise ApiError.bad_request("the patch leaves no object")
    check_types(kind, made)
    return as_stored(kind, made)


def _claimed(
    state: State, kind: Kind, current: Object, request: Request, owner: FieldOwner
) -> Object:
    nothing = zero(kind.resource, kind.api_version(request.version))
    shapes = Shapes(state.schema(kind, kind.version(request.version)))
    owned = claimed(nothing, _writable(kind, current, request), owner, shapes)
    return with_metadata(current, managedFields=metadata(owned).get("managedFields"))


def _writable(kind: Kind, obj: Object, request: Request) -> Object:
    """Leave what can be written through this path: the status has a path of its own."""
    if not kind.storage_version.status:
        return obj
    if request.subresource != "status":
        return _without_status(obj)
    left = {field: value for field, value in obj.items() if field != "spec"}
    if not kind.custom:
        return left
    return {**left, "metadata": {f: v for f, v in metadata(obj).items() if f in IDENTITY}}


def _applied_anew(state: State, kind: Kind, request: Request) -> Answer:
    if request.content_type != APPLY or request.subresource:
        raise kind.not_found(request.name)
    obj = _patched(state, kind, {}, request)
    admission.check_place(kind, obj, request)
    return _born(state, kind, admission.placed(kind, obj, request.namespace), request)


def _scaled(state: State, kind: Kind, old: Object, request: Request, scale: object) -> Answer:
    if not isinstance(scale, dict):
        raise ApiError.bad_request("the body is not a Scale")
    new = scaling.scaled(kind, request.version, old, scale)
    answer = write(state, kind, old, new, replace(request, content_type="application/json"))
    return Answer(body=scaling.view(kind, request.version, answer.body))


def _require_status(kind: Kind, version: str) -> None:
    if not kind.version(version).status:
        raise ApiError.unknown_resource()
