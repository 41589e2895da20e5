"""Everything a concern may look at: the cluster as wished, its state as told, the settings."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.oversize import too_large
from services.reconciler.decisions.raw import raw_resource
from services.reconciler.decisions.settings import DecisionSettings
from services.reconciler.manifests.certificates import (
    empty_secret,
    node_certificate,
)
from services.reconciler.manifests.companions import COMPANIONS
from services.reconciler.manifests.network_policy import POLICY, network_policies
from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.redis_cleanup import redis_cleanup_job
from services.reconciler.manifests.schedulers.objects import SCHEDULING
from services.reconciler.manifests.services import head_service
from shared.actions.objects import Action, CreateObject
from shared.aggregates.raycluster import ENDED, RayClusterState, raycluster_state
from shared.aggregates.view import View
from shared.resources import labels as words
from shared.resources.groups import WorkerGroup
from shared.resources.problem import Problem
from shared.resources.raycluster import KIND, RayCluster
from shared.resources.reading import read_raycluster

HEAD_SERVICE = "head-service"
HEAD = "head"
REDIS_CLEANUP_JOB = "redis-cleanup-job"
_WORKER = "worker"
_CERTIFICATE = "certificate"
_SECRET = "secret"  # noqa: S105 - a word in names of manifests


def worker_manifest(group: str) -> str:
    """Return the name, within an act, of a group's pod manifest."""
    return f"{_WORKER}/{group}"


def certificate_manifest(node_type: str) -> str:
    """Return the name, within an act, of the certificate of head or workers."""
    return f"{_CERTIFICATE}/{node_type}"


def secret_manifest(name: str) -> str:
    """Return the name, within an act, of a Secret that cert-manager fills."""
    return f"{_SECRET}/{name}"


class Situation(Struct, frozen=True, kw_only=True):
    """One RayCluster, now."""

    view: View
    cluster: RayCluster
    state: RayClusterState
    settings: DecisionSettings

    def manifests(self, actions: tuple[Action, ...]) -> dict[str, dict[str, object]]:
        """Return the manifests that these actions name."""
        named = {action.manifest for action in actions if isinstance(action, CreateObject)}
        return {name: self._manifest(name) for name in sorted(named)}

    def _manifest(self, name: str) -> dict[str, object]:
        """Make what goes by this name within an act."""
        plain = COMPANIONS.get(name) or SCHEDULING.get(name)
        if plain is not None:
            return plain(self.cluster)
        what, _, which = name.partition("/")
        return _MAKERS[what](self, which)

    def group(self, name: str) -> WorkerGroup:
        """Return the worker group of a name."""
        return next(group for group in self.cluster.groups if group.group_name == name)

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


_MAKERS: Mapping[str, Callable[[Situation, str], dict[str, object]]] = MappingProxyType(
    {
        HEAD_SERVICE: lambda found, _: head_service(found.cluster, found.settings.manifests),
        HEAD: lambda found, _: head_pod(found.cluster, found.settings.manifests),
        REDIS_CLEANUP_JOB: lambda found, _: redis_cleanup_job(
            found.cluster, found.settings.manifests
        ),
        _WORKER: lambda found, group: worker_pod(
            found.cluster, found.group(group), found.settings.manifests
        ),
        POLICY: lambda found, name: found.network_policies()[name],
        _CERTIFICATE: Situation.certificate,
        _SECRET: lambda found, name: empty_secret(found.cluster, name),
    }
)
"""How what is not a companion is made, by the first word of its name."""


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
