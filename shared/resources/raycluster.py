"""The RayCluster as its user wrote it.

Frozen, and complete: what the models do not know they keep, and `as_written` gives it all back.
Both served versions, v1 and v1alpha1, read alike. Questions with an answer that the fields only
imply (is autoscaling on, who made this) are in `shared.resources.predicates`; sums over the groups
in `shared.resources.totals`.
"""

from pydantic import Field

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
from shared.resources.resource import ManagedBy, Resource
from shared.resources.written import Flag, Text, Texts, Written

KIND = "RayCluster"


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
    managed_by: ManagedBy | None = Field(None, description="Which operator cares for this cluster.")
    upgrade_strategy: UpgradeStrategy | None = Field(
        None, description="What a changed spec means for running pods."
    )
    auth_options: AuthOptions | None = Field(None, description="Who may talk to the cluster.")
    gcs_fault_tolerance_options: GcsFaultToleranceOptions | None = Field(
        None, description="Where the head keeps its state."
    )
    head_service_annotations: Texts = Field(
        default_factory=dict, description="Annotations of the head service."
    )
    network_policy: NetworkPolicyOptions | None = Field(
        None, description="Which traffic reaches the pods. Behind RayClusterNetworkPolicy."
    )
    tls_options: TlsOptions | None = Field(
        None, description="Encryption between nodes. Behind RayClusterMTLS."
    )
    history_server_options: HistoryServerOptions | None = Field(
        None, description="What remains to look at. Behind RayClusterHistoryServer."
    )


class RayCluster(Resource[RayClusterSpec]):
    """A RayCluster with its metadata and the status it was last seen with."""

    kind: Text = KIND

    @property
    def head(self) -> HeadGroup:
        """Its head group."""
        return self.spec.head_group_spec

    @property
    def groups(self) -> tuple[WorkerGroup, ...]:
        """Its worker groups, in the user's order."""
        return self.spec.worker_group_specs
