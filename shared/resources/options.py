"""The option blocks of a RayCluster: autoscaler, fault tolerance, authentication and the rest.

Every block is optional as a whole, and a block that is absent differs from one that is empty:
writing `gcsFaultToleranceOptions: {}` switches fault tolerance on. The cluster that holds them
is in `shared.resources.raycluster`.
"""

from typing import Literal

from pydantic import Field
from pydantic.config import JsonDict

from shared.resources.written import (
    EgressRule,
    EnvFromSource,
    EnvVar,
    EnvVarSource,
    Flag,
    IngressRule,
    IngressTls,
    Int32,
    QuantityText,
    ResourceRequirements,
    SecurityContext,
    Text,
    VolumeMount,
    Written,
)

IMMUTABLE_BACKEND: JsonDict = {
    "rule": "self == oldSelf",
    "message": "gcsFaultToleranceOptions.backend is immutable",
}


class AutoscalerOptions(Written):
    """The autoscaler that runs beside the head."""

    resources: ResourceRequirements | None = Field(
        None, description="Resources of the autoscaler container; 500m and 512Mi if absent."
    )
    image: Text | None = Field(None, description="Image; that of the Ray container if absent.")
    image_pull_policy: Text | None = Field(None, description="When to pull the image.")
    security_context: SecurityContext | None = Field(None, description="Its security context.")
    idle_timeout_seconds: Int32 | None = Field(
        None, description="How long a worker may idle before it is removed. Read by Ray."
    )
    upscaling_mode: Literal["Default", "Aggressive", "Conservative"] | None = Field(
        None, description="How fast to add workers. Read by Ray."
    )
    version: Literal["v1", "v2"] | None = Field(
        None, description="Which autoscaler to run; Ray decides if absent."
    )
    env: tuple[EnvVar, ...] = Field((), description="More environment variables.")
    env_from: tuple[EnvFromSource, ...] = Field((), description="More sources of variables.")
    volume_mounts: tuple[VolumeMount, ...] = Field((), description="More volume mounts.")
    command: tuple[Text, ...] = Field((), description="Replaces the command.")
    args: tuple[Text, ...] = Field((), description="Replaces the arguments.")


class RedisCredential(Written):
    """A user name or password: a value, or where to find it."""

    value: Text | None = Field(None, description="The value itself.")
    value_from: EnvVarSource | None = Field(None, description="Where the value is kept.")


class GcsStorage(Written):
    """The volume that keeps the state of an embedded store."""

    claim_name: Text | None = Field(None, description="An existing claim to use.")
    size: QuantityText | None = Field(None, description="Size of a claim to make; 1Gi if absent.")
    storage_class_name: Text | None = Field(None, description="Storage class of that claim.")
    access_modes: tuple[Text, ...] = Field((), description="Access modes of that claim.")
    sub_path: Text | None = Field(None, description="Folder of the volume to mount.")
    deletion_policy: Literal["DeleteWithCluster", "Retain"] | None = Field(
        None, description="What becomes of that claim when the cluster goes."
    )


class GcsFaultToleranceOptions(Written):
    """Where the head keeps its state, so that a new head can go on."""

    backend: Literal["redis", "rocksdb"] | None = Field(
        None,
        description="Kind of store; redis if absent.",
        json_schema_extra={"x-kubernetes-validations": [IMMUTABLE_BACKEND]},
    )
    redis_address: Text | None = Field(None, description="Address of the Redis server.")
    redis_username: RedisCredential | None = Field(None, description="Redis user name.")
    redis_password: RedisCredential | None = Field(None, description="Redis password.")
    external_storage_namespace: Text | None = Field(
        None, description="Prefix of the keys in Redis; the uid of the cluster if absent."
    )
    storage: GcsStorage | None = Field(None, description="Volume for the rocksdb backend.")


class AuthOptions(Written):
    """Who may talk to the cluster."""

    mode: Literal["disabled", "token"] | None = Field(
        None, description="Whether Ray asks for a token."
    )
    secret_name: Text | None = Field(
        None, description="An existing Secret with the key auth_token; one is made if absent."
    )
    enable_k8s_token_auth: Flag | None = Field(
        None, alias="enableK8sTokenAuth", description="Accept Kubernetes service account tokens."
    )


class UpgradeStrategy(Written):
    """What a changed spec means for running pods."""

    type: Text | None = Field(
        None,
        description="Recreate deletes all pods and makes new ones; None leaves them alone.",
        json_schema_extra={"enum": ["Recreate", "None"]},
    )


class TlsOptions(Written):
    """Encryption between the nodes of the cluster."""

    enabled: Flag | None = Field(None, description="Whether nodes use mutual TLS.")


class CollectorOptions(Written):
    """The sidecar that collects logs and events for the history server."""

    image: Text | None = Field(None, description="Image of the collector.")
    image_pull_policy: Text | None = Field(None, description="When to pull the image.")
    resources: ResourceRequirements | None = Field(None, description="Resources it may use.")
    env: tuple[EnvVar, ...] = Field((), description="Where and how it stores.")


class HistoryServerOptions(Written):
    """What remains to look at when the cluster is gone."""

    collector_options: CollectorOptions | None = Field(None, description="The collector.")


class NetworkRules(Written):
    """Traffic that is allowed in spite of the policy's mode."""

    ingress_rules: tuple[IngressRule, ...] = Field((), description="Allowed ways in.")
    egress_rules: tuple[EgressRule, ...] = Field((), description="Allowed ways out.")


class GroupNetworkRules(NetworkRules):
    """The same for one worker group, instead of the rules for all workers."""

    group_name: Text = Field(description="Name of the worker group.")


class NetworkPolicyOptions(Written):
    """Which traffic reaches the pods of the cluster."""

    mode: Literal["DenyAll", "DenyAllIngress", "DenyAllEgress"] = Field(
        "DenyAll", description="Which directions are closed but for traffic within the cluster."
    )
    head: NetworkRules | None = Field(None, description="Rules for the head.")
    worker: NetworkRules | None = Field(None, description="Rules for all workers.")
    worker_groups: tuple[GroupNetworkRules, ...] = Field(
        (),
        description="Rules for single groups.",
        json_schema_extra={
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["groupName"],
        },
    )


class IngressOptions(Written):
    """How the dashboard is reached from outside."""

    host: Text | None = Field(None, description="Host name; any if absent.")
    path: Text | None = Field(None, description="Path; / if absent.")
    path_type: Literal["Exact", "Prefix", "ImplementationSpecific"] | None = Field(
        None, description="How the path is matched; Prefix if absent."
    )
    tls: tuple[IngressTls, ...] = Field((), description="Certificates by host.")
