"""The option blocks of a RayService: how a changed cluster takes over.

The options of an upgrade in steps are required by the schema, not by the models: what is missing is
told in `shared.validation`, together with what is out of bounds.
"""

from pydantic import ConfigDict, Field

from shared.kernel.features import INCREMENTAL_UPGRADE, Features
from shared.resources.written import Int32, Text, Written

NEW_CLUSTER = "NewCluster"
INCREMENTAL = "NewClusterWithIncrementalUpgrade"
NO_UPGRADE = "None"
UPGRADE_TYPES = (INCREMENTAL, NEW_CLUSTER, NO_UPGRADE)


class ClusterUpgradeOptions(Written):
    """How traffic moves step by step from the old cluster to the new one."""

    model_config = ConfigDict(
        json_schema_extra={"required": ["gatewayClassName", "intervalSeconds", "stepSizePercent"]}
    )

    max_surge_percent: Int32 | None = Field(
        None,
        description="Capacity that a step adds to the new cluster before traffic moves.",
        json_schema_extra={"default": 100},
    )
    step_size_percent: Int32 | None = Field(None, description="Traffic that moves in one step.")
    interval_seconds: Int32 | None = Field(None, description="Seconds between two steps.")
    gateway_class_name: Text | None = Field(None, description="Class of the gateway that splits.")


class ServiceUpgradeStrategy(Written):
    """What a changed cluster spec means for the service."""

    type: Text | None = Field(None, description=f"How to upgrade: {', '.join(UPGRADE_TYPES)}.")
    cluster_upgrade_options: ClusterUpgradeOptions | None = Field(
        None, description=f"The steps of {INCREMENTAL}."
    )


def moves_in_steps(strategy: ServiceUpgradeStrategy | None, features: Features) -> bool:
    """Whether an upgrade moves traffic step by step; behind a shut gate it never does."""
    wished = strategy is not None and strategy.type == INCREMENTAL
    return wished and features.on(INCREMENTAL_UPGRADE)
