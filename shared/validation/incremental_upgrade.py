"""Rules about an upgrade that moves traffic step by step."""

from shared.resources.service_options import ClusterUpgradeOptions
from shared.validation.findings import Problems
from shared.validation.rule import Rule

_PREFIX = "The RayService spec is invalid: "
_OPTIONS = "spec.upgradeStrategy.clusterUpgradeOptions"
_NAME = "NewClusterWithIncrementalUpgrade"
_SURGE_DEFAULT = 100
_ALL = 100

UNSCALED = Rule(
    id="RayService.upgrade-autoscaler",
    path="spec.rayClusterConfig.enableInTreeAutoscaling",
    text=f"{_PREFIX}Ray Autoscaler is required for {_NAME}",
    hint="set enableInTreeAutoscaling: true: both clusters change their size during an upgrade",
)
OPTIONS_MISSING = Rule(
    id="RayService.upgrade-options",
    path=_OPTIONS,
    text=f"{_PREFIX}ClusterUpgradeOptions are required for {_NAME}",
    hint="write stepSizePercent, intervalSeconds and gatewayClassName",
)
SURGE = Rule(
    id="RayService.upgrade-surge",
    path=f"{_OPTIONS}.maxSurgePercent",
    text=f"{_PREFIX}maxSurgePercent must be between 0 and 100",
    hint="write the share of capacity that one step may add",
)
STEP = Rule(
    id="RayService.upgrade-step",
    path=f"{_OPTIONS}.stepSizePercent",
    text=f"{_PREFIX}stepSizePercent must be between 0 and 100",
    hint="write the share of traffic that one step moves",
)
STEP_OVER_SURGE = Rule(
    id="RayService.upgrade-step-surge",
    path=f"{_OPTIONS}.stepSizePercent",
    text=f"{_PREFIX}stepSizePercent must be less than or equal to maxSurgePercent",
    hint="no more traffic can move than capacity was added: lower stepSizePercent",
)
INTERVAL = Rule(
    id="RayService.upgrade-interval",
    path=f"{_OPTIONS}.intervalSeconds",
    text=f"{_PREFIX}intervalSeconds must be greater than 0",
    hint="write the seconds between two steps",
)
GATEWAY = Rule(
    id="RayService.upgrade-gateway",
    path=f"{_OPTIONS}.gatewayClassName",
    text=f"{_PREFIX}gatewayClassName is required for {_NAME}",
    hint="name a GatewayClass of the Kubernetes cluster, such as istio",
)


def incremental_problems(options: ClusterUpgradeOptions | None, *, scaled: bool) -> Problems:
    """Check the options of such an upgrade, and that the clusters scale themselves."""
    if not scaled:
        yield UNSCALED.found()
    if options is None:
        yield OPTIONS_MISSING.found()
        return
    yield from _percentages(options)
    if options.interval_seconds is None or options.interval_seconds <= 0:
        yield INTERVAL.found()
    if not options.gateway_class_name:
        yield GATEWAY.found()


def _percentages(options: ClusterUpgradeOptions) -> Problems:
    surge, step = options.max_surge_percent, options.step_size_percent
    surge = _SURGE_DEFAULT if surge is None else surge
    if not 0 <= surge <= _ALL:
        yield SURGE.found()
    if step is None or not 0 <= step <= _ALL:
        yield STEP.found()
    elif step > surge:
        yield STEP_OVER_SURGE.found()
