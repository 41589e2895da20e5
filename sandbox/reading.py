"""Get and list.

Invariant: the pages of one list show one revision, however much is written between them; a page
whose revision is forgotten is refused (410); only who asks for that gets it patched together. Read
next: pages.py, watching.py.
"""

from sandbox import pages, scaling
from sandbox.errors import ApiError, Cause
from sandbox.kinds import Kind
from sandbox.objects import Object
from sandbox.requests import Answer, Request, Selection
from sandbox.selectors import Selector, field_selector, label_selector
from sandbox.state import State, shown
from sandbox.wording import forbidden

MATCHES = frozenset(("", "Exact", "NotOlderThan"))


def get(state: State, request: Request) -> Answer:
    """Answer with one object."""
    kind = state.registry.find(request.resource)
    found = state.find(kind, request.namespace, request.name)
    if request.subresource == "scale":
        return Answer(body=scaling.view(kind, request.version, found))
    return Answer(body=shown(kind, request.version, found), warnings=warned(kind, request.version))


def warned(kind: Kind, version: str) -> tuple[str, ...]:
    """Return what a client of this version should know."""
    warning = kind.version(version).warning
    return (warning,) if warning else ()


def collect(state: State, request: Request) -> Answer:
    """Answer with the selected objects, a page at a time if asked so."""
    kind = state.registry.find(request.resource)
    selection = request.selection
    check_match(selection)
    revision, start = _starting_point(state, kind, request)
    held = state.store.objects_at(kind.resource, revision)
    selected = selector(kind, selection)
    keys = [
        key
        for key in sorted(held)
        if key >= start
        and (not request.namespace or key[0] == request.namespace)
        and selected(held[key])
    ]
    page = keys[: selection.limit] if selection.limit else keys
    meta: Object = {"resourceVersion": str(revision)}
    if len(page) < len(keys):
        meta["continue"] = pages.after(revision, page[-1], request.namespace)
        if not selection.labels and not selection.fields:
            meta["remainingItemCount"] = len(keys) - len(page)
    body = {
        "kind": kind.list_kind or f"{kind.kind}List",
        "apiVersion": kind.api_version(request.version),
        "metadata": meta,
    }
    items = tuple(shown(kind, request.version, held[key]) for key in page)
    return Answer(body=body, items=items, warnings=warned(kind, request.version))


def check_match(selection: Selection) -> None:
    """Refuse a revision match that makes no sense."""
    where = "resourceVersionMatch"
    match = selection.revision_match
    if match and not selection.revision:
        told = f"{where} is forbidden unless resourceVersion is provided"
        raise ApiError.bad_options("ListOptions", forbidden(where, told))
    if match not in MATCHES:
        told = f'Unsupported value: "{match}": supported values: "Exact", "NotOlderThan", ""'
        cause = Cause(field=where, reason="FieldValueNotSupported", message=told)
        raise ApiError.bad_options("ListOptions", cause)


def selector(kind: Kind, selection: Selection) -> Selector:
    """Return the predicate of a selection; raises `ApiError` if it cannot be read."""
    by_label = label_selector(selection.labels)
    by_field = field_selector(selection.fields, kind.fields, custom=kind.custom)
    return lambda obj: by_label(obj) and by_field(obj)


def asked_revision(state: State, text: str) -> int:
    """Read a revision that a client names; raises `ApiError` if it is none or yet to come."""
    if not text.isdigit():
        raise ApiError.bad_request(f"invalid resource version: {unreadable(text)}")
    if int(text) > state.store.revision:
        raise ApiError.too_large(int(text), state.store.revision)
    return int(text)


def unreadable(text: str) -> str:
    """Say that a text is no revision."""
    return (
        f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": '
        "invalid syntax"
    )


def _starting_point(state: State, kind: Kind, request: Request) -> tuple[int, tuple[str, str]]:
    selection, floor = request.selection, state.store.history(kind.resource).floor
    if selection.continue_:
        token = pages.read(selection.continue_)
        if token.revision == pages.NOW:
            return state.store.revision, token.key(request.namespace)
        if token.revision < floor:
            raise pages.too_late(token)
        return token.revision, token.key(request.namespace)
    if selection.revision:
        asked = asked_revision(state, selection.revision)
        if selection.revision_match == "Exact":
            if asked < floor:
                raise ApiError.expired()
            return asked, ("", "")
    return state.store.revision, ("", "")
