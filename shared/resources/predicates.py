"""What a RayCluster's fields imply.

One answer per question, so that validation, manifests, decisions and status cannot disagree. Some
annotations accept any letter case and some do not; this is the place that knows.
"""

from typing import Literal

from shared.kernel.features import MTLS, Features
from shared.kernel.manifests import Raw, entries_at, mapping_at, named, text_at
from shared.resources.groups import Group
from shared.resources.labels import FT_ENABLED, ORIGINATED_FROM_CRD, OVERWRITE_COMMAND
from shared.resources.raycluster import RayCluster

OPERATOR = "ray.io/kuberay-operator"
AUTOSCALER_V2_ENV = "RAY_enable_autoscaler_v2"

Creator = Literal["RayCluster", "RayJob", "RayService"]


def autoscaling(cluster: RayCluster) -> bool:
    """Whether an autoscaler runs beside the head."""
    return cluster.spec.enable_in_tree_autoscaling is True


def autoscaler_version(cluster: RayCluster) -> str | None:
    """Return the version the user chose, whether or not autoscaling is on."""
    options = cluster.spec.autoscaler_options
    return options.version if options else None


def fault_tolerant(cluster: RayCluster) -> bool:
    """Whether the head keeps its state outside, by option or by the older annotation."""
    by_annotation = cluster.annotations.get(FT_ENABLED, "").lower() == "true"
    return by_annotation or cluster.spec.gcs_fault_tolerance_options is not None


def embedded_storage(cluster: RayCluster) -> bool:
    """Whether the head keeps its state on a volume instead of in Redis."""
    options = cluster.spec.gcs_fault_tolerance_options
    return options is not None and options.backend == "rocksdb"


def token_auth(cluster: RayCluster) -> bool:
    """Whether Ray asks for a token; options without a mode do not count."""
    options = cluster.spec.auth_options
    return options is not None and options.mode == "token"


def kubernetes_token_auth(cluster: RayCluster) -> bool:
    """Whether Ray accepts service account tokens."""
    options = cluster.spec.auth_options
    return options is not None and options.enable_k8s_token_auth is True


def mutual_tls(cluster: RayCluster, features: Features) -> bool:
    """Whether nodes talk over mutual TLS."""
    options = cluster.spec.tls_options
    return features.on(MTLS) and options is not None and options.enabled is True


def keeps_command(cluster: RayCluster) -> bool:
    """Whether users start Ray themselves in every pod of the cluster."""
    return cluster.annotations.get(OVERWRITE_COMMAND, "").lower() == "true"


def creator(cluster: RayCluster) -> Creator:
    """Return the kind that made this cluster."""
    match cluster.labels.get(ORIGINATED_FROM_CRD):
        case "RayJob":
            return "RayJob"
        case "RayService":
            return "RayService"
        case _:
            return "RayCluster"


def ray_container(group: Group) -> Raw:
    """Return the container that runs Ray: the first one, whatever its name."""
    containers = entries_at(group.template, "spec", "containers")
    return containers[0] if containers else {}


def variable(container: Raw, name: str) -> Raw | None:
    """Return the environment variable as the user wrote it."""
    return named(entries_at(container, "env"), name)


def autoscaler_v2_asked_by_env(cluster: RayCluster) -> bool:
    """Whether the head asks for the second autoscaler in the old way."""
    asked = variable(ray_container(cluster.head), AUTOSCALER_V2_ENV)
    return asked is not None and text_at(asked, "value") in ("1", "true")


def restart_policy(group: Group) -> str:
    """Return the restart policy the user wrote; empty if none."""
    return text_at(mapping_at(group.template, "spec"), "restartPolicy")
