"""Pods as they are made for a batch scheduler."""

from typing import TypeVar

from msgspec.structs import replace

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from shared.kernel.manifests import annotations_of, labels_of, mapping_at
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import SETTINGS

T = TypeVar("T")


class Made:
    """A pod with a scheduler, and the same pod without."""

    def __init__(self, cluster: RayCluster, scheduler: str, *, head: bool = True) -> None:
        chosen = replace(SETTINGS, batch_scheduler=scheduler)
        if head:
            self.pod, self.plain = head_pod(cluster, chosen), head_pod(cluster, SETTINGS)
        else:
            group = cluster.groups[0]
            self.pod = worker_pod(cluster, group, chosen)
            self.plain = worker_pod(cluster, group, SETTINGS)

    @property
    def labels(self) -> dict[str, str]:
        """The labels that the scheduler's are beside all others."""
        return _added(labels_of(self.pod), labels_of(self.plain))

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations that came for the scheduler."""
        return _added(annotations_of(self.pod), annotations_of(self.plain))

    @property
    def spec(self) -> dict[str, object]:
        """The fields of the spec that came for the scheduler."""
        return _added(dict(mapping_at(self.pod, "spec")), dict(mapping_at(self.plain, "spec")))


def _added(after: dict[str, T], before: dict[str, T]) -> dict[str, T]:
    assert set(before) - set(after) == set()
    return {key: value for key, value in after.items() if before.get(key) != value}
