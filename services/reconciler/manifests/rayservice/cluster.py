"""The RayCluster that is made for a RayService, and the stamps that say from which spec.

The stamps are KubeRay's annotations: hash, number of worker groups, version of the operator. Only a
hash of our own version can be compared; a cluster that another version stamped is stamped anew and
left as it is.
"""

from collections.abc import Mapping

from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.hashing import recreate_hash
from shared.kernel.manifests import Raw, entries_at, thawed
from shared.resources import labels as words
from shared.resources.raycluster import KIND as RAYCLUSTER
from shared.resources.rayservice import KIND, RayService
from shared.resources.resource import GROUP, VERSION

HASH = "ray.io/hash-without-replicas-and-workers-to-delete"
GROUPS = "ray.io/num-worker-groups"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def owner_reference(service: RayService) -> dict[str, object]:
    """Return the reference that makes the RayService the controller of an object."""
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": KIND,
        "name": service.name,
        "uid": service.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def origin(name: str) -> dict[str, str]:
    """Return the labels that say which RayService an object is from."""
    return {words.ORIGINATED_FROM_NAME: name, words.ORIGINATED_FROM_CRD: KIND}


def stamps(service: RayService, settings: ManifestSettings) -> dict[str, str]:
    """Return what a cluster of the present spec is stamped with."""
    return stamps_of(service.spec.ray_cluster_config.as_written(), settings)


def stamps_of(spec: Raw, settings: ManifestSettings) -> dict[str, str]:
    """Return what a cluster of this spec is stamped with."""
    return {
        HASH: recreate_hash(spec),
        GROUPS: str(len(entries_at(spec, "workerGroupSpecs"))),
        words.OPERATOR_VERSION: settings.version,
    }


def same_spec(wished: Mapping[str, str], annotations: Mapping[str, str]) -> bool:
    """Whether a cluster with these stamps was made from the spec that gives the wished ones."""
    return annotations.get(HASH) == wished[HASH]


def only_grown(config: Raw, annotations: Mapping[str, str]) -> bool:
    """Whether this cluster spec only appends worker groups to that of a cluster so stamped."""
    groups = entries_at(config, "workerGroupSpecs")
    count = annotations.get(GROUPS, "")
    if not count.isascii() or not count.isdigit() or int(count) >= len(groups):
        return False
    cut = {**config, "workerGroupSpecs": list(groups[: int(count)])}
    return annotations.get(HASH) == recreate_hash(cut)


def raycluster_manifest(
    service: RayService,
    name: str,
    settings: ManifestSettings,
    *,
    in_steps: bool = False,
    from_least: bool = False,
) -> dict[str, object]:
    """Return the RayCluster of a service under a name.

    Where traffic moves in steps the cluster's serve service is the RayService's to make, under the
    name that the cluster would use. `from_least` leaves the sizes of its groups to the autoscaler.
    """
    left_out = {LAST_APPLIED, words.ENABLE_SERVE_SERVICE} if in_steps else {LAST_APPLIED}
    annotations = {key: text for key, text in service.annotations.items() if key not in left_out}
    spec = thawed(service.spec.ray_cluster_config.as_written())
    if from_least:
        groups = entries_at(spec, "workerGroupSpecs")
        spec["workerGroupSpecs"] = [
            {key: value for key, value in group.items() if key != "replicas"} for group in groups
        ]
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": RAYCLUSTER,
        "metadata": {
            "name": name,
            "namespace": service.namespace,
            "labels": dict(service.labels) | origin(service.name),
            "annotations": annotations | stamps(service, settings),
            "ownerReferences": [owner_reference(service)],
        },
        "spec": spec,
    }
