"""The RayCluster as its user wrote it.

Frozen, and complete: what the models do not know they keep, and `as_written` gives it all back.
Both served versions, v1 and v1alpha1, read alike. Questions with an answer that the fields only
imply (is autoscaling on, who made this) are in `shared.resources.predicates`; sums over the groups
in `shared.resources.totals`.
"""

from collections.abc import Mapping

from pydantic import Field, JsonValue

from shared.kernel.manifests import Raw
from shared.resources.groups import HeadGroup, WorkerGroup
from shared.resources.options import (
    AuthOptions,
    AutoscalerOptions,
    GcsFaultToleranceOptions,
    HistoryServerOptions,
    NetworkPolicyOptions,
    TlsOptions,
    UpgradeStrategy,
)
from shared.resources.written import Flag, RawObject, Text, Texts, Written

GROUP = "ray.io"
VERSION = "v1"
KIND = "RayCluster"

MANAGED_BY_RULES: list[JsonValue] = [
    {"rule": "self == oldSelf", "message": "the managedBy field is immutable"},
    {
        "rule": "self in ['ray.io/kuberay-operator', 'kueue.x-k8s.io/multikueue']",
        "message": (
            "the managedBy field value must be either 'ray.io/kuberay-operator' or "
            "'kueue.x-k8s.io/multikueue'"
        ),
    },
]


class Metadata(Written):
    """What Kubernetes keeps about every object."""

    name: Text = ""
    namespace: Text = "default"
    uid: Text = ""
    generation: int = 0
    labels: Texts = Field(default_factory=dict)
    annotations: Texts = Field(default_factory=dict)
    finalizers: tuple[Text, ...] = ()
    creation_timestamp: Text | None = None
    deletion_timestamp: Text | None = None


class RayClusterSpec(Written):
    """What the user wants."""

    head_group_spec: HeadGroup = Field(description="The head.")
    worker_group_specs: tuple[WorkerGroup, ...] = Field((), description="The workers.")
    ray_version: Text | None = Field(
        None, description="Version of Ray in the images; decides which features can be used."
    )
    enable_in_tree_autoscaling: Flag | None = Field(
        None, description="Run an autoscaler beside the head."
    )
    autoscaler_options: AutoscalerOptions | None = Field(None, description="That autoscaler.")
    suspend: Flag | None = Field(None, description="Remove all pods, keep the cluster.")
    managed_by: Text | None = Field(
        None,
        description="Which operator cares for this cluster.",
        json_schema_extra={"x-kubernetes-validations": [*MANAGED_BY_RULES]},
    )
    upgrade_strategy: UpgradeStrategy | None = Field(
        None, description="What a changed spec means for running pods."
    )
    auth_options: AuthOptions | None = Field(None, description="Who may talk to the cluster.")
    gcs_fault_tolerance_options: GcsFaultToleranceOptions | None = Field(
        None, description="Where the head keeps its state."
    )
    head_service_annotations: Texts = Field({}, description="Annotations of the head service.")
    network_policy: NetworkPolicyOptions | None = Field(
        None, description="Which traffic reaches the pods. Behind RayClusterNetworkPolicy."
    )
    tls_options: TlsOptions | None = Field(
        None, description="Encryption between nodes. Behind RayClusterMTLS."
    )
    history_server_options: HistoryServerOptions | None = Field(
        None, description="What remains to look at. Behind RayClusterHistoryServer."
    )


class RayCluster(Written):
    """A RayCluster with its metadata and the status it was last seen with."""

    api_version: Text = f"{GROUP}/{VERSION}"
    kind: Text = KIND
    metadata: Metadata = Metadata()
    spec: RayClusterSpec
    status: RawObject = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self.metadata.namespace

    @property
    def uid(self) -> str:
        """Which of all clusters that ever had this name it is."""
        return self.metadata.uid

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.metadata.labels

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return self.metadata.annotations

    @property
    def head(self) -> HeadGroup:
        """Its head group."""
        return self.spec.head_group_spec

    @property
    def groups(self) -> tuple[WorkerGroup, ...]:
        """Its worker groups, in the user's order."""
        return self.spec.worker_group_specs

    def spec_as_written(self) -> Raw:
        """Return the spec with nothing added."""
        return self.spec.as_written()
