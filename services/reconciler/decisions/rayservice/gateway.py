"""The gateway of a service whose traffic moves in steps, its route, and a service for each cluster.

All are kept in step with what is wished. A route leads to a cluster only once the service of that
cluster is there. Nothing is taken from a cluster that stays and can take requests, to be given to
one that does not serve.
"""

from collections.abc import Iterator

from services.reconciler.decisions.rayservice import shares, stepping
from services.reconciler.decisions.rayservice.situation import Situation, read_cluster
from services.reconciler.manifests.rayservice.gateway import (
    Share,
    gateway_manifest,
    route_manifest,
    same_gateway,
    same_route,
)
from services.reconciler.manifests.rayservice.services import service_of_cluster, taking_requests
from services.reconciler.manifests.services import serve_ports
from shared.actions.objects import (
    Action,
    CreateObject,
    DeleteObject,
    Notice,
    PatchObject,
    Words,
)
from shared.aggregates.service_routes import (
    GATEWAY,
    HTTP_ROUTE,
    gateway_name,
    route_name,
    serve_service_of,
    weight_of,
)
from shared.aggregates.service_steps import WHOLE
from shared.events.objects import ChildSeen, ResourceSeen, ServiceSeen
from shared.kernel.invariants import InvariantError
from shared.kernel.manifests import Raw, mapping_at, thawed
from shared.resources import labels as words

OF_CLUSTER = "cluster-service/"
"""The manifest of a cluster's own serve service, with the cluster that it is about."""
_NAMES = {GATEWAY: "Gateway", HTTP_ROUTE: "HTTPRoute"}


def ensure(found: Situation) -> Iterator[Action]:
    """Keep the services of the clusters, the gateway and the route as they are wished."""
    if not found.incremental:
        return
    for cluster in (found.state.active, found.state.pending):
        if cluster is not None and cluster.meta.deleted_at is None:
            yield from _service(found, cluster)
    yield from _kept(found, GATEWAY)
    if _backends(found):
        yield from _kept(found, HTTP_ROUTE)


def remove(found: Situation) -> Iterator[DeleteObject]:
    """Delete gateway and route of a service that is suspended, whatever its strategy is now."""
    for living in (found.state.route, found.state.gateway):
        if living is None or living.meta.deleted_at is not None:
            continue
        kind, name = living.kind, living.meta.name
        if found.unsettled(kind, name):
            continue
        word, told = (
            _NAMES[kind],
            f"the {_NAMES[kind]} {found.service.namespace}/{name} during suspend",
        )
        yield DeleteObject(
            kind=kind,
            name=name,
            uid=living.meta.uid,
            rule="suspension",
            because="the service is suspended",
            notice=Notice(
                done=Words(reason=f"Deleted{word}", message=f"Deleted {told}"),
                refused=Words(reason=f"FailedToDelete{word}", message=f"Failed to delete {told}: "),
            ),
        )


def manifests(found: Situation, actions: tuple[Action, ...]) -> dict[str, dict[str, object]]:
    """Return the manifests of this concern that these actions name."""
    named = {action.manifest for action in actions if isinstance(action, CreateObject)}
    ours = (GATEWAY, HTTP_ROUTE, OF_CLUSTER)
    return {name: _manifest(found, name) for name in sorted(named) if name.startswith(ours)}


def _manifest(found: Situation, named: str) -> dict[str, object]:
    if named == GATEWAY:
        wished = shares.options(found).gateway_class_name or ""
        return gateway_manifest(found.service, wished)
    if named == HTTP_ROUTE:
        return route_manifest(found.service, _backends(found))
    cluster = read_cluster(found.state.clusters[named.removeprefix(OF_CLUSTER)])
    if cluster is None:
        raise InvariantError("a service was wanted for a cluster that cannot be read")
    return service_of_cluster(found.service, cluster)


def _backends(found: Situation) -> tuple[Share, ...]:
    """Return the clusters that the route leads to; none to leave it alone."""
    active, pending = _reachable(found, found.state.active), _reachable(found, found.state.pending)
    if active is None:
        return ()
    if pending is None:
        return (active,)
    wished = stepping.wished_split(found)
    return ((active[0], WHOLE - wished), (pending[0], wished))


def _reachable(found: Situation, seen: ResourceSeen | None) -> Share | None:
    if seen is None or serve_service_of(seen.meta.name) not in found.state.serve_services:
        return None
    cluster = read_cluster(seen)
    return (cluster, WHOLE) if cluster is not None else None


def _service(found: Situation, seen: ResourceSeen) -> Iterator[CreateObject | PatchObject]:
    name, cluster = serve_service_of(seen.meta.name), read_cluster(seen)
    living = found.state.serve_services.get(name)
    if cluster is None or not serve_ports(cluster) or found.unsettled("service", name):
        return
    if living is None and isinstance(found.view.children.get(("service", name)), ServiceSeen):
        return  # of a former cluster of this name: it goes with that one, and its end is seen
    if living is None:
        yield CreateObject(
            kind="service",
            name=name,
            manifest=f"{OF_CLUSTER}{seen.meta.name}",
            rule="cluster_service",
            because=f"traffic to {seen.meta.name} needs a service of its own",
            may_be_there=True,
        )
    elif living.meta.labels.get(words.OF_RAYSERVICE) != found.service.name:
        yield PatchObject(
            kind="service",
            name=name,
            uid=living.meta.uid,
            owner=seen.meta.uid,
            patch={"metadata": {"labels": {words.OF_RAYSERVICE: found.service.name}}},
            rule="cluster_service",
            because=f"service {name} does not say whose it is",
        )


def _kept(found: Situation, kind: str) -> Iterator[CreateObject | PatchObject]:
    """Make what is missing, change what is not as wished."""
    gateway = kind == GATEWAY
    name = (gateway_name if gateway else route_name)(found.service.name)
    living = found.state.gateway if gateway else found.state.route
    if found.unsettled(kind, name) or (living is not None and living.meta.deleted_at):
        return
    if living is None:
        yield CreateObject(
            kind=kind,
            name=name,
            manifest=kind,
            rule=kind,
            because=f"traffic in steps needs a {_NAMES[kind]}",
            notice=_notice(found, kind, name, "Create"),
        )
        return
    wished = _manifest(found, kind)
    gaining = "" if gateway else _gaining(found, living)
    serves = shares.serves(found, found.state.clusters.get(gaining))
    if gaining and not serves and _loser_answers(found, living):
        return
    if not (same_gateway if gateway else same_route)(living, wished):
        yield PatchObject(
            kind=kind,
            name=name,
            uid=living.meta.uid,
            patch=_change(living, wished),
            provided=takers(found, gaining) if serves else {},
            rule=kind,
            because=stepping.reason(found) if not gateway else "the gateway is not as wished",
            notice=_notice(found, kind, name, "Update"),
        )


def takers(found: Situation, cluster: str) -> dict[str, str]:
    """Return the labels of the pods that the service of a cluster leads to."""
    living = found.state.serve_services.get(serve_service_of(cluster))
    return dict(living.selector) if living is not None else taking_requests(cluster)


def _gaining(found: Situation, living: ChildSeen) -> str:
    """Return the cluster that is to get more requests than now; empty if none is."""
    wished = ((cluster.name, share) for cluster, share in _backends(found))
    return next((name for name, share in wished if share > max(weight_of(living, name), 0)), "")


def _loser_answers(found: Situation, living: ChildSeen) -> bool:
    """Whether somebody who is to get fewer requests than now can take them, as far as is known.

    Also one that is gone: what it ran may answer for a moment more, and it may come back.
    """
    wished = {cluster.name: share for cluster, share in _backends(found)}
    stay = {found.state.active_name, found.state.pending_name, *found.state.clusters} - {""}
    return any(
        weight_of(living, name) > wished.get(name, 0) and shares.answers(found, name)
        for name in stay
    )


def _change(living: ChildSeen, wished: Raw) -> dict[str, object]:
    spec = thawed(mapping_at(wished, "spec"))
    surplus: dict[str, object] = {"hostnames": None} if living.spec.get("hostnames") else {}
    return {"spec": {**spec, **surplus}}


def _notice(found: Situation, kind: str, name: str, verb: str) -> Notice:
    word, place = _NAMES[kind], f"{found.service.namespace}/{name}"
    created = f"{word} for RayService {place}"
    told, tried = (
        (f"Created {created}", f"create the {created}")
        if verb == "Create"
        else (f"Updated the {word} {place}", f"update the {word} {place}")
    )
    return Notice(
        done=Words(reason=f"{verb}d{word}", message=told),
        refused=Words(reason=f"FailedTo{verb}{word}", message=f"Failed to {tried}: "),
    )
