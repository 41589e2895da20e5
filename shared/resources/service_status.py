"""The status of a RayService, as the custom resource definition describes it.

The shape only. Two clusters at most are told of: the one that serves, and the one that shall.
"""

from pydantic import Field

from shared.resources.status import Conditions, Moment, RayClusterStatus
from shared.resources.written import Int32, Int64, Text, Written


class DeploymentStatus(Written):
    """One deployment of a Serve application."""

    status: Text | None = Field(None, description="Its state, as Serve tells it.")
    message: Text | None = Field(None, description="Why.")


class ApplicationStatus(Written):
    """One Serve application."""

    status: Text | None = Field(None, description="Its state, as Serve tells it.")
    message: Text | None = Field(None, description="Why.")
    serve_deployment_statuses: dict[str, DeploymentStatus] = Field(
        {}, description="Its deployments by name."
    )


class ServingStatus(Written):
    """One cluster of the service, and what it serves."""

    ray_cluster_name: Text | None = Field(None, description="Name of the cluster.")
    ray_cluster_status: RayClusterStatus | None = Field(
        None, description="Status of the cluster, as last seen."
    )
    application_statuses: dict[str, ApplicationStatus] = Field(
        {}, description="The Serve applications by name."
    )
    target_capacity: Int32 | None = Field(
        None, description="Percentage of its full size that Serve is asked for."
    )
    traffic_routed_percent: Int32 | None = Field(
        None, description="Percentage of the traffic that it gets."
    )
    last_traffic_migrated_time: Moment | None = Field(
        None, description="When that percentage last changed."
    )


class RayServiceStatus(Written):
    """What became of the service."""

    service_status: Text | None = Field(None, description="Deprecated: see the conditions.")
    conditions: Conditions = Field((), description="What is so, with reasons.")
    num_serve_endpoints: Int32 | None = Field(None, description="Pods that take requests.")
    active_service_status: ServingStatus | None = Field(
        None, description="The cluster that serves."
    )
    pending_service_status: ServingStatus | None = Field(
        None, description="The cluster that shall serve."
    )
    last_update_time: Moment | None = Field(None, description="When the status was last written.")
    observed_generation: Int64 | None = Field(
        None, description="The generation this status is about."
    )
