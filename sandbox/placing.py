"""Two things that are done to pods by creating something under them: eviction and binding.

An eviction is a deletion that may carry options; nothing here guards pods against it (no disruption
budgets). A binding is how a scheduler says where a pod runs, once.
"""

from msgspec.structs import replace

from sandbox import removing
from sandbox.errors import ApiError
from sandbox.kinds import Kind
from sandbox.objects import Object, bury, dig, metadata
from sandbox.requests import Answer, Deletion, Request
from sandbox.state import State

SUCCESS: Object = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Success",
    "code": 201,
}


def evict(state: State, kind: Kind, request: Request) -> Answer:
    """Delete a pod on somebody's wish."""
    options = dig(request.body, "deleteOptions") or {}
    deletion = Deletion(
        grace_seconds=options.get("gracePeriodSeconds"),
        uid=dig(options, "preconditions.uid"),
        revision=dig(options, "preconditions.resourceVersion"),
    )
    state.find(kind, request.namespace, request.name)
    removing.delete(state, replace(request, verb="delete", subresource="", deletion=deletion))
    return Answer(code=201, body=SUCCESS)


def bind(state: State, kind: Kind, request: Request) -> Answer:
    """Say on which node a pod runs."""
    pod = state.find(kind, request.namespace, request.name)
    node = str(dig(request.body, "target.name") or "")
    held = dig(pod, "spec.nodeName")
    if held:
        raise kind.conflict(
            request.name, f'pod {request.name} is already assigned to node "{held}"'
        )
    if "deletionTimestamp" in metadata(pod):
        raise kind.conflict(
            request.name, f"pod {request.name} is being deleted, cannot be assigned"
        )
    if not node:
        raise ApiError.bad_request("target.name is required")
    bound = bury(pod, "spec.nodeName", node)
    if not request.dry_run:
        state.replace(kind, bound)
    return Answer(code=201, body=SUCCESS)
