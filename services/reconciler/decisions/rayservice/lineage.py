"""How the clusters of a RayService stand to its present spec, worked out once for each decision.

A spec may be large, and concerns ask often: it is written out and hashed here, once, and once more
for each cluster with fewer worker groups. Everybody else looks up names.
"""

from collections.abc import Mapping

from msgspec import Struct

from services.reconciler.manifests.rayservice.cluster import only_grown, same_spec, stamps_of
from services.reconciler.manifests.settings import ManifestSettings
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import Raw
from shared.resources.rayservice import RayService


class Lineage(Struct, frozen=True, kw_only=True):
    """The present cluster spec, its stamps, and the clusters that come from it."""

    config: Raw
    """The cluster spec as the user wrote it."""
    stamps: Mapping[str, str]
    """What a cluster of it is stamped with."""
    same: frozenset[str]
    """Clusters that were made from it."""
    grown: frozenset[str]
    """Clusters that lack worker groups only, which it appends."""


def lineage_of(
    service: RayService, clusters: Mapping[str, ResourceSeen], settings: ManifestSettings
) -> Lineage:
    """Compare every cluster with the present spec."""
    config = service.spec.ray_cluster_config.as_written()
    stamps = stamps_of(config, settings)
    known = {name: seen.meta.annotations for name, seen in clusters.items()}
    return Lineage(
        config=config,
        stamps=stamps,
        same=frozenset(name for name, found in known.items() if same_spec(stamps, found)),
        grown=frozenset(name for name, found in known.items() if only_grown(config, found)),
    )
