"""On OpenShift a cluster that asks for an ingress has a route to its dashboard instead.

Whether this is OpenShift, and whether routes are wanted there, is told by the settings: whoever
decides cannot look. A route is made if the cluster has none, never changed, and never removed.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster.companions import creation_notice, place
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.manifests.companions import ROUTE
from services.reconciler.manifests.names import route_name
from shared.actions.objects import CreateObject

_KIND = "route"


def instead_of_ingress(found: Situation) -> bool:
    """Whether this installation makes routes where clusters ask for an ingress."""
    return found.settings.openshift_routes is True


def ensure(found: Situation) -> Iterator[CreateObject]:
    """Yield the creation of the route, unless the cluster has one of whatever name."""
    wanted = found.cluster.head.enable_ingress is True and instead_of_ingress(found)
    known = (*found.state.children, *found.state.unsettled)
    if not wanted or any(kind == _KIND for kind, _ in known):
        return
    name = route_name(found.cluster)
    yield CreateObject(
        kind=_KIND,
        name=name,
        manifest=ROUTE,
        rule="route",
        because="the cluster asks for a way to its dashboard and has no route",
        notice=creation_notice("Route", "route", place(found, name)),
    )
