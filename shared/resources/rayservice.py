"""The RayService as its user wrote it: Serve applications, and the cluster that serves them.

The cluster (`rayClusterConfig`) is the very spec of a RayCluster. Both served versions, v1 and
v1alpha1, read alike.
"""

from pydantic import Field

from shared.resources.raycluster import RayClusterSpec
from shared.resources.resource import ManagedBy, Resource
from shared.resources.service_options import ServiceUpgradeStrategy
from shared.resources.written import Flag, Int32, ServiceObject, Text, Written

KIND = "RayService"


class RayServiceSpec(Written):
    """What shall be served, and by what."""

    ray_cluster_config: RayClusterSpec = Field(description="The cluster that serves.")
    serve_config_v2: Text | None = Field(
        None, alias="serveConfigV2", description="The Serve applications, as YAML."
    )
    serve_service: ServiceObject | None = Field(None, description="The service to make for users.")
    upgrade_strategy: ServiceUpgradeStrategy | None = Field(
        None, description="What a changed cluster spec means for the service."
    )
    ray_cluster_deletion_delay_seconds: Int32 | None = Field(
        None,
        description="Seconds until a replaced cluster is deleted; 60 if absent.",
        json_schema_extra={"minimum": 0},
    )
    exclude_head_pod_from_serve_svc: Flag | None = Field(
        None, description="Send no requests to the head."
    )
    suspend: Flag | None = Field(None, description="Remove everything, keep the service.")
    managed_by: ManagedBy | None = Field(None, description="Which operator cares for this service.")
    service_unhealthy_second_threshold: Int32 | None = Field(
        None, description="Deprecated, without effect."
    )
    deployment_unhealthy_second_threshold: Int32 | None = Field(
        None, description="Deprecated, without effect."
    )


class RayService(Resource[RayServiceSpec]):
    """A RayService with its metadata and the status it was last seen with."""

    kind: Text = KIND
