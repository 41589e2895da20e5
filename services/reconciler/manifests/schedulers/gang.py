"""How large a gang is: the pods that must run together, and what they ask for in sum.

Pods are counted within the bounds of each group, resources by the replicas as written: that is how
users of KubeRay see both. Suspended groups count nothing. Resources of which nothing is asked stay
in the sum as zero.
"""

from collections.abc import Callable

from msgspec import Struct

from shared.kernel.quantities import ZERO, Quantity
from shared.resources.groups import WorkerGroup
from shared.resources.raycluster import RayCluster
from shared.resources.totals import pod_resources, worker_counts


class Gang(Struct, frozen=True, kw_only=True):
    """How many pods, head included, and the resources of all of them."""

    members: int
    resources: dict[str, str]


def desired_gang(cluster: RayCluster) -> Gang:
    """Return the gang of all pods that the cluster wants now."""
    return Gang(
        members=1 + worker_counts(cluster).desired,
        resources=_resources(cluster, lambda group: group.replicas or 0),
    )


def smallest_gang(cluster: RayCluster) -> Gang:
    """Return the gang that an autoscaler never goes below."""
    return Gang(
        members=1 + worker_counts(cluster).lowest,
        resources=_resources(cluster, lambda group: group.min_replicas or 0),
    )


def _resources(cluster: RayCluster, replicas: Callable[[WorkerGroup], int]) -> dict[str, str]:
    total: dict[str, Quantity] = dict(pod_resources(cluster.head.template))
    for group in cluster.groups:
        if group.suspended:
            continue
        pods = group.num_of_hosts * replicas(group)
        for name, amount in pod_resources(group.template).items():
            total[name] = total.get(name, ZERO) + amount * pods
    return {name: str(amount) for name, amount in sorted(total.items())}
