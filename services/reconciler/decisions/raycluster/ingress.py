"""A cluster that asks for it has an ingress to its dashboard, kept in step with the wish.

Labels, annotations and spec are made as the cluster says; a class that somebody else filled in is
kept if the cluster names none. Only an ingress of our own is changed, and it stays when it is no
longer asked for. A change that the API server takes without it showing is not asked for again.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from services.reconciler.decisions.raycluster import companions, route, unshown
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.manifests.companions import INGRESS
from services.reconciler.manifests.ingress import (
    ingress_annotations,
    ingress_labels,
    ingress_name,
    ingress_spec,
)
from shared.actions.objects import CreateObject, Notice, PatchObject, Words
from shared.events.objects import ChildSeen
from shared.kernel.manifests import thawed

_KIND = "ingress"
_STAMPS = "heliograph.dev/"
"""Annotations that begin so say which act made an object; they are not the user's."""


def ensure(found: Situation) -> Iterator[CreateObject | PatchObject]:
    """Yield the creation of the ingress if it is missing, or the change that it needs."""
    if not _wanted(found):
        return
    name = ingress_name(found.cluster)
    if companions.lacks(found, _KIND, name):
        yield CreateObject(
            kind=_KIND,
            name=name,
            manifest=INGRESS,
            rule="ingress",
            because="the cluster asks for an ingress and has none",
            notice=_creation_notice(companions.place(found, name)),
        )
        return
    live = _live(found)
    if live is None or (_KIND, name) in found.state.unsettled:
        return
    patch = _difference(found, live)
    if patch and not unshown.tried(found, live, patch):
        yield _change(found, live, patch)


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: a change that did not show."""
    live = _live(found) if _wanted(found) else None
    return unshown.marks(found, live, _difference(found, live)) if live is not None else ()


def _wanted(found: Situation) -> bool:
    return found.cluster.head.enable_ingress is True and not route.instead_of_ingress(found)


def _live(found: Situation) -> ChildSeen | None:
    """Return our ingress, unless it is on its way out."""
    live = found.state.children.get((_KIND, ingress_name(found.cluster)))
    return live if live is not None and live.meta.deleted_at is None else None


def _creation_notice(where: str) -> Notice:
    taken = f"Ingress {where} already exists and is not owned by this RayCluster; not modifying it"
    return replace(
        companions.creation_notice("Ingress", "ingress", where),
        taken=Words(reason="FailedToCreateIngress", message=taken),
    )


def _change(found: Situation, live: ChildSeen, patch: dict[str, object]) -> PatchObject:
    where = companions.place(found, live.meta.name)
    return PatchObject(
        kind=_KIND,
        name=live.meta.name,
        uid=live.meta.uid,
        patch=patch,
        rule="ingress",
        because="the ingress is not as the cluster asks for it",
        notice=Notice(
            done=Words(reason="UpdatedIngress", message=f"Updated ingress {where}"),
            refused=Words(
                reason="FailedToUpdateIngress", message=f"Failed updating ingress {where}, "
            ),
        ),
    )


def _difference(found: Situation, live: ChildSeen) -> dict[str, object]:
    """Return the merge patch that makes the ingress as wished; empty if it is."""
    cluster = found.cluster
    kept = {key: value for key, value in live.meta.annotations.items() if key.startswith(_STAMPS)}
    spec = ingress_spec(cluster)
    if "ingressClassName" in live.spec:
        spec.setdefault("ingressClassName", live.spec["ingressClassName"])
    metadata = {
        "labels": _changes(live.meta.labels, ingress_labels(cluster)),
        "annotations": _changes(live.meta.annotations, ingress_annotations(cluster) | kept),
    }
    parts = {
        "metadata": {part: changes for part, changes in metadata.items() if changes},
        "spec": _changes(thawed(live.spec), spec),
    }
    return {part: changes for part, changes in parts.items() if changes}


def _changes(live: Mapping[str, object], wanted: Mapping[str, object]) -> dict[str, object]:
    """Return the merge patch from one to the other; what is not wanted goes."""
    changed = {key: value for key, value in wanted.items() if live.get(key) != value}
    return changed | {key: None for key in live if key not in wanted}
