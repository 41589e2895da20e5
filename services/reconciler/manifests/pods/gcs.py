"""Fault tolerance of the head's store: where a new head finds what the old one knew.

Either in Redis, under a namespace that outlives the pod, or on a volume. The store is configured
by options, or by annotations as it was before the options existed. Workers only learn to wait.
"""

from services.reconciler.manifests.names import storage_claim_name
from services.reconciler.manifests.pods.draft import Part, PodDraft, mount
from services.reconciler.manifests.pods.environment import add, append, literal
from shared.kernel.manifests import thawed
from shared.resources.labels import EXTERNAL_STORAGE_NAMESPACE, FT_ENABLED
from shared.resources.options import GcsFaultToleranceOptions, RedisCredential
from shared.resources.predicates import embedded_storage, fault_tolerant
from shared.resources.raycluster import RayCluster

_STORAGE = "gcs-storage"
_STORAGE_PATH = "/data/gcs"
_PASSWORD = "REDIS_PASSWORD"  # noqa: S105 - the name of a variable
_USERNAME = "REDIS_USERNAME"


def configure_head(draft: PodDraft) -> None:
    """Let the head keep its state outside, if the cluster is fault tolerant."""
    tolerant = fault_tolerant(draft.cluster)
    draft.annotations[FT_ENABLED] = "true" if tolerant else "false"
    if not tolerant:
        return
    if embedded_storage(draft.cluster):
        _keep_on_volume(draft)
    else:
        _keep_in_redis(draft)


def configure_worker(draft: PodDraft) -> None:
    """Let workers outlive a head that comes back."""
    if fault_tolerant(draft.cluster):
        add(draft.ray, literal("RAY_gcs_rpc_server_reconnect_timeout_s", "600"))


def storage_namespace(cluster: RayCluster) -> str:
    """Return the prefix of the cluster's keys in Redis."""
    options = cluster.spec.gcs_fault_tolerance_options
    given = options.external_storage_namespace if options else None
    annotated = cluster.annotations.get(EXTERNAL_STORAGE_NAMESPACE)
    return given or annotated or cluster.uid


def _keep_in_redis(draft: PodDraft) -> None:
    namespace = storage_namespace(draft.cluster)
    draft.annotations[EXTERNAL_STORAGE_NAMESPACE] = namespace
    add(draft.ray, literal("RAY_external_storage_namespace", namespace))
    options = draft.cluster.spec.gcs_fault_tolerance_options
    if options is not None:
        _connect(draft, options)
    elif "redis-password" in draft.start:
        add(draft.ray, literal(_PASSWORD, draft.start["redis-password"]))


def _connect(draft: PodDraft, options: GcsFaultToleranceOptions) -> None:
    append(draft.ray, literal("RAY_REDIS_ADDRESS", options.redis_address or ""))
    if options.redis_username is not None:
        append(draft.ray, _credential(_USERNAME, options.redis_username))
        draft.start["redis-username"] = f"${_USERNAME}"
    if options.redis_password is not None:
        append(draft.ray, _credential(_PASSWORD, options.redis_password))
        draft.start["redis-password"] = f"${_PASSWORD}"


def _credential(name: str, credential: RedisCredential) -> Part:
    variable: Part = {"name": name}
    if credential.value is not None:
        variable["value"] = credential.value
    if credential.value_from is not None:
        variable["valueFrom"] = thawed(credential.value_from)
    return variable


def _keep_on_volume(draft: PodDraft) -> None:
    append(
        draft.ray,
        literal("RAY_gcs_storage", "rocksdb"),
        literal("RAY_gcs_storage_path", _STORAGE_PATH),
    )
    claim = {"claimName": storage_claim_name(draft.cluster)}
    options = draft.cluster.spec.gcs_fault_tolerance_options
    storage = options.storage if options else None
    mounted = {"mountPath": _STORAGE_PATH}
    if storage is not None and storage.sub_path:
        mounted["subPath"] = storage.sub_path
    mount(draft, draft.ray, {"name": _STORAGE, "persistentVolumeClaim": claim}, mounted)
