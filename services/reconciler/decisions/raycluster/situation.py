"""Everything a concern may look at: the cluster as wished, its state as told, the settings."""

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import DecisionSettings
from services.reconciler.manifests.companions import COMPANIONS
from services.reconciler.manifests.network_policy import network_policies, policy_manifest
from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.redis_cleanup import redis_cleanup_job
from services.reconciler.manifests.services import head_service
from shared.actions.objects import Action, CreateObject
from shared.aggregates.raycluster import RayClusterState, raycluster_state
from shared.aggregates.view import View
from shared.kernel.instants import print_instant
from shared.kernel.manifests import thawed
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster

HEAD_SERVICE = "head-service"
HEAD = "head"
REDIS_CLEANUP_JOB = "redis-cleanup-job"


def worker_manifest(group: str) -> str:
    """Return the name, within an act, of a group's pod manifest."""
    return f"worker/{group}"


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
        makers |= {name: partial(make, self.cluster) for name, make in COMPANIONS.items()}
        policies = self.network_policies().items()
        makers |= {policy_manifest(name): partial(thawed, policy) for name, policy in policies}
        return {name: makers[name]() for name in sorted(named)}

    def network_policies(self) -> dict[str, dict[str, object]]:
        """Return the network policies that the cluster wants, by name."""
        owners = self.view.own.meta.owners if self.view.own else ()
        rayjobs = (one.name for one in owners if one.controller and one.kind == "RayJob")
        return network_policies(self.cluster, next(rayjobs, ""))


def situation_of(view: View, context: Context) -> Situation | tuple[Problem, ...]:
    """Read the resource; problems of its shape if that fails."""
    cluster = read_raycluster(raw_resource(view))
    if not isinstance(cluster, RayCluster):
        return cluster
    return Situation(
        view=view, cluster=cluster, state=raycluster_state(view), settings=context.settings
    )


def raw_resource(view: View) -> Mapping[str, object]:
    """Return the resource in the form in which users write it."""
    own = view.own
    if own is None:
        return {}
    meta = own.meta
    metadata = {
        "name": meta.name,
        "namespace": meta.namespace,
        "uid": meta.uid,
        "generation": meta.generation,
        "labels": meta.labels,
        "annotations": meta.annotations,
        "finalizers": list(meta.finalizers),
        "creationTimestamp": print_instant(meta.created_at) if meta.created_at else None,
        "deletionTimestamp": print_instant(meta.deleted_at) if meta.deleted_at else None,
    }
    return {
        "apiVersion": own.api_version,
        "kind": "RayCluster",
        "metadata": metadata,
        "spec": own.spec,
    }
