"""Everything that can be wrong with a RayCluster, in the order in which users are told.

All problems at once, the first failure first: the reconciler tells of the first one, a person who
checks a file sees them all. The rules themselves are in the files beside this one.
"""

from itertools import chain

from shared.kernel.features import Features
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.validation import upgrade
from shared.validation.auth import auth_problems
from shared.validation.fault_tolerance import fault_tolerance_problems
from shared.validation.findings import INVALID_METADATA
from shared.validation.groups import group_problems
from shared.validation.history_server import history_server_problems
from shared.validation.metadata import metadata_problems
from shared.validation.network_policy import network_policy_problems
from shared.validation.scaling import scaling_problems
from shared.validation.tls import tls_problems


def validate(cluster: RayCluster, features: Features) -> tuple[Problem, ...]:
    """Return every problem; none means the cluster can be made."""
    return tuple(
        chain(
            metadata_problems(cluster),
            group_problems(cluster),
            fault_tolerance_problems(cluster, features),
            scaling_problems(cluster, features),
            history_server_problems(cluster, features),
            auth_problems(cluster),
            network_policy_problems(cluster, features),
            tls_problems(cluster, features),
            upgrade.upgrade_problems(cluster),
        )
    )


def told(problem: Problem, namespace: str, name: str) -> str:
    """Return the text of the Warning event that tells a user of the problem."""
    if problem.path == upgrade.PATH:
        subject = "UpgradeStrategy"
    else:
        subject = "metadata" if problem.reason == INVALID_METADATA else "spec"
    return f"The RayCluster {subject} is invalid {namespace}/{name}: {problem.message}"
