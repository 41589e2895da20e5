"""What users do to RayServices: new configurations, new clusters, the way back, rest, deletion."""

from random import Random
from typing import Any

from shared.kernel.manifests import name_of
from shared.ports.cluster import Object
from tests.simulation.kinds import RAYSERVICES
from tests.simulation.nature import NAMESPACE
from tests.simulation.users import Deed, any_of
from tests.simulation.wishes import cluster
from tests.simulation.world import World
from tests.support.rayservices import MARKET, STAND

NAME = "shop"
VERSIONS = ("2.46.0", "2.47.0")
DELAY_SECONDS = 10
"""How long a cluster stays after another has taken over."""


def create_service(world: World, chance: Random) -> str:
    """Create the RayService."""
    if world.nature.objects(RAYSERVICES):
        return f"the name {NAME} is taken"
    spec: dict[str, Any] = {
        "serveConfigV2": STAND,
        "rayClusterConfig": {
            **cluster("", {"small": chance.randint(0, 1)})["spec"],
            "rayVersion": VERSIONS[0],
        },
        "rayClusterDeletionDelaySeconds": DELAY_SECONDS,
    }
    meta = {"name": NAME, "namespace": NAMESPACE}
    world.nature.cluster.create(
        RAYSERVICES,
        {"apiVersion": "ray.io/v1", "kind": "RayService", "metadata": meta, "spec": spec},
    )
    return f"service {NAME} is created"


def upgrade(world: World, chance: Random) -> str:
    """Ask for the other version of Ray: for a new cluster, or for the one before."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    config = _spec(found)["rayClusterConfig"]
    other = VERSIONS[config["rayVersion"] == VERSIONS[0]]
    return _change(world, found, {"rayClusterConfig": {"rayVersion": other}})


def reconfigure(world: World, chance: Random) -> str:
    """Ask for the other application, which needs no new cluster."""
    found = any_of(world, RAYSERVICES, chance)
    if found is None:
        return create_service(world, chance)
    other = MARKET if _spec(found)["serveConfigV2"] == STAND else STAND
    return _change(world, found, {"serveConfigV2": other})


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


def _spec(found: Object) -> dict[str, Any]:
    spec = found["spec"]
    assert isinstance(spec, dict)
    return spec


def _change(world: World, found: Object, spec: dict[str, Any]) -> str:
    world.nature.cluster.patch(RAYSERVICES, NAMESPACE, name_of(found), {"spec": spec})
    return f"service {name_of(found)} wants {spec}"


DEEDS: tuple[Deed, ...] = (
    create_service,
    upgrade,
    upgrade,
    upgrade,
    reconfigure,
    suspend_or_resume_service,
    delete_service,
)
