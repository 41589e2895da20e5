"""Rules about suspending groups and about the autoscaler."""

from shared.kernel.features import JOB_DELETION_POLICY, Features
from shared.kernel.manifests import named, text_at
from shared.resources.predicates import (
    AUTOSCALER_V2_ENV,
    autoscaler_v2_asked_by_env,
    autoscaler_version,
    autoscaling,
    restart_policy,
)
from shared.resources.raycluster import RayCluster
from shared.validation.findings import (
    HEAD,
    HEAD_CONTAINER,
    Problems,
    groups,
    head_variable,
    refused,
    shut,
)

_START_COMMAND = "KUBERAY_GEN_AUTOSCALER_START_CMD"
_OPTIONS = "spec.autoscalerOptions"
_UNRESTARTED = ("", "Never")


def scaling_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check suspended groups, then the autoscaler."""
    if shut(features, JOB_DELETION_POLICY):
        yield from _suspended_groups(
            cluster,
            f"can be suspended only when the {JOB_DELETION_POLICY} feature gate is enabled",
        )
    if not autoscaling(cluster) and autoscaler_v2_asked_by_env(cluster):
        value = text_at(head_variable(cluster, AUTOSCALER_V2_ENV), "value")
        yield refused(
            f"{HEAD_CONTAINER}.env",
            f"environment variable {AUTOSCALER_V2_ENV} cannot be set to '{value}' when "
            "enableInTreeAutoscaling is false. Please set enableInTreeAutoscaling: true to use "
            "autoscaler v2",
        )
    if autoscaling(cluster):
        yield from _suspended_groups(cluster, "cannot be suspended with Autoscaler enabled")
        yield from _version_rules(cluster)
    yield from _option_rules(cluster)


def _suspended_groups(cluster: RayCluster, why_not: str) -> Problems:
    for path, group in groups(cluster):
        if group.suspended:
            yield refused(f"{path}.suspend", f"worker group {group.group_name} {why_not}")


def _version_rules(cluster: RayCluster) -> Problems:
    version = autoscaler_version(cluster)
    if version is not None and head_variable(cluster, AUTOSCALER_V2_ENV) is not None:
        yield refused(
            f"{_OPTIONS}.version",
            f"both .spec.autoscalerOptions.version and head Pod env var {AUTOSCALER_V2_ENV} are "
            "set, please only use the former",
        )
    if version == "v2":
        yield from _restart_rules(cluster)


def _restart_rules(cluster: RayCluster) -> Problems:
    told = "should be Never or unset when using autoscaler V2"
    if restart_policy(cluster.head) not in _UNRESTARTED:
        path = f"{HEAD}.template.spec.restartPolicy"
        yield refused(path, f"restartPolicy for head Pod {told}")
    for path, group in groups(cluster):
        if restart_policy(group) not in _UNRESTARTED:
            message = f"restartPolicy for worker group {group.group_name} {told}"
            yield refused(f"{path}.template.spec.restartPolicy", message)


def _option_rules(cluster: RayCluster) -> Problems:
    options = cluster.spec.autoscaler_options
    if options is None:
        return
    idle = options.idle_timeout_seconds
    if idle is not None and idle < 0:
        yield refused(
            f"{_OPTIONS}.idleTimeoutSeconds",
            f"autoscalerOptions.idleTimeoutSeconds must be non-negative, got {idle}",
        )
    if named(options.env, _START_COMMAND) is not None:
        yield refused(
            f"{_OPTIONS}.env",
            f"autoscalerOptions.env must not contain {_START_COMMAND}: it is managed by KubeRay "
            "and injected automatically into the autoscaler container",
        )


def restart_policy_warning(cluster: RayCluster) -> str | None:
    """Warn of workers that the first autoscaler would see restarted; nothing is refused."""
    if not autoscaling(cluster) or autoscaler_version(cluster) != "v1":
        return None
    names = [
        group.group_name for group in cluster.groups if restart_policy(group) not in _UNRESTARTED
    ]
    if not names:
        return None
    return (
        f"RayCluster spec warning {cluster.namespace}/{cluster.name}: restartPolicy for worker "
        f"groups [{', '.join(names)}] should be Never or unset when using autoscaler V1"
    )
