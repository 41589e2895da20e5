"""Rules about what a worker group may ask of the autoscaler: idle time and priority."""

from shared.resources.groups import WorkerGroup
from shared.resources.predicates import autoscaler_v2_asked_by_env, autoscaler_version
from shared.resources.raycluster import RayCluster
from shared.resources.versions import GROUP_PRIORITY, parse_ray_version
from shared.validation.findings import GROUP, Problems
from shared.validation.rule import Rule

_IDLE = f"{GROUP}.idleTimeoutSeconds"
_PRIORITY = f"{GROUP}.priority"
_SECOND_AUTOSCALER = "set spec.autoscalerOptions.version: v2"
_VERSION = f"set rayVersion to the version of Ray in the images, {GROUP_PRIORITY} or later"

IDLE_NEGATIVE = Rule(
    id="RayCluster.group-idle-time",
    path=_IDLE,
    text="worker group {group}: idleTimeoutSeconds must be non-negative, got {idle}",
    hint="write 0 or more",
)
IDLE_UNSCALED = Rule(
    id="RayCluster.group-idle-autoscaler",
    path=_IDLE,
    text=(
        "worker group {group}: idleTimeoutSeconds is set, but autoscaler v2 is not enabled. Please "
        "set .spec.autoscalerOptions.version to 'v2' (or set RAY_enable_autoscaler_v2 environment "
        "variable to 'true' in the head pod if using KubeRay < 1.4.0)"
    ),
    hint=_SECOND_AUTOSCALER,
)
PRIORITY_VERSION_MISSING = Rule(
    id="RayCluster.priority-version",
    path=_PRIORITY,
    text=(
        "worker group {group}: priority is set, but RayVersion was not specified. Ray version "
        f"{GROUP_PRIORITY} or later is required"
    ),
    hint=_VERSION,
)
PRIORITY_VERSION_ODD = Rule(
    id="RayCluster.priority-version-form",
    path=_PRIORITY,
    text=(
        "worker group {group}: priority is set, but RayVersion format is invalid: {version}, not a "
        f"version such as {GROUP_PRIORITY}"
    ),
    hint=_VERSION,
)
PRIORITY_VERSION_OLD = Rule(
    id="RayCluster.priority-version-old",
    path=_PRIORITY,
    text=(
        "worker group {group}: priority is set, but minimum Ray version is "
        f"{GROUP_PRIORITY}, got {{version}}"
    ),
    hint=_VERSION,
)
PRIORITY_UNSCALED = Rule(
    id="RayCluster.priority-autoscaler",
    path=_PRIORITY,
    text=(
        "worker group {group}: priority is set to {priority}, but autoscaler v2 is not enabled. "
        "Priority is only supported with autoscaler v2 enabled"
    ),
    hint=_SECOND_AUTOSCALER,
)


def idle_problems(cluster: RayCluster, index: int, group: WorkerGroup) -> Problems:
    """Check the idle time."""
    idle, name = group.idle_timeout_seconds, group.group_name
    if idle is not None and idle < 0:
        yield IDLE_NEGATIVE.found(index=index, group=name, idle=idle)
    if idle is not None and not _second_autoscaler(cluster):
        yield IDLE_UNSCALED.found(index=index, group=name)


def priority_problems(cluster: RayCluster, index: int, group: WorkerGroup) -> Problems:
    """Check the priority; zero is like none."""
    if not group.priority:
        return
    name, written = group.group_name, cluster.spec.ray_version or ""
    version = parse_ray_version(written)
    if not written:
        yield PRIORITY_VERSION_MISSING.found(index=index, group=name)
    elif version is None:
        yield PRIORITY_VERSION_ODD.found(index=index, group=name, version=written)
    elif version < GROUP_PRIORITY:
        yield PRIORITY_VERSION_OLD.found(index=index, group=name, version=written)
    if not _second_autoscaler(cluster):
        yield PRIORITY_UNSCALED.found(index=index, group=name, priority=group.priority)


def _second_autoscaler(cluster: RayCluster) -> bool:
    return autoscaler_version(cluster) == "v2" or autoscaler_v2_asked_by_env(cluster)
