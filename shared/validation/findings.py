"""What several files of rules need to find their way in a RayCluster.

Paths are the user's.
"""

from collections.abc import Iterator

from shared.kernel.features import Features
from shared.kernel.manifests import Raw
from shared.resources.groups import WorkerGroup
from shared.resources.predicates import ray_container, variable
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster

HEAD = "spec.headGroupSpec"
HEAD_CONTAINER = f"{HEAD}.template.spec.containers[0]"
GROUP = "spec.workerGroupSpecs[{index}]"

Problems = Iterator[Problem]


def group_path(index: int) -> str:
    """Return the path of a worker group."""
    return GROUP.format(index=index)


def container_path(index: int) -> str:
    """Return the path of a worker group's Ray container."""
    return f"{group_path(index)}.template.spec.containers[0]"


def groups(cluster: RayCluster) -> Iterator[tuple[int, WorkerGroup]]:
    """Go through the worker groups with their places in the list."""
    return enumerate(cluster.groups)


def head_variable(cluster: RayCluster, name: str) -> Raw | None:
    """Return a variable of the head's Ray container."""
    return variable(ray_container(cluster.head), name)


def shut(features: Features, gate: str) -> bool:
    """Whether the gate is shut."""
    return not features.on(gate)


def opened(gate: str) -> str:
    """Return the hint of every rule that asks for a gate."""
    return f"start the operator with --feature-gates {gate}=true, or leave this out"
