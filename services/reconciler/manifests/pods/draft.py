"""A pod in the making: a copy of the user's template that the steps work on.

The only thing under `manifests` that changes, and only between the first and last line of
`head_pod` or `worker_pod`. Everything in it is copied from what users and operators wrote, so no
step can reach back into their objects.
"""

from collections.abc import Sequence
from typing import cast

from msgspec import Struct

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.invariants import invariant
from shared.kernel.manifests import Raw, named, texts_at, thawed, words_at
from shared.resources.groups import Group
from shared.resources.raycluster import RayCluster

Part = dict[str, object]


class PodDraft(Struct, kw_only=True):
    """What is known of the pod so far."""

    cluster: RayCluster
    settings: ManifestSettings
    labels: dict[str, str]
    annotations: dict[str, str]
    finalizers: tuple[str, ...]
    start: dict[str, str]
    spec: Part
    ray: Part
    """The container that runs Ray: the first one of the spec."""


def draft_of(cluster: RayCluster, group: Group, settings: ManifestSettings) -> PodDraft:
    """Copy the group's template; its labels are still the user's alone."""
    template = thawed(group.template)
    spec = template.get("spec")
    invariant(isinstance(spec, dict) and spec.get("containers"), "a valid group has a container")
    pod = cast("Part", spec)
    return PodDraft(
        cluster=cluster,
        settings=settings,
        labels=texts_at(template, "metadata", "labels"),
        annotations=texts_at(template, "metadata", "annotations"),
        finalizers=words_at(template, "metadata", "finalizers"),
        start=dict(group.ray_start_params),
        spec=pod,
        ray=parts(pod, "containers")[0],
    )


def parts(owner: Part, key: str) -> list[Part]:
    """Return the list under the key to work on; make it if there is none."""
    if not isinstance(owner.get(key), list):
        owner[key] = []
    return cast("list[Part]", owner[key])


def add_once(entries: list[Part], entry: Raw) -> None:
    """Add the entry unless one of its name is there."""
    if named(cast("Sequence[Raw]", entries), str(entry["name"])) is None:
        entries.append(thawed(entry))


def mount(draft: PodDraft, container: Part, volume: Raw, mounted: Raw) -> None:
    """Mount the volume unless something is mounted there; add the volume to the pod once."""
    mounts = parts(container, "volumeMounts")
    if any(entry.get("mountPath") == mounted["mountPath"] for entry in mounts):
        return
    add_once(parts(draft.spec, "volumes"), volume)
    mounts.append({"name": volume["name"], **mounted})


def manifest(draft: PodDraft) -> dict[str, object]:
    """Return the finished pod, without a name."""
    metadata: Part = {
        "namespace": draft.cluster.namespace,
        "labels": dict(sorted(draft.labels.items())),
        "ownerReferences": [owner_reference(draft.cluster)],
    }
    if draft.annotations:
        metadata["annotations"] = dict(sorted(draft.annotations.items()))
    if draft.finalizers:
        metadata["finalizers"] = list(draft.finalizers)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": draft.spec}
