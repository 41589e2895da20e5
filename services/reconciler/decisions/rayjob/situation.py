"""Everything a concern may look at: the job as wished, its state as told, the settings."""

from msgspec import Struct
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.raw import raw_resource
from services.reconciler.decisions.settings import DecisionSettings
from services.reconciler.manifests.names import auth_secret_name
from services.reconciler.manifests.rayjob.cluster import raycluster_manifest
from services.reconciler.manifests.rayjob.scheduling import job_pod_group
from services.reconciler.manifests.rayjob.service import job_head_service
from services.reconciler.manifests.rayjob.submitter import DASHBOARD_PORT, Attempt, submitter_job
from services.reconciler.manifests.rayjob.wished import cluster_as_wished
from services.reconciler.manifests.services import head_ports
from shared.actions.objects import Action, CreateObject
from shared.aggregates.rayjob import RayJobState, rayjob_state
from shared.aggregates.view import View
from shared.kernel.features import SIDECAR_SUBMITTER_RESTART
from shared.kernel.invariants import InvariantError
from shared.kernel.manifests import text_at
from shared.resources.predicates import kubernetes_token_auth, token_auth
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.resources.rayjob import KIND, RayJob
from shared.resources.reading import read_raycluster, read_rayjob

CLUSTER, SUBMITTER, SERVICE = "cluster", "submitter", "head-service"
POD_GROUP = "pod-group"
"""Names of manifests within an act."""


class Situation(Struct, frozen=True, kw_only=True):
    """One RayJob, now."""

    view: View
    job: RayJob
    state: RayJobState
    settings: DecisionSettings
    cluster: RayCluster | None
    """Its cluster as it stands, or as it will be asked for while there is none."""

    @property
    def selects(self) -> bool:
        """Whether it runs on a cluster that is not its own."""
        return self.job.spec.selected_cluster is not None

    @property
    def wished(self) -> RayCluster | None:
        """Its cluster as the spec asks for it, whatever there is."""
        return cluster_as_wished(self.job, self.state.cluster_name)

    @property
    def restarts(self) -> bool:
        """Whether a submitter beside the head is started again."""
        return self.settings.features.on(SIDECAR_SUBMITTER_RESTART)

    @property
    def ready(self) -> bool:
        """Whether its cluster is ready."""
        seen = self.state.cluster
        return seen is not None and text_at(seen.status, "state") == "ready"

    @property
    def job_id(self) -> str:
        """The id of the attempt's Ray job."""
        return text_at(self.view.status, "jobId")

    @property
    def service(self) -> str:
        """The head service of its cluster."""
        seen = self.state.cluster
        told = text_at(seen.status, "head", "serviceName") if seen else ""
        given = text_at(self.cluster.head.head_service, "metadata", "name") if self.cluster else ""
        return told or given or f"{self.state.cluster_name}-head-svc"

    @property
    def address(self) -> str:
        """Host and port of its dashboard."""
        told = text_at(self.view.status, "dashboardURL")
        if told or self.cluster is None:
            return told
        port = head_ports(self.cluster).get("dashboard", DASHBOARD_PORT)
        domain = self.settings.manifests.cluster_domain
        return f"{self.service}.{self.job.namespace}.svc.{domain}:{port}"

    @property
    def secret(self) -> str:
        """The Secret with the token that its dashboard asks for; empty for none."""
        cluster = self.cluster
        if cluster is None or not token_auth(cluster) or kubernetes_token_auth(cluster):
            return ""
        return auth_secret_name(cluster)

    def unsettled(self, kind: str, name: str) -> bool:
        """Whether something was asked of the object that is not seen yet."""
        return (kind, name) in self.state.unsettled

    def manifests(self, actions: tuple[Action, ...]) -> dict[str, dict[str, object]]:
        """Return the manifests that these actions name."""
        named = {action.manifest for action in actions if isinstance(action, CreateObject)}
        return {name: self.manifest(name) for name in sorted(named)}

    def manifest(self, name: str) -> dict[str, object]:
        """Return one manifest by its name within an act."""
        if self.cluster is None:
            raise InvariantError("nothing is made without a cluster")
        settings = self.settings.manifests
        attempt = Attempt(
            job=self.job, cluster=self.cluster, job_id=self.job_id, address=self.address
        )
        if name == SUBMITTER:
            return submitter_job(attempt, settings)
        if name == SERVICE:
            return job_head_service(attempt, settings)
        if name == POD_GROUP:
            return job_pod_group(self.job, self.wished or self.cluster)
        # The submitter beside the head is made before the dashboard's address is known.
        early = replace(attempt, address="")
        return raycluster_manifest(early, settings, restarts=self.restarts)


def situation_of(view: View, context: Context) -> Situation | tuple[Problem, ...]:
    """Read the resource; problems of its shape if that fails."""
    job = read_rayjob({**raw_resource(view, KIND), "status": dict(view.status)})
    if not isinstance(job, RayJob):
        return job
    state = rayjob_state(view)
    return Situation(
        view=view,
        job=job,
        state=state,
        settings=context.settings,
        cluster=_cluster(job, state),
    )


def _cluster(job: RayJob, state: RayJobState) -> RayCluster | None:
    seen = state.cluster
    if seen is None:
        wished = job.spec.selected_cluster is None and bool(state.cluster_name)
        return cluster_as_wished(job, state.cluster_name) if wished else None
    metadata = {"name": seen.meta.name, "namespace": seen.meta.namespace, "uid": seen.meta.uid}
    found = read_raycluster({"metadata": metadata, "spec": seen.spec})
    return found if isinstance(found, RayCluster) else None
