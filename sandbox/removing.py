"""Delete one object or a whole selection.

Invariant: an object with finalizers, or a pod in its grace period, stays and is only marked.
Read next: deletion.py for the rules.
"""

from msgspec.structs import replace

from sandbox.deletion import check_preconditions, ended, marked
from sandbox.errors import ApiError
from sandbox.kinds import Kind
from sandbox.objects import Object, metadata, name_of
from sandbox.reading import collect
from sandbox.requests import Answer, Request, Selection
from sandbox.state import State, shown

PERMANENT = frozenset(("default", "kube-system"))


def delete(state: State, request: Request) -> Answer:
    """Let one object go."""
    kind = state.registry.find(request.resource)
    if request.subresource:
        if kind.custom:
            raise ApiError.unsupported_verb("delete", kind.plural, kind.group)
        raise ApiError.method_not_allowed()
    obj = state.find(kind, request.namespace, request.name)
    if kind.resource == "namespaces" and request.name in PERMANENT:
        raise ApiError.forbidden(kind.plural, request.name, "this namespace may not be deleted")
    check_preconditions(kind, obj, request.deletion)
    waiting = marked(kind, obj, request.deletion, state.clock())
    if waiting is not None:
        if waiting is not obj and not request.dry_run:
            waiting = state.replace(kind, waiting)
        return Answer(body=shown(kind, request.version, waiting))
    last = ended(kind, obj, state.clock())
    if not request.dry_run:
        last = state.remove(kind, last)
    if kind.returns_what_it_deleted:
        return Answer(body=shown(kind, request.version, last))
    return Answer(body=_success(kind, last))


def delete_collection(state: State, request: Request) -> Answer:
    """Let every selected object go; answers with what was selected."""
    found = collect(state, replace(request, selection=_whole(request.selection)))
    for obj in found.items:
        meta = metadata(obj)
        one = replace(
            request, verb="delete", namespace=meta.get("namespace", ""), name=meta["name"]
        )
        delete(state, one)
    return found


def _whole(selection: Selection) -> Selection:
    return Selection(labels=selection.labels, fields=selection.fields)


def _success(kind: Kind, obj: Object) -> Object:
    details = {"name": name_of(obj), "group": kind.group, "kind": kind.plural}
    details["uid"] = str(metadata(obj)["uid"])
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {key: value for key, value in details.items() if value},
    }
