"""The status of a RayJob, as the custom resource definition describes it.

The shape only. Words are not confined to those we know: Ray's dashboard may bring new ones.
"""

from pydantic import Field

from shared.resources.status import Moment, RayClusterStatus
from shared.resources.written import Int32, Int64, Text, Written


class RayJobInfo(Written):
    """What Ray's dashboard tells of the job."""

    start_time: Moment | None = Field(None, description="When Ray started it.")
    end_time: Moment | None = Field(None, description="When it ended in Ray.")


class RayJobStatus(Written):
    """What became of the job."""

    job_id: Text | None = Field(None, description="Submission id of the Ray job.")
    ray_cluster_name: Text | None = Field(None, description="The cluster it runs on.")
    dashboard_url: Text | None = Field(
        None, alias="dashboardURL", description="Host and port of that cluster's dashboard."
    )
    job_status: Text | None = Field(None, description="State of the Ray job.")
    job_deployment_status: Text | None = Field(None, description="State of this RayJob.")
    reason: Text | None = Field(None, description="Why it failed, in a word.")
    message: Text | None = Field(None, description="What Ray tells of the job's end.")
    start_time: Moment | None = Field(None, description="When the current attempt began.")
    end_time: Moment | None = Field(None, description="When it was over.")
    job_status_check_failure_start_time: Moment | None = Field(
        None, description="Since when the dashboard does not answer."
    )
    succeeded: Int32 | None = Field(
        None, description="Attempts that succeeded.", json_schema_extra={"default": 0}
    )
    failed: Int32 | None = Field(
        None, description="Attempts that failed.", json_schema_extra={"default": 0}
    )
    ray_job_info: RayJobInfo | None = Field(None, description="What the dashboard tells of it.")
    ray_cluster_status: RayClusterStatus | None = Field(
        None, description="Status of the cluster, as last seen."
    )
    observed_generation: Int64 | None = Field(
        None, description="The generation this status is about."
    )
