"""Everything a concern may look at: the cluster as wished, its state as told, the settings."""

from collections.abc import Callable
from functools import partial

from msgspec import Struct

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.oversize import too_large
from services.reconciler.decisions.raw import raw_resource
from services.reconciler.decisions.settings import DecisionSettings
from services.reconciler.manifests.certificates import (
    empty_secret,
    node_certificate,
    secret_names,
)
from services.reconciler.manifests.companions import COMPANIONS
from services.reconciler.manifests.network_policy import network_policies, policy_manifest
from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.redis_cleanup import redis_cleanup_job
from services.reconciler.manifests.schedulers.objects import SCHEDULING
from services.reconciler.manifests.services import head_service
from shared.actions.objects import Action, CreateObject
from shared.aggregates.raycluster import ENDED, RayClusterState, raycluster_state
from shared.aggregates.view import View
from shared.kernel.manifests import thawed
from shared.resources import labels as words
from shared.resources.problem import Problem
from shared.resources.raycluster import KIND, RayCluster
from shared.resources.reading import read_raycluster

HEAD_SERVICE = "head-service"
HEAD = "head"
REDIS_CLEANUP_JOB = "redis-cleanup-job"


def worker_manifest(group: str) -> str:
    """Return the name, within an act, of a group's pod manifest."""
    return f"worker/{group}"


def certificate_manifest(node_type: str) -> str:
    """Return the name, within an act, of the certificate of head or workers."""
    return f"certificate/{node_type}"


def secret_manifest(name: str) -> str:
    """Return the name, within an act, of a Secret that cert-manager fills."""
    return f"secret/{name}"


class Situation(Struct, frozen=True, kw_only=True):
    """One RayCluster, now."""

    view: View
    cluster: RayCluster
    state: RayClusterState
    settings: DecisionSettings

    def manifests(self, actions: tuple[Action, ...]) -> dict[str, dict[str, object]]:
        """Return the manifests that these actions name."""
        named = {action.manifest for action in actions if isinstance(action, CreateObject)}
        settings = self.settings.manifests
        makers: dict[str, Callable[[], dict[str, object]]] = {
            HEAD_SERVICE: lambda: head_service(self.cluster, settings),
            HEAD: lambda: head_pod(self.cluster, settings),
            REDIS_CLEANUP_JOB: lambda: redis_cleanup_job(self.cluster, settings),
        } | {
            worker_manifest(group.group_name): partial(worker_pod, self.cluster, group, settings)
            for group in self.cluster.groups
        }
        plain = {**COMPANIONS, **SCHEDULING}
        makers |= {name: partial(make, self.cluster) for name, make in plain.items()}
        policies = self.network_policies().items()
        makers |= {policy_manifest(name): partial(thawed, policy) for name, policy in policies}
        makers |= {
            certificate_manifest(node_type): partial(self.certificate, node_type)
            for node_type in (words.HEAD, words.WORKER)
        } | {
            secret_manifest(name): partial(empty_secret, self.cluster, name)
            for name in secret_names(self.cluster)
        }
        return {name: makers[name]() for name in sorted(named)}

    def network_policies(self) -> dict[str, dict[str, object]]:
        """Return the network policies that the cluster wants, by name."""
        owners = self.view.own.meta.owners if self.view.own else ()
        rayjobs = (one.name for one in owners if one.controller and one.kind == "RayJob")
        return network_policies(self.cluster, next(rayjobs, ""))

    def certificate(self, node_type: str) -> dict[str, object]:
        """Return the certificate that head or workers want, for the pods that live now."""
        living = (
            pod.ip
            for pod in self.state.pods.values()
            if pod.meta.labels.get(words.NODE_TYPE) == node_type
            and pod.meta.deleted_at is None
            and pod.phase not in ENDED
        )
        addresses = (address for address in living if address)
        return node_certificate(self.cluster, self.settings.manifests, node_type, addresses)


def situation_of(view: View, context: Context) -> Situation | tuple[Problem, ...]:
    """Read the resource; problems of its size or shape if that fails."""
    if problems := too_large(view, "InvalidRayClusterSpec"):
        return problems
    cluster = read_raycluster(raw_resource(view, KIND))
    if not isinstance(cluster, RayCluster):
        return cluster
    return Situation(
        view=view, cluster=cluster, state=raycluster_state(view), settings=context.settings
    )
