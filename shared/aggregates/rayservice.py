"""A view read as a RayService: its clusters, its services, and what Serve says on each cluster.

Names of the clusters are the status' to tell: active serves, pending is about to. Every other
RayCluster that the service owns is dangling. An answer of a dashboard counts only if it answers
what the last act asked.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

from msgspec import Struct

from shared.aggregates.phases import phase_of
from shared.aggregates.raycluster import owned_by
from shared.aggregates.service_routes import GATEWAY, HTTP_ROUTE, gateway_name, route_name
from shared.aggregates.view import View
from shared.events.objects import ChildSeen, ResourceSeen, ServiceSeen
from shared.events.told import FOUND, HealthTold, ServeTold
from shared.kernel.manifests import entries_at, text_at
from shared.resources.rayservice import RayService

FINALIZER = "ray.io/rayservice-finalizer"
ACTIVE, PENDING = "activeServiceStatus", "pendingServiceStatus"
RUNNING = "RUNNING"

PREPARE, DROP, SERVED, LABELLED = "prepare/", "drop-pending", "served/", "labelled/"
"""Marks of an act: a new cluster is wanted under this name; the pending one no longer is; a cluster
was told to serve this, when; a head carries this serve label."""
LONG = "long"
"""Since when a head is ready, or there, of which nobody tells the time."""
INITIALIZING = "initializing-timeout"
"""The timer that ends the patience with a service that never was ready."""
CAPACITY, SPLIT, ACCEPTED = "capacity/", "split/", "accepted/"
"""Marks of an upgrade in steps: which capacity a cluster was told, which share of the traffic the
pending one is to get, and the configuration that a cluster accepted."""
ROLLBACK = "rollback/"
"""The mark of an upgrade that goes back, and why."""
DANGLING = "dangling/"
"""Timers that end the stay of replaced clusters."""
SILENCE = timedelta(seconds=10)
"""How long a head may give no answer: about three questions, as many as a probe may lose."""
NO_SERVICES: Mapping[str, ServiceSeen] = MappingProxyType({})


class RayServiceState(Struct, frozen=True, kw_only=True):
    """What is there of a RayService, and what is on its way."""

    word: str
    active_name: str
    pending_name: str
    clusters: Mapping[str, ResourceSeen]
    """Every RayCluster it owns that is not known to be gone."""
    services: Mapping[str, ServiceSeen]
    slices: tuple[ChildSeen, ...]
    gateway: ChildSeen | None = None
    route: ChildSeen | None = None
    serve_services: Mapping[str, ServiceSeen] = NO_SERVICES
    """Services that lead to what one cluster serves, which controls them."""
    unsettled: frozenset[tuple[str, str]]
    """What was asked for, to come or to go, and is not seen yet."""

    @property
    def active(self) -> ResourceSeen | None:
        """The cluster that serves."""
        return self.clusters.get(self.active_name)

    @property
    def pending(self) -> ResourceSeen | None:
        """The cluster that is about to serve."""
        return self.clusters.get(self.pending_name)

    @property
    def dangling(self) -> tuple[ResourceSeen, ...]:
        """Clusters that are neither."""
        wanted = {self.active_name, self.pending_name}
        return tuple(one for name, one in self.clusters.items() if name not in wanted)

    def endpoints(self, service: str) -> int:
        """Count the ready endpoints of a service, each pod once."""
        ready = {
            text_at(endpoint, "uid")
            for one in self.slices
            if one.meta.labels.get("kubernetes.io/service-name") == service
            for endpoint in entries_at(one.content, "endpoints")
            if endpoint.get("ready") is True
        }
        return len(ready - {""})


def rayservice_state(view: View) -> RayServiceState:
    """Read a view whose resource exists as a RayService."""
    uid = view.own.meta.uid if view.own else ""
    gone = {(one.kind, one.name) for one in view.expectations if one.what == "gone"}
    clusters = {
        name: body
        for (kind, name), body in view.children.items()
        if kind == "raycluster"
        and isinstance(body, ResourceSeen)
        and owned_by(body.meta, uid)
        and (kind, name) not in gone
    }
    return RayServiceState(
        word=phase_of(view.status),
        active_name=text_at(view.status, ACTIVE, "rayClusterName"),
        pending_name=text_at(view.status, PENDING, "rayClusterName"),
        clusters=clusters,
        services={
            body.meta.name: body
            for body in view.children.values()
            if isinstance(body, ServiceSeen) and owned_by(body.meta, uid)
        },
        slices=tuple(
            body
            for body in view.children.values()
            if isinstance(body, ChildSeen) and body.kind == "endpointslice"
        ),
        gateway=_child(view, GATEWAY, gone),
        route=_child(view, HTTP_ROUTE, gone),
        serve_services={
            body.meta.name: body
            for (kind, name), body in view.children.items()
            if isinstance(body, ServiceSeen)
            and (kind, name) not in gone
            and any(owned_by(body.meta, one.meta.uid) for one in clusters.values())
        },
        unsettled=frozenset(
            (one.kind, one.name) for one in view.expectations if one.what != "gone"
        ),
    )


def _child(view: View, kind: str, gone: set[tuple[str, str]]) -> ChildSeen | None:
    """Return the one object of a kind that the resource has."""
    uid = view.own.meta.uid if view.own else ""
    name = {GATEWAY: gateway_name, HTTP_ROUTE: route_name}[kind](view.key.name)
    body = view.children.get((kind, name))
    there = isinstance(body, ChildSeen) and owned_by(body.meta, uid) and (kind, name) not in gone
    return body if isinstance(body, ChildSeen) and there else None


def head_service_name(service: str) -> str:
    """Return the name of the service that leads to the head."""
    return f"{service}-head-svc"


def serve_service_name(service: RayService) -> str:
    """Return the name of the service that leads to what is served: the user's, or ours."""
    return text_at(service.spec.serve_service, "metadata", "name") or f"{service.name}-serve-svc"


def serve_want(cluster: str) -> str:
    """Return the name of the want to know what Serve runs on a cluster."""
    return f"serve-{cluster}"


def health_want(cluster: str) -> str:
    """Return the name of the want to know whether the head of a cluster takes requests."""
    return f"head-{cluster}"


def served(view: View, cluster: str) -> ServeTold | None:
    """Return what Serve said on a cluster, if it answers the present want."""
    heard = view.told.get(serve_want(cluster))
    if heard is None or not isinstance(heard.body, ServeTold):
        return None
    return heard.body if heard.body.since == _since(view, serve_want(cluster)) else None


def last_served(view: View, cluster: str) -> ServeTold | None:
    """Return what Serve said last on a cluster, whatever it was asked for."""
    heard = view.told.get(serve_want(cluster))
    body = heard.body if heard is not None else None
    return body if isinstance(body, ServeTold) and body.answer == FOUND else None


def healthy_head(view: View, cluster: ResourceSeen) -> bool | None:
    """Return whether the head of a cluster takes requests; None if nobody can tell of this one.

    A head that gives no answer may only be slow, and whoever waits for it is still served: it
    takes no requests only after a silence that lasts.
    """
    body, until = _health(view, cluster), silent_until(view, cluster)
    if body is None or (until is not None and view.now < until):
        return None
    return body.healthy


def silent_until(view: View, cluster: ResourceSeen) -> datetime | None:
    """Return when the patience with a head that gives no answer ends; None if it answers."""
    body = _health(view, cluster)
    if body is None or not body.silent:
        return None
    return view.told[health_want(cluster.meta.name)].at + SILENCE


def _health(view: View, cluster: ResourceSeen) -> HealthTold | None:
    """Return what is known of this very head, if it answers the present want."""
    want = health_want(cluster.meta.name)
    heard = view.told.get(want)
    body = heard.body if heard is not None else None
    if not isinstance(body, HealthTold) or body.ip != text_at(cluster.status, "head", "podIP"):
        return None
    return body if body.since == _since(view, want) else None


def all_run(told: ServeTold | None) -> bool:
    """Whether Serve runs something, and all of it runs."""
    if told is None or told.answer != FOUND or not told.applications:
        return False
    return all(one.status == RUNNING for one in told.applications.values())


def head_ready(cluster: ResourceSeen | None, view: View) -> bool:
    """Whether the head of a cluster is ready, as its own status tells.

    With the gate of the conditions shut the status does not, and one is ready that answered when it
    was asked last.
    """
    if cluster is None or not head_may_answer(cluster):
        return False
    return not _untold(cluster) or last_served(view, cluster.meta.name) is not None


def head_may_answer(cluster: ResourceSeen) -> bool:
    """Whether the head of a cluster is worth asking: ready, or there where nobody tells."""
    return bool(head_ready_since(cluster))


def head_ready_since(cluster: ResourceSeen) -> str:
    """Return when the head of a cluster became ready, as its own status tells; empty if not."""
    for one in entries_at(cluster.status, "conditions"):
        if one.get("type") == "HeadPodReady" and one.get("status") == "True":
            return text_at(one, "lastTransitionTime") or LONG
    return LONG if _untold(cluster) and text_at(cluster.status, "head", "podIP") else ""


def _untold(cluster: ResourceSeen) -> bool:
    """Whether the status of a cluster has no conditions at all."""
    return "conditions" not in cluster.status


def _since(view: View, name: str) -> datetime | None:
    wants = view.act.wants if view.act else ()
    return next((want.since for want in wants if want.name == name), None)


def noted(view: View, prefix: str) -> tuple[str, ...]:
    """Return the marks of the last act that begin so, without what they begin with."""
    marks = view.act.noted if view.act else ()
    return tuple(mark.removeprefix(prefix) for mark in marks if mark.startswith(prefix))
