"""Rules about what a changed spec does to running pods."""

from shared.resources.predicates import creator
from shared.resources.raycluster import RayCluster
from shared.validation.findings import Problems
from shared.validation.rule import Layer, Rule

_PATH = "spec.upgradeStrategy.type"

STRATEGY_UNKNOWN = Rule(
    id="RayCluster.upgrade-type",
    layer=Layer.UPGRADE,
    path=_PATH,
    text=(
        "The RayCluster spec is invalid: Spec.UpgradeStrategy.Type value {type} is invalid, valid "
        "options are Recreate or None"
    ),
    hint="write Recreate or None, or leave upgradeStrategy out",
)
STRATEGY_FOREIGN = Rule(
    id="RayCluster.upgrade-owner",
    layer=Layer.UPGRADE,
    path=_PATH,
    text="upgradeStrategy cannot be set when RayCluster is created by {creator}",
    hint="leave upgradeStrategy out of the cluster: its maker decides how it changes",
)


def upgrade_problems(cluster: RayCluster) -> Problems:
    """Check the upgrade strategy."""
    strategy = cluster.spec.upgrade_strategy
    kind = strategy.type if strategy else None
    if kind is None:
        return
    if kind not in ("Recreate", "None"):
        yield STRATEGY_UNKNOWN.found(type=kind)
    maker = creator(cluster)
    if maker != "RayCluster":
        yield STRATEGY_FOREIGN.found(creator=maker)
