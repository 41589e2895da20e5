"""The status of a RayCluster, as the custom resource definition describes it.

The shape only: how each field is computed is told in `services.status`.
"""

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from shared.resources.written import Int32, Int64, QuantityText, Text, Texts, Written

Moment = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]

_CONDITION_TYPE = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)


class Condition(Written):
    """One thing that is so, is not so, or is not known."""

    type: Text = Field(max_length=316, pattern=_CONDITION_TYPE, description="What it is about.")
    status: Literal["True", "False", "Unknown"] = Field(description="Whether it is so.")
    reason: Text = Field(
        min_length=1,
        max_length=1024,
        pattern=r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        description="Why, in a word.",
    )
    message: Text = Field(max_length=32768, description="Why, in a sentence.")
    last_transition_time: Moment = Field(description="When its status last changed.")
    observed_generation: Int64 | None = Field(
        None,
        description="The generation it was seen for.",
        json_schema_extra={"minimum": 0},
    )


Conditions = Annotated[
    tuple[Condition, ...],
    Field(
        json_schema_extra={
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
        }
    ),
]


class HeadInfo(Written):
    """Where the head is."""

    pod_ip: Text | None = Field(None, alias="podIP", description="Address of the head pod.")
    pod_name: Text | None = Field(None, description="Name of the head pod.")
    service_ip: Text | None = Field(
        None, alias="serviceIP", description="Address of the head service."
    )
    service_name: Text | None = Field(None, description="Name of the head service.")


class RayClusterStatus(Written):
    """What became of the user's wish."""

    state: Text | None = Field(None, description="Deprecated: see the conditions.")
    reason: Text | None = Field(None, description="Why the state is as it is.")
    conditions: Conditions = Field((), description="What is so, with reasons.")
    desired_worker_replicas: Int32 | None = Field(None, description="Wanted worker pods.")
    available_worker_replicas: Int32 | None = Field(None, description="Running worker pods.")
    ready_worker_replicas: Int32 | None = Field(None, description="Ready worker pods.")
    min_worker_replicas: Int32 | None = Field(None, description="Fewest worker pods.")
    max_worker_replicas: Int32 | None = Field(None, description="Most worker pods.")
    desired_cpu: QuantityText | None = Field(
        None, alias="desiredCPU", description="Processors of all pods."
    )
    desired_memory: QuantityText | None = Field(None, description="Memory of all pods.")
    desired_gpu: QuantityText | None = Field(
        None, alias="desiredGPU", description="GPUs of all pods."
    )
    desired_tpu: QuantityText | None = Field(
        None, alias="desiredTPU", description="TPUs of all pods."
    )
    endpoints: Texts = Field(default_factory=dict, description="Ports of the head service by name.")
    head: HeadInfo | None = Field(None, description="Where the head is.")
    last_update_time: Moment | None = Field(
        None,
        description="When the status was last written.",
        json_schema_extra={"nullable": True},
    )
    state_transition_times: dict[str, Moment] = Field(
        {}, description="When each state was last entered."
    )
    observed_generation: Int64 | None = Field(
        None, description="The generation this status is about."
    )
