"""Rules about what a changed spec does to running pods."""

from shared.resources.predicates import creator
from shared.resources.raycluster import RayCluster
from shared.validation.findings import Problems, refused

PATH = "spec.upgradeStrategy.type"


def upgrade_problems(cluster: RayCluster) -> Problems:
    """Check the upgrade strategy."""
    strategy = cluster.spec.upgrade_strategy
    kind = strategy.type if strategy else None
    if kind is None:
        return
    if kind not in ("Recreate", "None"):
        yield refused(
            PATH,
            f"The RayCluster spec is invalid: Spec.UpgradeStrategy.Type value {kind} is invalid, "
            "valid options are Recreate or None",
        )
    maker = creator(cluster)
    if maker != "RayCluster":
        yield refused(PATH, f"upgradeStrategy cannot be set when RayCluster is created by {maker}")
