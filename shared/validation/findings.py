"""How rules say what they found.

Paths are the user's; reasons are those of the Warning event that tells a user about it.
"""

from collections.abc import Iterator

from shared.kernel.features import Features
from shared.kernel.manifests import Raw
from shared.resources.groups import WorkerGroup
from shared.resources.predicates import ray_container, variable
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster

INVALID_METADATA = "InvalidRayClusterMetadata"
INVALID_SPEC = "InvalidRayClusterSpec"
HEAD = "spec.headGroupSpec"
HEAD_CONTAINER = f"{HEAD}.template.spec.containers[0]"

Problems = Iterator[Problem]


def refused(path: str, message: str) -> Problem:
    """Return a problem of the spec."""
    return Problem(path=path, message=message, reason=INVALID_SPEC)


def group_path(index: int) -> str:
    """Return the path of a worker group."""
    return f"spec.workerGroupSpecs[{index}]"


def container_path(index: int) -> str:
    """Return the path of a worker group's Ray container."""
    return f"{group_path(index)}.template.spec.containers[0]"


def groups(cluster: RayCluster) -> Iterator[tuple[str, WorkerGroup]]:
    """Go through the worker groups with their paths."""
    for index, group in enumerate(cluster.groups):
        yield group_path(index), group


def head_variable(cluster: RayCluster, name: str) -> Raw | None:
    """Return a variable of the head's Ray container."""
    return variable(ray_container(cluster.head), name)


def shut(features: Features, gate: str) -> bool:
    """Whether the gate is shut."""
    return not features.on(gate)
