"""Everything that can be wrong with a RayService, in the order in which users are told.

As for a RayCluster (`shared.validation.raycluster`): all problems at once, the first failure first.
A RayService has no rules about its status.
"""

from itertools import chain

from shared.kernel.features import INCREMENTAL_UPGRADE, Features
from shared.kernel.manifests import text_at
from shared.resources.problem import Problem
from shared.resources.rayservice import RayService
from shared.resources.service_options import INCREMENTAL, UPGRADE_TYPES
from shared.resources.service_timeout import ANNOTATION
from shared.validation.findings import Problems
from shared.validation.held_cluster import cluster_problems, moved
from shared.validation.incremental_upgrade import incremental_problems
from shared.validation.initializing_timeout import timeout_problems
from shared.validation.metadata import name_problems, name_rules
from shared.validation.rule import Rule

NAME_LIMIT = 47
_CONFIG = "spec.rayClusterConfig"
_PREFIX = "The RayService spec is invalid: "

NAME_LENGTH, NAME_LETTERS = name_rules(
    "RayService", NAME_LIMIT, "The RayService metadata is invalid: "
)
KUBERNETES_AUTH = Rule(
    id="RayService.k8s-auth",
    path=f"{_CONFIG}.authOptions.enableK8sTokenAuth",
    text=f"{_PREFIX}K8s token auth mode is currently not supported for RayService",
    hint="remove enableK8sTokenAuth; mode: token works",
)
HEAD_SERVICE_NAME = Rule(
    id="RayService.head-service-name",
    path=f"{_CONFIG}.headGroupSpec.headService.metadata.name",
    text=(
        f"{_PREFIX}spec.rayClusterConfig.headGroupSpec.headService.metadata.name should not be set"
    ),
    hint="remove the name: every cluster of the service needs a head service of its own",
)
UPGRADE_TYPE = Rule(
    id="RayService.upgrade-type",
    path="spec.upgradeStrategy.type",
    text=(
        f"{_PREFIX}Spec.UpgradeStrategy.Type value {{type}} is invalid, valid options are "
        "NewClusterWithIncrementalUpgrade, NewCluster, or None"
    ),
    hint="write one of the three, or leave it out",
)
DELETION_DELAY = Rule(
    id="RayService.deletion-delay",
    path="spec.rayClusterDeletionDelaySeconds",
    text=(
        f"{_PREFIX}Spec.RayClusterDeletionDelaySeconds should be a non-negative integer, got "
        "{delay}"
    ),
    hint="write 0 or more",
)


def validate(service: RayService, features: Features) -> tuple[Problem, ...]:
    """Return every problem of what the user wrote; none means the service can be made."""
    return tuple(
        chain(
            name_problems(service.name, NAME_LIMIT, NAME_LENGTH, NAME_LETTERS),
            timeout_problems(service.annotations.get(ANNOTATION, "")),
            _cluster_rules(service, features),
            _service_rules(service),
            _upgrade_rules(service, features),
        )
    )


def told(problem: Problem, namespace: str, name: str) -> str:
    """Return the text of the Warning event that tells a user of the problem."""
    return f"{namespace}/{name}: {problem.message if problem.rule else problem}"


def _cluster_rules(service: RayService, features: Features) -> Problems:
    cluster = service.spec.ray_cluster_config
    options = cluster.auth_options
    if options is not None and options.enable_k8s_token_auth:
        yield KUBERNETES_AUTH.found()
    yield from moved(
        cluster_problems(cluster, service.annotations, features, "RayService"),
        to=_CONFIG,
        prefix=_PREFIX,
        reason=KUBERNETES_AUTH.reason,
    )
    if text_at(cluster.head_group_spec.head_service, "metadata", "name"):
        yield HEAD_SERVICE_NAME.found()


def _service_rules(service: RayService) -> Problems:
    strategy, delay = service.spec.upgrade_strategy, service.spec.ray_cluster_deletion_delay_seconds
    kind = strategy.type if strategy else None
    if kind is not None and kind not in UPGRADE_TYPES:
        yield UPGRADE_TYPE.found(type=kind)
    if delay is not None and delay < 0:
        yield DELETION_DELAY.found(delay=delay)


def _upgrade_rules(service: RayService, features: Features) -> Problems:
    """Check the steps; behind a shut gate the strategy counts as none."""
    strategy = service.spec.upgrade_strategy
    if strategy is None or strategy.type != INCREMENTAL or not features.on(INCREMENTAL_UPGRADE):
        return
    scaled = service.spec.ray_cluster_config.enable_in_tree_autoscaling is True
    yield from incremental_problems(strategy.cluster_upgrade_options, scaled=scaled)
