"""Everything a concern may look at: the service as wished, its state as told, the settings."""

from msgspec import Struct

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.raw import raw_resource
from services.reconciler.decisions.rayservice.lineage import Lineage, lineage_of
from services.reconciler.decisions.settings import DecisionSettings
from services.reconciler.manifests.names import auth_secret_name
from services.reconciler.manifests.rayservice.cluster import raycluster_manifest
from services.reconciler.manifests.rayservice.services import service_of_head, service_of_serve
from services.reconciler.manifests.services import head_ports
from shared.actions.objects import Action, CreateObject
from shared.aggregates.rayservice import RayServiceState, rayservice_state
from shared.aggregates.view import View
from shared.events.objects import ResourceSeen
from shared.kernel.invariants import InvariantError
from shared.kernel.manifests import text_at
from shared.resources.labels import OPERATOR_VERSION
from shared.resources.predicates import kubernetes_token_auth, token_auth
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.resources.rayservice import KIND, RayService
from shared.resources.reading import read_raycluster, read_rayservice
from shared.resources.service_options import NEW_CLUSTER, moves_in_steps

CLUSTER, HEAD_SERVICE, SERVE_SERVICE = "cluster/", "head-service/", "serve-service/"
"""Names of manifests within an act: each with the cluster that it is about."""
DASHBOARD_PORT = 8265


class Situation(Struct, frozen=True, kw_only=True):
    """One RayService, now."""

    view: View
    service: RayService
    state: RayServiceState
    lineage: Lineage
    settings: DecisionSettings

    @property
    def incremental(self) -> bool:
        """Whether traffic is asked to move in steps."""
        return moves_in_steps(self.service.spec.upgrade_strategy, self.settings.features)

    @property
    def replaces(self) -> bool:
        """Whether a changed cluster spec makes a new cluster, or is left alone."""
        strategy = self._strategy
        return self.settings.zero_downtime if not strategy else self._moves(strategy)

    def _moves(self, strategy: str) -> bool:
        return strategy == NEW_CLUSTER or self.incremental

    @property
    def _strategy(self) -> str:
        given = self.service.spec.upgrade_strategy
        return (given.type or "") if given else ""

    def comparable(self, cluster: ResourceSeen) -> bool:
        """Whether a cluster carries stamps of this version, so that its hash says something."""
        return cluster.meta.annotations.get(OPERATOR_VERSION) == self.settings.manifests.version

    def unsettled(self, kind: str, name: str) -> bool:
        """Whether something was asked of the object that is not seen yet."""
        return (kind, name) in self.state.unsettled

    def address(self, cluster: RayCluster) -> str:
        """Return host and port of a cluster's dashboard."""
        port = head_ports(cluster).get("dashboard", DASHBOARD_PORT)
        domain = self.settings.manifests.cluster_domain
        return f"{cluster.name}-head-svc.{cluster.namespace}.svc.{domain}:{port}"

    def secret(self, cluster: RayCluster) -> str:
        """Name the Secret with the token that a cluster's dashboard asks for; empty for none."""
        if not token_auth(cluster) or kubernetes_token_auth(cluster):
            return ""
        return auth_secret_name(cluster)

    def manifests(self, actions: tuple[Action, ...]) -> dict[str, dict[str, object]]:
        """Return the manifests that these actions name."""
        named = {action.manifest for action in actions if isinstance(action, CreateObject)}
        ours = (CLUSTER, HEAD_SERVICE, SERVE_SERVICE)
        return {name: self.manifest(name) for name in sorted(named) if name.startswith(ours)}

    def manifest(self, named: str) -> dict[str, object]:
        """Return one manifest by its name within an act."""
        what, _, name = named.partition("/")
        settings = self.settings.manifests
        if f"{what}/" == CLUSTER:
            steps, active = self.incremental, bool(self.state.active_name)
            return raycluster_manifest(
                self.service, name, settings, in_steps=steps, from_least=steps and active
            )
        cluster = read_cluster(self.state.clusters[name])
        if cluster is None:
            raise InvariantError("a service was wanted for a cluster that cannot be read")
        if f"{what}/" == HEAD_SERVICE:
            return service_of_head(self.service, cluster, settings)
        return service_of_serve(self.service, cluster)


def situation_of(view: View, context: Context) -> Situation | tuple[Problem, ...]:
    """Read the resource; problems of its shape if that fails."""
    service = read_rayservice(raw_resource(view, KIND))
    if not isinstance(service, RayService):
        return service
    state, settings = rayservice_state(view), context.settings
    return Situation(
        view=view,
        service=service,
        state=state,
        lineage=lineage_of(service, state.clusters, settings.manifests),
        settings=settings,
    )


def read_cluster(seen: ResourceSeen) -> RayCluster | None:
    """Read a cluster as it stands; None if its spec cannot be read."""
    metadata = {
        "name": seen.meta.name,
        "namespace": seen.meta.namespace,
        "uid": seen.meta.uid,
        "labels": seen.meta.labels,
    }
    found = read_raycluster({"metadata": metadata, "spec": seen.spec})
    return found if isinstance(found, RayCluster) else None


def head_of(cluster: ResourceSeen) -> tuple[str, str]:
    """Return name and address of a cluster's head, as its status tells them."""
    return text_at(cluster.status, "head", "podName"), text_at(cluster.status, "head", "podIP")


def serves_for(found: Situation, cluster: ResourceSeen) -> bool:
    """Whether a cluster was made from the present spec, or lacks worker groups only."""
    return cluster.meta.name in found.lineage.same | found.lineage.grown
