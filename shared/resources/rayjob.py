"""The RayJob as its user wrote it: a program, and the cluster that it runs on.

The cluster is either made for the job (`rayClusterSpec`, the very spec of a RayCluster) or chosen
by name (`clusterSelector`); where both are written the selector wins. Both served versions, v1 and
v1alpha1, read alike.
"""

from pydantic import Field, field_validator

from shared.resources.job_options import (
    HTTP_MODE,
    INTERACTIVE_MODE,
    K8S_JOB_MODE,
    SIDECAR_MODE,
    DeletionStrategy,
    SubmitterConfig,
)
from shared.resources.labels import CLUSTER
from shared.resources.raycluster import RayClusterSpec
from shared.resources.resource import ManagedBy, Resource
from shared.resources.written import Flag, Int32, Number, PodTemplate, Text, Texts, Written

KIND = "RayJob"
SUBMISSION_MODES = (K8S_JOB_MODE, HTTP_MODE, INTERACTIVE_MODE, SIDECAR_MODE)


class RayJobSpec(Written):
    """What shall run, where, and what becomes of it."""

    entrypoint: Text | None = Field(None, description="The command that Ray runs.")
    entrypoint_num_cpus: Number | None = Field(
        None, description="Processors that the command itself reserves."
    )
    entrypoint_num_gpus: Number | None = Field(
        None, description="GPUs that the command itself reserves."
    )
    entrypoint_resources: Text | None = Field(
        None, description="Other resources that the command itself reserves, as JSON."
    )
    runtime_env_yaml: Text | None = Field(
        None, alias="runtimeEnvYAML", description="The runtime environment, as YAML."
    )
    metadata: Texts = Field(default_factory=dict, description="Metadata of the Ray job.")
    job_id: Text | None = Field(
        None, description="Submission id of the Ray job; made up if absent."
    )
    ray_cluster_spec: RayClusterSpec | None = Field(
        None, description="The cluster to make for this job."
    )
    cluster_selector: Texts = Field(
        {}, description="An existing cluster to use, named by the key ray.io/cluster."
    )
    submission_mode: Text = Field(
        K8S_JOB_MODE,
        description=f"How the job is submitted: {', '.join(SUBMISSION_MODES)}.",
    )
    submitter_pod_template: PodTemplate | None = Field(
        None, description="The pod that submits; its first container does it."
    )
    submitter_config: SubmitterConfig | None = Field(
        None, description="The Kubernetes Job that submits."
    )
    suspend: Flag | None = Field(None, description="Remove the cluster, start anew when resumed.")
    shutdown_after_job_finishes: Flag | None = Field(
        None, description="Delete the cluster when the job has ended."
    )
    ttl_seconds_after_finished: Int32 = Field(
        0, description="Seconds between the end of the job and that deletion."
    )
    deletion_strategy: DeletionStrategy | None = Field(
        None, description="What is deleted when the job has ended."
    )
    active_deadline_seconds: Int32 | None = Field(
        None, description="Seconds that one attempt may take."
    )
    pre_running_deadline_seconds: Int32 | None = Field(
        None,
        description="Seconds that one attempt may take until it runs.",
        json_schema_extra={"minimum": 1},
    )
    backoff_limit: Int32 | None = Field(
        None,
        description="How often a failed job is tried again, each time on a new cluster.",
        json_schema_extra={"default": 0},
    )
    managed_by: ManagedBy | None = Field(None, description="Which operator cares for this job.")

    @field_validator("submission_mode")
    @classmethod
    def _default_for_none(cls, mode: str) -> str:
        """Take a mode that was left empty for the default: nobody would submit otherwise."""
        return mode or K8S_JOB_MODE

    @property
    def selected_cluster(self) -> str | None:
        """Name of the cluster the user chose; None without a selector, empty if it names none."""
        return self.cluster_selector.get(CLUSTER, "") if self.cluster_selector else None


class RayJob(Resource[RayJobSpec]):
    """A RayJob with its metadata and the status it was last seen with."""

    kind: Text = KIND
