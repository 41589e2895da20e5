"""Sums over the groups of a RayCluster, as its status shows them.

Counts of pods are clamped to the bounds of each group; resource sums are not, they follow the
replicas as written, because that is what users of KubeRay see. Suspended groups count nothing.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from shared.kernel.manifests import Raw, entries_at, mapping_at
from shared.kernel.quantities import ZERO, Quantity, parse_quantity
from shared.resources.accelerators import TPU, is_gpu
from shared.resources.groups import REPLICAS_LIMIT, WorkerGroup, desired_pods
from shared.resources.raycluster import RayCluster


class WorkerCounts(Struct, frozen=True, kw_only=True):
    """How many worker pods there shall be, at least and at most."""

    desired: int
    lowest: int
    highest: int


class ResourceTotals(Struct, frozen=True, kw_only=True):
    """What the whole cluster asks for, canonically printed."""

    cpu: str
    memory: str
    gpu: str
    tpu: str


def worker_counts(cluster: RayCluster) -> WorkerCounts:
    """Count the wanted worker pods of all groups that are not suspended."""
    active = _active(cluster)
    lowest = sum((group.min_replicas or 0) * group.num_of_hosts for group in active)
    highest = sum(_upper_bound(group) * group.num_of_hosts for group in active)
    return WorkerCounts(
        desired=sum(desired_pods(group) for group in active),
        lowest=lowest,
        highest=min(highest, REPLICAS_LIMIT),
    )


def resource_totals(cluster: RayCluster) -> ResourceTotals:
    """Sum the resources of the head and all workers as written."""
    shares = [pod_resources(cluster.head.template)]
    for group in _active(cluster):
        pods = group.num_of_hosts * (group.replicas or 0)
        asked = pod_resources(group.template)
        shares.append({name: amount * pods for name, amount in asked.items()})
    total = _summed(shares)
    gpus = (amount for name, amount in sorted(total.items()) if is_gpu(name))
    return ResourceTotals(
        cpu=str(total.get("cpu", ZERO)),
        memory=str(total.get("memory", ZERO)),
        gpu=str(sum(gpus, ZERO)),
        tpu=str(total.get(TPU, ZERO)),
    )


def pod_resources(template: Raw) -> dict[str, Quantity]:
    """Sum the resources of a template's containers; requests win over limits, one by one."""
    containers = entries_at(template, "spec", "containers")
    return _summed(_container_resources(container) for container in containers)


def _container_resources(container: Raw) -> dict[str, Quantity]:
    limits = mapping_at(container, "resources", "limits")
    requests = mapping_at(container, "resources", "requests")
    written = {**limits, **requests}
    amounts = {name: parse_quantity(text) for name, text in written.items()}
    return {name: amount for name, amount in amounts.items() if amount is not None}


def _summed(shares: Iterable[Mapping[str, Quantity]]) -> dict[str, Quantity]:
    total: dict[str, Quantity] = {}
    for share in shares:
        for name, amount in share.items():
            total[name] = total.get(name, ZERO) + amount
    return total


def _active(cluster: RayCluster) -> tuple[WorkerGroup, ...]:
    return tuple(group for group in cluster.groups if not group.suspended)


def _upper_bound(group: WorkerGroup) -> int:
    return REPLICAS_LIMIT if group.max_replicas is None else group.max_replicas
