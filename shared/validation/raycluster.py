"""Everything that can be wrong with a RayCluster, in the order in which users are told.

All problems at once, the first failure first: the reconciler tells of the first one, a person who
checks a file sees them all. The rules themselves are in the files beside this one; RayJob and
RayService use `spec_problems` for the cluster that they hold (`shared.validation.held_cluster`).
"""

from itertools import chain

from shared.kernel.features import Features
from shared.kernel.manifests import Raw, entries_at
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.validation.auth import auth_problems
from shared.validation.fault_tolerance import fault_tolerance_problems
from shared.validation.findings import Problems
from shared.validation.groups import group_problems
from shared.validation.history_server import history_server_problems
from shared.validation.metadata import name_problems, name_rules
from shared.validation.network_policy import network_policy_problems
from shared.validation.rule import Layer, Rule
from shared.validation.scaling import scaling_problems
from shared.validation.tls import tls_problems
from shared.validation.upgrade import STRATEGY_FOREIGN, STRATEGY_UNKNOWN, upgrade_problems

NAME_LIMIT = 53

NAME_LENGTH, NAME_LETTERS = name_rules("RayCluster", NAME_LIMIT)
BOTH_SUSPENDED = Rule(
    id="RayCluster.suspend-conditions",
    layer=Layer.STATUS,
    path="status.conditions",
    text=(
        "invalid RayCluster State: rayv1.RayClusterSuspending and rayv1.RayClusterSuspended "
        "conditions should not be both true"
    ),
    hint="leave status out of the file: the operator writes it",
)
_OF_UPGRADES = frozenset({STRATEGY_UNKNOWN.id, STRATEGY_FOREIGN.id})
_SUSPENDED = frozenset({"RayClusterSuspending", "RayClusterSuspended"})


def validate(cluster: RayCluster, features: Features) -> tuple[Problem, ...]:
    """Return every problem of what the user wrote; none means the cluster can be made."""
    return tuple(
        chain(
            name_problems(cluster.name, NAME_LIMIT, NAME_LENGTH, NAME_LETTERS),
            spec_problems(cluster, features),
            upgrade_problems(cluster),
        )
    )


def spec_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check the spec, wherever it stands."""
    return chain(
        group_problems(cluster),
        fault_tolerance_problems(cluster, features),
        scaling_problems(cluster, features),
        history_server_problems(cluster, features),
        auth_problems(cluster),
        network_policy_problems(cluster, features),
        tls_problems(cluster, features),
    )


def status_problems(status: Raw) -> Problems:
    """Check the status, which no user writes: `validate` does not ask for it."""
    conditions = entries_at(status, "conditions")
    true = {each.get("type") for each in conditions if each.get("status") == "True"}
    if true >= _SUSPENDED:
        yield BOTH_SUSPENDED.found()


def told(problem: Problem, namespace: str, name: str) -> str:
    """Return the text of the Warning event that tells a user of the problem."""
    if problem.rule == BOTH_SUSPENDED.id:
        return f"The RayCluster status is invalid {namespace}/{name}, {problem.message}"
    if problem.rule in _OF_UPGRADES:
        subject = "UpgradeStrategy"
    else:
        subject = "metadata" if problem.reason == NAME_LENGTH.reason else "spec"
    why = problem.message if problem.rule else problem
    return f"The RayCluster {subject} is invalid {namespace}/{name}: {why}"
