"""What users do to RayServices: new configurations, new clusters, the way back, rest, deletion.

In some worlds they want traffic to move in steps, and also another pace, or the cluster back that
serves while another is on its way in.
"""

from random import Random
from typing import Any

from services.reconciler.manifests.rayservice.cluster import HASH
from shared.aggregates.rayservice import ACTIVE
from shared.kernel.manifests import annotations_of, name_of, text_at
from shared.ports.cluster import Object
from shared.resources.labels import OPERATOR_VERSION
from shared.resources.service_options import INCREMENTAL
from tests.simulation.kinds import RAYCLUSTERS, RAYSERVICES, in_steps
from tests.simulation.nature import NAMESPACE
from tests.simulation.users import Deed, any_of
from tests.simulation.wishes import cluster, group
from tests.simulation.world import World
from tests.support.rayservices import MARKET, STAND

NAME = "shop"
VERSIONS = ("2.46.0", "2.47.0")
APPENDED = "more"
"""The worker group that is appended."""
ONE_MORE = "2.48.0"
"""What users of services in steps may want as well: an upgrade can go on to a third cluster."""
DELAY_SECONDS = 10
"""How long a cluster stays after another has taken over."""
PACES = ((100, 100), (100, 50), (50, 25), (60, 40))
"""Capacity and traffic of a step, in percent."""
INTERVALS = (1, 3, 6)
"""How long traffic stays as it is after a step, in seconds: an upgrade takes half a minute."""


def create_service(world: World, chance: Random) -> str:
    """Create the RayService."""
    if world.nature.objects(RAYSERVICES):
        return f"the name {NAME} is taken"
    config = {
        **cluster("", {"small": chance.randint(0, 1)})["spec"],
        "rayVersion": VERSIONS[0],
    }
    spec: dict[str, Any] = {
        "serveConfigV2": STAND,
        "rayClusterConfig": config,
        "rayClusterDeletionDelaySeconds": DELAY_SECONDS,
    }
    if in_steps(world.seed):
        config["enableInTreeAutoscaling"] = True
        for each in config["workerGroupSpecs"]:
            each["minReplicas"] = each["replicas"]
        spec["upgradeStrategy"] = _strategy(chance)
    meta = {"name": NAME, "namespace": NAMESPACE}
    world.nature.cluster.create(
        RAYSERVICES,
        {"apiVersion": "ray.io/v1", "kind": "RayService", "metadata": meta, "spec": spec},
    )
    return f"service {NAME} is created"


def upgrade(world: World, chance: Random) -> str:
    """Ask for another version of Ray: for a new cluster, or for the one before."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    known = (*VERSIONS, ONE_MORE) if in_steps(world.seed) else VERSIONS
    others = [one for one in known if one != _spec(found)["rayClusterConfig"]["rayVersion"]]
    return _wants_version(world, found, chance.choice(others))


def go_back(world: World, chance: Random) -> str:
    """Ask for the version that the active cluster has."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    active = text_at(found, "status", ACTIVE, "rayClusterName")
    for one in world.nature.objects(RAYCLUSTERS):
        if name_of(one) == active:
            return _wants_version(world, found, text_at(one, "spec", "rayVersion"))
    return upgrade(world, chance)


def change_pace(world: World, chance: Random) -> str:
    """Ask for other steps, be it in the middle of an upgrade."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    return _change(world, found, {"upgradeStrategy": _strategy(chance)})


def reconfigure(world: World, chance: Random) -> str:
    """Ask for the other application, which needs no new cluster."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    other = MARKET if _spec(found)["serveConfigV2"] == STAND else STAND
    return _change(world, found, {"serveConfigV2": other})


def grow(world: World, chance: Random) -> str:
    """Append a worker group, which needs no new cluster."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    groups = _spec(found)["rayClusterConfig"]["workerGroupSpecs"]
    if any(each["groupName"] == APPENDED for each in groups):
        return reconfigure(world, chance)
    appended = {**group(APPENDED, 1), "minReplicas": 1}
    return _change(world, found, {"rayClusterConfig": {"workerGroupSpecs": [*groups, appended]}})


def take_over(world: World, chance: Random) -> str:
    """Let clusters have the stamps of another operator's version, as when one follows another."""
    del chance
    stamps = {OPERATOR_VERSION: "v1.0.0", HASH: "told in another way"}
    clusters = [one for one in world.nature.objects(RAYCLUSTERS) if HASH in annotations_of(one)]
    for one in clusters:
        patch = {"metadata": {"annotations": stamps}}
        world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, name_of(one), patch)
    return f"{len(clusters)} clusters are stamped by another version"


def suspend_or_resume_service(world: World, chance: Random) -> str:
    """Turn the suspension of the RayService over."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    return _change(world, found, {"suspend": not _spec(found).get("suspend", False)})


def delete_service(world: World, chance: Random) -> str:
    """Delete the RayService."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    world.nature.cluster.delete(RAYSERVICES, NAMESPACE, name_of(found), propagation="Background")
    return f"service {name_of(found)} is deleted"


def lose_cluster(world: World, chance: Random) -> str:
    """Delete one of the RayService's clusters by hand."""
    found = any_of(world, RAYCLUSTERS, chance)
    if found is None or not name_of(found).startswith(f"{NAME}-"):
        return "there is no cluster that somebody could delete by mistake"
    world.nature.cluster.delete(RAYCLUSTERS, NAMESPACE, name_of(found), propagation="Background")
    return f"cluster {name_of(found)} is deleted by mistake"


def _strategy(chance: Random) -> dict[str, Any]:
    surge, step = chance.choice(PACES)
    options = {
        "maxSurgePercent": surge,
        "stepSizePercent": step,
        "intervalSeconds": chance.choice(INTERVALS),
        "gatewayClassName": "nodding",
    }
    return {"type": INCREMENTAL, "clusterUpgradeOptions": options}


def _spec(found: Object) -> dict[str, Any]:
    spec = found["spec"]
    assert isinstance(spec, dict)
    return spec


def _wants_version(world: World, found: Object, version: str) -> str:
    return _change(world, found, {"rayClusterConfig": {"rayVersion": version}})


def _change(world: World, found: Object, spec: dict[str, Any]) -> str:
    world.nature.cluster.patch(RAYSERVICES, NAMESPACE, name_of(found), {"spec": spec})
    return f"service {name_of(found)} wants {spec}"


DEEDS: tuple[Deed, ...] = (
    create_service,
    upgrade,
    upgrade,
    upgrade,
    reconfigure,
    grow,
    take_over,
    suspend_or_resume_service,
    delete_service,
)
TURNS: tuple[Deed, ...] = (
    upgrade,
    go_back,
    go_back,
    change_pace,
    reconfigure,
    grow,
    suspend_or_resume_service,
    suspend_or_resume_service,
    delete_service,
    lose_cluster,
)
"""How users change their minds in the middle of an upgrade."""


def turns(seed: int) -> tuple[Deed, ...]:
    """Return those that a world knows: without steps there is no pace."""
    return tuple(one for one in TURNS if in_steps(seed) or one is not change_pace)
