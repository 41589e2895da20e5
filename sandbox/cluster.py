"""A Kubernetes cluster as an object: requests in, answers out, no network and no clock of its own.

Simulations call the verbs below with a virtual clock and drive the controllers with `step`; the
HTTP face (`sandbox.api`) makes the same `Request` values from URLs. Objects that come out are
shared and must not be changed. Refusals are `ApiError`. Read next: requests.py, then writing.py.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sandbox import reading, removing, writing
from sandbox.controllers.scenario import Scenario
from sandbox.driving import Controllers
from sandbox.errors import AnswerLostError, ApiError
from sandbox.faults import Faults, LoseAnswer, Refuse, no_faults
from sandbox.identity import Uids, numbered_uids
from sandbox.objects import Object, namespace_of
from sandbox.requests import Answer, Deletion, Propagation, Request, Selection, Verb
from sandbox.state import State
from sandbox.store import HISTORY_MAX
from sandbox.watching import Subscription

FIRST_NAMESPACES = ("default", "kube-system")
Subresource: TypeAlias = Literal["", "status", "scale", "finalize"]

VERBS: Mapping[Verb, Callable[[State, Request], Answer]] = {
    "get": reading.get,
    "list": reading.collect,
    "create": writing.create,
    "update": writing.update,
    "patch": writing.patch,
    "delete": removing.delete,
    "deletecollection": removing.delete_collection,
}


class Listing(Struct, frozen=True, kw_only=True):
    """The objects of a list (or of one page of it) and the revision they show."""

    items: tuple[Object, ...]
    revision: str
    continue_: str = ""


class Cluster:
    """One cluster in memory."""

    def __init__(
        self,
        clock: Callable[[], datetime],
        uids: Uids | None = None,
        *,
        scenario: Scenario | None = None,
        history_max: int = HISTORY_MAX,
        first_revision: int = 1,
    ) -> None:
        self.state = State(
            clock,
            uids or numbered_uids("cluster"),
            history_max=history_max,
            first_revision=first_revision,
        )
        self.scenario = scenario or Scenario()
        self.controllers = Controllers(self.state)
        self.faults: Faults = no_faults
        for name in FIRST_NAMESPACES:
            self.create("namespaces", {"metadata": {"name": name}})

    def carry_out(self, request: Request) -> Answer:
        """Carry out any request but a watch, unless a fault forbids."""
        fault = self.faults(request)
        if isinstance(fault, Refuse):
            raise fault.error
        verb = VERBS.get(request.verb)
        if verb is None:
            raise ApiError.method_not_allowed()
        answer = verb(self.state, request)
        if isinstance(fault, LoseAnswer):
            raise AnswerLostError(f"the answer to {request.verb} {request.resource} was lost")
        return answer

    def rehearse(self, request: Request) -> Answer:
        """Say what a write would answer, and leave everything as it is."""
        return VERBS[request.verb](self.state, replace(request, dry_run=True))

    def watch(self, request: Request) -> Subscription:
        """Open a watch, unless a fault forbids."""
        fault = self.faults(request)
        if isinstance(fault, Refuse):
            raise fault.error
        if isinstance(fault, LoseAnswer):
            raise AnswerLostError(f"the watch of {request.resource} was lost")
        return Subscription(self.state, request)

    def step(self) -> datetime | None:
        """Run the controllers until they are quiet; return when they have more to do."""
        return self.controllers.settle(self.scenario)

    def get(self, resource: str, namespace: str | None, name: str) -> Object:
        """Return one object."""
        request = Request(verb="get", resource=resource, namespace=namespace or "", name=name)
        return self.carry_out(request).body

    def list(self, resource: str, namespace: str | None = None, **selection: Any) -> Listing:
        """Return the objects selected by `labels`, `fields`, `limit` and `continue_`."""
        request = Request(
            verb="list",
            resource=resource,
            namespace=namespace or "",
            selection=Selection(**selection),
        )
        answer = self.carry_out(request)
        meta = answer.body["metadata"]
        return Listing(
            items=answer.items,
            revision=meta["resourceVersion"],
            continue_=meta.get("continue", ""),
        )

    def create(self, resource: str, obj: Object, *, dry_run: bool = False) -> Object:
        """Create an object in the namespace it names (`default` if it names none)."""
        kind = self.state.registry.find(resource)
        namespace = (namespace_of(obj) or "default") if kind.namespaced else ""
        request = Request(
            verb="create", resource=resource, namespace=namespace, body=obj, dry_run=dry_run
        )
        return self.carry_out(request).body

    def update(self, resource: str, obj: Object, *, subresource: Subresource = "") -> Object:
        """Replace an object, or one subresource of it."""
        request = Request(
            verb="update",
            resource=resource,
            namespace=namespace_of(obj),
            name=obj["metadata"]["name"],
            subresource=subresource,
            body=obj,
        )
        return self.carry_out(request).body

    def patch(
        self, resource: str, namespace: str | None, name: str, patch: Any, **how: Any
    ) -> Object:
        """Patch an object; merge patch unless `content_type` says otherwise.

        `how` takes the other fields of `Request`, such as `subresource` or `field_manager`.
        """
        how.setdefault("content_type", "application/merge-patch+json")
        request = Request(
            verb="patch", resource=resource, namespace=namespace or "", name=name, body=patch, **how
        )
        return self.carry_out(request).body

    def delete(self, resource: str, namespace: str | None, name: str, **deletion: Any) -> Object:
        """Delete an object; `deletion` takes the fields of `Deletion`."""
        request = Request(
            verb="delete",
            resource=resource,
            namespace=namespace or "",
            name=name,
            deletion=Deletion(**deletion),
        )
        return self.carry_out(request).body

    def delete_collection(
        self,
        resource: str,
        namespace: str | None,
        selection: Selection,
        propagation: Propagation = "",
    ) -> tuple[Object, ...]:
        """Delete what is selected; return what that was."""
        request = Request(
            verb="deletecollection",
            resource=resource,
            namespace=namespace or "",
            selection=selection,
            deletion=Deletion(propagation=propagation),
        )
        return self.carry_out(request).items

    def subscribe(
        self, resource: str, namespace: str | None = None, from_revision: str = ""
    ) -> Subscription:
        """Watch a resource from a revision (none given: from what is there now)."""
        selection = Selection(revision=from_revision)
        return self.watch(
            Request(verb="watch", resource=resource, namespace=namespace or "", selection=selection)
        )
