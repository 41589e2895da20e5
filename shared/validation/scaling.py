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
    GROUP,
    HEAD,
    HEAD_CONTAINER,
    Problems,
    groups,
    head_variable,
    opened,
    shut,
)
from shared.validation.rule import Rule

_START_COMMAND = "KUBERAY_GEN_AUTOSCALER_START_CMD"
_OPTIONS = "spec.autoscalerOptions"
_UNRESTARTED = ("", "Never")
_UNRESTARTED_HINT = "remove restartPolicy, or write Never: the autoscaler replaces lost workers"

SUSPEND_GATED = Rule(
    id="RayCluster.suspend-gate",
    path=f"{GROUP}.suspend",
    text=(
        "worker group {group} can be suspended only when the "
        f"{JOB_DELETION_POLICY} feature gate is enabled"
    ),
    hint=opened(JOB_DELETION_POLICY),
)
ENV_UNSCALED = Rule(
    id="RayCluster.autoscaler-env-off",
    path=f"{HEAD_CONTAINER}.env",
    text=(
        f"environment variable {AUTOSCALER_V2_ENV} cannot be set to '{{value}}' when "
        "enableInTreeAutoscaling is false. Please set enableInTreeAutoscaling: true to use "
        "autoscaler v2"
    ),
    hint="set enableInTreeAutoscaling: true, or remove the variable",
)
SUSPEND_SCALED = Rule(
    id="RayCluster.suspend-autoscaler",
    path=f"{GROUP}.suspend",
    text="worker group {group} cannot be suspended with Autoscaler enabled",
    hint="remove suspend, or set enableInTreeAutoscaling: false",
)
VERSION_TWICE = Rule(
    id="RayCluster.autoscaler-version-once",
    path=f"{_OPTIONS}.version",
    text=(
        f"both .spec.autoscalerOptions.version and head Pod env var {AUTOSCALER_V2_ENV} are set, "
        "please only use the former"
    ),
    hint=f"remove {AUTOSCALER_V2_ENV} from the head container",
)
HEAD_RESTARTS = Rule(
    id="RayCluster.head-restart-policy",
    path=f"{HEAD}.template.spec.restartPolicy",
    text="restartPolicy for head Pod should be Never or unset when using autoscaler V2",
    hint=_UNRESTARTED_HINT,
)
WORKER_RESTARTS = Rule(
    id="RayCluster.worker-restart-policy",
    path=f"{GROUP}.template.spec.restartPolicy",
    text=(
        "restartPolicy for worker group {group} should be Never or unset when using autoscaler V2"
    ),
    hint=_UNRESTARTED_HINT,
)
IDLE_NEGATIVE = Rule(
    id="RayCluster.autoscaler-idle-time",
    path=f"{_OPTIONS}.idleTimeoutSeconds",
    text="autoscalerOptions.idleTimeoutSeconds must be non-negative, got {idle}",
    hint="write 0 or more",
)
START_COMMAND_MANAGED = Rule(
    id="RayCluster.autoscaler-start-command",
    path=f"{_OPTIONS}.env",
    text=(
        f"autoscalerOptions.env must not contain {_START_COMMAND}: it is managed by KubeRay and "
        "injected automatically into the autoscaler container"
    ),
    hint="remove the variable; autoscalerOptions.command and args replace the command",
)


def scaling_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check suspended groups, then the autoscaler."""
    if shut(features, JOB_DELETION_POLICY):
        yield from _suspended_groups(cluster, SUSPEND_GATED)
    if not autoscaling(cluster) and autoscaler_v2_asked_by_env(cluster):
        value = text_at(head_variable(cluster, AUTOSCALER_V2_ENV), "value")
        yield ENV_UNSCALED.found(value=value)
    if autoscaling(cluster):
        yield from _suspended_groups(cluster, SUSPEND_SCALED)
        yield from _version_rules(cluster)
    yield from _option_rules(cluster)


def _suspended_groups(cluster: RayCluster, rule: Rule) -> Problems:
    for index, group in groups(cluster):
        if group.suspended:
            yield rule.found(index=index, group=group.group_name)


def _version_rules(cluster: RayCluster) -> Problems:
    version = autoscaler_version(cluster)
    if version is not None and head_variable(cluster, AUTOSCALER_V2_ENV) is not None:
        yield VERSION_TWICE.found()
    if version == "v2":
        yield from _restart_rules(cluster)


def _restart_rules(cluster: RayCluster) -> Problems:
    if restart_policy(cluster.head) not in _UNRESTARTED:
        yield HEAD_RESTARTS.found()
    for index, group in groups(cluster):
        if restart_policy(group) not in _UNRESTARTED:
            yield WORKER_RESTARTS.found(index=index, group=group.group_name)


def _option_rules(cluster: RayCluster) -> Problems:
    options = cluster.spec.autoscaler_options
    if options is None:
        return
    idle = options.idle_timeout_seconds
    if idle is not None and idle < 0:
        yield IDLE_NEGATIVE.found(idle=idle)
    if named(options.env, _START_COMMAND) is not None:
        yield START_COMMAND_MANAGED.found()


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
