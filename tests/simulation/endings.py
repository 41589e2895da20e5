"""How a world ended, told so that two runs can be compared: what users want, and what they have."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from shared.aggregates.rayservice import ACTIVE
from shared.kernel.manifests import entries_at, mapping_at, name_of, text_at, uid_of, value_at
from shared.ports.cluster import Object
from shared.resources.labels import GROUP
from tests.simulation.invariants.invariant import Scene, label, owner_uid
from tests.simulation.kinds import PLURALS, RAYCLUSTERS

TOLD = ("state", "jobDeploymentStatus", "jobStatus", "serviceStatus", "failed", "succeeded")
OF_ACTIVE = ("trafficRoutedPercent", "targetCapacity")
"""What is told of the cluster that serves, where traffic moves in steps."""
BY_CHANCE = frozenset({"Blocked"})
"""Conditions that tell of the way, not of the end."""


class Ending(Struct, frozen=True, kw_only=True):
    """What became of one resource."""

    wish: str
    """The spec as its user left it, less the names of pods that happened to be there."""
    told: tuple[str, ...]
    pods: Mapping[str, int]
    """How many pods each of its groups has, those of its clusters included."""
    others: Mapping[str, int]
    """How many objects it has of every other kind that is looked at."""


def endings(scene: Scene) -> dict[str, Ending]:
    """Return what became of everything that users made, by kind and name."""
    return {
        f"{kind} {name_of(found)}": _ending(scene, found)
        for kind, plural in PLURALS.items()
        for found in scene.nature.objects(plural)
        if not owner_uid(found)
    }


def _ending(scene: Scene, found: Object) -> Ending:
    status = mapping_at(found, "status")
    conditions = sorted(
        f"{text_at(entry, 'type')} is {text_at(entry, 'status')}"
        for entry in entries_at(status, "conditions")
        if text_at(entry, "type") not in BY_CHANCE
    )
    fields = [f"{field}: {status.get(field)}" for field in TOLD]
    fields += [f"{field}: {value_at(status, ACTIVE, field)}" for field in OF_ACTIVE]
    clusters = [found, *scene.nature.owned(RAYCLUSTERS, uid_of(found))]
    pods = Counter(
        label(pod, GROUP) for one in clusters for pod in scene.nature.owned("pods", uid_of(one))
    )
    others = {kind: len(scene.nature.owned(kind, uid_of(found))) for kind in scene.nature.told}
    wish = _without_names(mapping_at(found, "spec"))
    return Ending(
        wish=repr(wish),
        told=(*fields, *conditions),
        pods=dict(sorted(pods.items())),
        others=others,
    )


def _without_names(value: object) -> object:
    if isinstance(value, Mapping):
        kept = sorted((key, each) for key, each in value.items() if key != "scaleStrategy")
        return {key: _without_names(each) for key, each in kept}
    return [_without_names(each) for each in value] if isinstance(value, list) else value
