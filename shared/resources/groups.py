"""The groups of a RayCluster: one head, any number of worker groups.

`replicas` and its bounds tell absent from zero. What a group comes to in pods is clamped:
`desired_replicas` and `desired_pods` are the only places that do it. A group's `resources` and
`labels` are words of Ray, not of Kubernetes: they end in the `ray start` command line.
"""

from pydantic import ConfigDict, Field

from shared.resources.options import IngressOptions
from shared.resources.written import Flag, Int32, PodTemplate, ServiceObject, Text, Texts, Written

REPLICAS_LIMIT = 2**31 - 1


class Group(Written):
    """What head and workers have in common."""

    template: PodTemplate = Field(
        description="The pod; its first container runs Ray, whatever its name."
    )
    ray_start_params: Texts = Field(default_factory=dict, description="Flags of ray start.")
    resources: Texts = Field(
        default_factory=dict, description="Logical resources of each Ray node."
    )
    labels: Texts = Field(
        default_factory=dict, description="Labels of each Ray node, also put on its pod."
    )


class HeadGroup(Group):
    """The one head."""

    model_config = ConfigDict(json_schema_extra={"required": ["template"]})

    service_type: Text | None = Field(None, description="Type of the head service.")
    head_service: ServiceObject | None = Field(None, description="The head service to make.")
    enable_ingress: Flag | None = Field(None, description="Whether to make an ingress.")
    ingress_options: IngressOptions | None = Field(None, description="What that ingress says.")


class ScaleStrategy(Written):
    """Which workers go first."""

    workers_to_delete: tuple[Text, ...] = Field(
        (), description="Names of pods to remove; written by the Ray autoscaler."
    )


class WorkerGroup(Group):
    """Workers that are all alike."""

    model_config = ConfigDict(
        json_schema_extra={"required": ["groupName", "maxReplicas", "minReplicas", "template"]}
    )

    group_name: Text = Field(description="Name of the group.")
    replicas: Int32 | None = Field(
        None,
        description="Wanted replicas, kept within the bounds.",
        json_schema_extra={"default": 0},
    )
    min_replicas: Int32 | None = Field(
        None, description="Lower bound.", json_schema_extra={"default": 0}
    )
    max_replicas: Int32 | None = Field(
        None, description="Upper bound.", json_schema_extra={"default": REPLICAS_LIMIT}
    )
    num_of_hosts: Int32 = Field(1, description="Pods per replica.")
    priority: Int32 | None = Field(
        None,
        description="Which group the autoscaler prefers.",
        json_schema_extra={"default": 0},
    )
    idle_timeout_seconds: Int32 | None = Field(
        None, description="How long a worker of this group may idle."
    )
    suspend: Flag | None = Field(None, description="Remove the pods of this group.")
    scale_strategy: ScaleStrategy | None = Field(None, description="Which workers go first.")

    @property
    def suspended(self) -> bool:
        """Whether the group shall have no pods."""
        return self.suspend is True

    @property
    def workers_to_delete(self) -> tuple[str, ...]:
        """Names of the pods that shall go first."""
        return self.scale_strategy.workers_to_delete if self.scale_strategy else ()


def desired_replicas(group: WorkerGroup) -> int:
    """Return the replicas the group shall have: within its bounds, none while suspended."""
    if group.suspended:
        return 0
    lowest = group.min_replicas or 0
    highest = REPLICAS_LIMIT if group.max_replicas is None else group.max_replicas
    if group.replicas is None or group.replicas < lowest:
        return lowest
    return min(group.replicas, highest)


def desired_pods(group: WorkerGroup) -> int:
    """Return the pods the group shall have: its replicas, each on so many hosts."""
    return desired_replicas(group) * group.num_of_hosts
