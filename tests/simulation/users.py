"""What users and bad luck do to clusters and pods, each drawn from chance.

A user reads what is there and changes it at once, without faults: the API server is only
unreachable for us. What does not fit the moment (there is nothing to delete) is left out.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from shared.kernel.manifests import name_of, uid_of
from shared.ports.cluster import Object
from tests.simulation.invariants.invariant import owner_uid
from tests.simulation.nature import NAMESPACE, RAYCLUSTERS
from tests.simulation.wishes import (
    MISTAKEN,
    PAIR,
    REPLICAS_MAX,
    SELDOM,
    STRANGER,
    cluster,
    group,
    sizes_of,
)
from tests.simulation.world import World

NAMES = ("alpha", "beta")
NOT_MEANT = (STRANGER, *MISTAKEN.values(), *SELDOM.values())
"""What nobody changes who means something else."""
Deed = Callable[[World, Random], str]


def create(world: World, chance: Random) -> str:
    """Create a cluster whose name is free."""
    taken = {name_of(obj) for obj in world.nature.objects(RAYCLUSTERS)}
    free = [name for name in NAMES if name not in taken]
    if not free:
        return scale(world, chance) if own_clusters(world) else "every name is taken"
    sizes = {"small": chance.randint(0, REPLICAS_MAX)}
    if chance.random() < 0.4:
        sizes["large"] = chance.randint(0, 2)
    if chance.random() < 0.3:
        sizes[PAIR] = chance.randint(0, 2)
    world.nature.cluster.create(RAYCLUSTERS, cluster(free[0], sizes))
    return f"{free[0]} is created with {sizes}"


def scale(world: World, chance: Random) -> str:
    """Change the size of a group."""

    def change(spec: dict[str, Any]) -> str:
        if not spec["workerGroupSpecs"]:
            return "has no group to scale"
        chosen = chance.choice(spec["workerGroupSpecs"])
        sizes = sizes_of(chosen["groupName"])
        others = [size for size in sizes if size != chosen["replicas"]]
        chosen["replicas"] = chance.choice(others)
        return f"wants {chosen['replicas']} of {chosen['groupName']}"

    return _edit(world, chance, change)


def regroup(world: World, chance: Random) -> str:
    """Take a group away, or add one."""

    def change(spec: dict[str, Any]) -> str:
        known = [each["groupName"] for each in spec["workerGroupSpecs"]]
        if "large" in known:
            spec["workerGroupSpecs"] = [
                each for each in spec["workerGroupSpecs"] if each["groupName"] != "large"
            ]
            return "loses the group large"
        spec["workerGroupSpecs"].append(group("large", chance.randint(1, 2)))
        return "gains the group large"

    return _edit(world, chance, change)


def suspend_or_resume(world: World, chance: Random) -> str:
    """Turn suspension over."""

    def change(spec: dict[str, Any]) -> str:
        spec["suspend"] = not spec.get("suspend", False)
        return f"wants suspend: {spec['suspend']}"

    return _edit(world, chance, change)


def spoil_or_repair(world: World, chance: Random) -> str:
    """Write a spec that makes no sense, or put it right."""

    def change(spec: dict[str, Any]) -> str:
        params = spec["headGroupSpec"].setdefault("rayStartParams", {})
        if params.pop("labels", None) is not None:
            return "is repaired"
        params["labels"] = "a=b"
        return "is spoiled"

    return _edit(world, chance, change)


def name_victims(world: World, chance: Random) -> str:
    """Name workers to delete: one of its own and a stranger."""

    def change(spec: dict[str, Any]) -> str:
        names = [name_of(pod) for pod in world.nature.objects("pods") if "worker" in name_of(pod)]
        victims = [STRANGER, *chance.sample(names, min(1, len(names)))]
        for each in spec["workerGroupSpecs"]:
            each["scaleStrategy"] = {"workersToDelete": victims}
        return f"names {', '.join(victims)} to be deleted"

    return _edit(world, chance, change)


def delete(world: World, chance: Random) -> str:
    """Delete a cluster."""
    found = _cluster(world, chance)
    if found is None:
        return create(world, chance)
    how = chance.choice(("Background", "Background", "Foreground"))
    world.nature.cluster.delete(RAYCLUSTERS, NAMESPACE, name_of(found), propagation=how)
    return f"{name_of(found)} {uid_of(found)[:5]} is deleted, {how}"


def recreate(world: World, chance: Random) -> str:
    """Delete a cluster and create it again under the same name."""
    found = _cluster(world, chance)
    if found is None:
        return create(world, chance)
    name = name_of(found)
    world.nature.cluster.delete(RAYCLUSTERS, NAMESPACE, name, propagation="Background")
    if name in {name_of(obj) for obj in world.nature.objects(RAYCLUSTERS)}:
        return f"{name} is deleted, and its name not free yet"
    sizes = {"small": chance.randint(0, REPLICAS_MAX)}
    world.nature.cluster.create(RAYCLUSTERS, cluster(name, sizes))
    return f"{name} is made anew with {sizes}"


def kill_pod(world: World, chance: Random) -> str:
    """Delete a pod of ours behind our back."""
    found = any_of(world, "pods", chance)
    if found is None:
        return "there is no pod to kill"
    world.nature.cluster.delete("pods", NAMESPACE, name_of(found), grace_seconds=0)
    return f"pod {name_of(found)} is killed"


def kill_worker(world: World, chance: Random) -> str:
    """Delete the first worker there is."""
    names = [name_of(pod) for pod in world.nature.objects("pods") if "-worker-" in name_of(pod)]
    if not names:
        return "there is no worker to kill"
    world.nature.cluster.delete("pods", NAMESPACE, names[0], grace_seconds=0)
    return f"pod {names[0]} is killed"


def evict_pod(world: World, chance: Random) -> str:
    """Let a pod fail where it stands."""
    found = any_of(world, "pods", chance)
    if found is None:
        return "there is no pod to evict"
    status = {"phase": "Failed", "reason": "Evicted", "message": "The node was low on memory."}
    world.nature.cluster.patch(
        "pods", NAMESPACE, name_of(found), {"status": status}, subresource="status"
    )
    return f"pod {name_of(found)} is evicted"


def autoscale(world: World, chance: Random) -> str:
    """Shrink a group as Ray's autoscaler does: fewer replicas, and the victim by name."""

    def change(spec: dict[str, Any]) -> str:
        for each in spec["workerGroupSpecs"]:
            marker = f"-{each['groupName']}-worker-"
            there = [name_of(pod) for pod in world.nature.objects("pods") if marker in name_of(pod)]
            if there and each["replicas"] > 0 and each["groupName"] != PAIR:
                victim = chance.choice(there)
                each["replicas"] -= 1
                each["scaleStrategy"] = {"workersToDelete": [victim]}
                return f"is shrunk by the autoscaler to {each['replicas']} without {victim}"
        return "has nobody whom the autoscaler could remove"

    return _edit(world, chance, change)


def there_and_back(world: World, chance: Random) -> str:
    """Change a size and take it back at once."""
    found = _cluster(world, chance)
    if found is None:
        return create(world, chance)
    before = _copied(found["spec"])
    told = scale(world, chance)
    name = name_of(found)
    world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, name, {"spec": before})
    return f"{told}, and {name} gets back what it had"


def gitops(world: World, chance: Random) -> str:
    """Write the spec that the repository has, whatever others have written since."""
    found = _cluster(world, chance)
    if found is None:
        return create(world, chance)
    name = name_of(found)
    sizes = {"small": 2}
    world.nature.cluster.patch(
        RAYCLUSTERS, NAMESPACE, name, {"spec": {**cluster(name, sizes)["spec"], "suspend": False}}
    )
    return f"{name} gets what the repository has: {sizes}"


MISHAPS: tuple[Deed, ...] = (kill_pod, kill_pod, evict_pod)
DEEDS: tuple[Deed, ...] = (
    create,
    create,
    scale,
    scale,
    scale,
    regroup,
    suspend_or_resume,
    suspend_or_resume,
    spoil_or_repair,
    name_victims,
    autoscale,
    there_and_back,
    gitops,
    delete,
    recreate,
    *MISHAPS,
)


def any_of(world: World, resource: str, chance: Random) -> Object | None:
    """Return any object of a kind that is not on its way out."""
    found = _staying(world, resource)
    return chance.choice(found) if found else None


def own_clusters(world: World) -> list[Object]:
    """Return the RayClusters that users made themselves."""
    return [obj for obj in _staying(world, RAYCLUSTERS) if not owner_uid(obj)]


def _cluster(world: World, chance: Random) -> Object | None:
    found = own_clusters(world)
    return chance.choice(found) if found else None


def _staying(world: World, resource: str) -> list[Object]:
    return [
        obj
        for obj in world.nature.objects(resource)
        if name_of(obj) not in NOT_MEANT and "deletionTimestamp" not in obj["metadata"]
    ]


def _edit(world: World, chance: Random, change: Callable[[dict[str, Any]], str]) -> str:
    found = _cluster(world, chance)
    if found is None:
        return create(world, chance)
    spec = _copied(found["spec"])
    told = change(spec)
    name = name_of(found)
    world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, name, {"spec": spec})
    return f"{name} {told}"


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value
