"""What befalls rich worlds only: containers that end, and what others hold back.

Drawn from chance of its own (`features/worlds.py`), so that other worlds know nothing of it.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from random import Random

from msgspec.structs import replace

from sandbox.controllers.scenario import ContainerExit
from sandbox.errors import ApiError
from shared.kernel.manifests import mapping_at, name_of, uid_of
from shared.ports.cluster import Object
from tests.simulation.faults.fault import Fault, a_while
from tests.simulation.faults.nodes import befalls_new, usual
from tests.simulation.invariants.invariant import owner_uid
from tests.simulation.kinds import PLURALS
from tests.simulation.nature import NAMESPACE
from tests.simulation.world import World

HOLD = "example.com/hold"
"""A finalizer of somebody whom nobody here knows."""
OF_INIT = "wait-gcs-ready"
AGAIN = 5
"""How many runs of a container end badly at most."""


async def crash_loop(world: World, chance: Random) -> None:
    """Let every container of new pods end soon, again and again."""
    await _ends(world, chance, ContainerExit(after=0.2, times=AGAIN, exit_code=1))


async def out_of_memory(world: World, chance: Random) -> None:
    """Let the containers of new pods need more memory than they have."""
    ending = ContainerExit(after=0.2, times=AGAIN, exit_code=137, reason="OOMKilled")
    await _ends(world, chance, ending)


async def no_way_in(world: World, chance: Random) -> None:
    """Let workers wait in vain for their head: what is to wait for it fails."""
    ending = ContainerExit(container=OF_INIT, after=0.1, times=AGAIN, exit_code=1)
    await _ends(world, chance, ending)


async def hold_pods(world: World, chance: Random) -> None:
    """Delete some pods that a finalizer of somebody else holds."""
    pods = [pod for pod in world.nature.objects("pods") if owner_uid(pod)]
    chosen = chance.sample(pods, min(len(pods), 2))
    await _held(world, chance, [("pods", pod) for pod in chosen])


async def hold_clusters(world: World, chance: Random) -> None:
    """Delete a RayCluster, a user's or one of a job or service, that somebody else holds."""
    plural = PLURALS["raycluster"]
    clusters = world.nature.objects(plural)
    if clusters:
        await _held(world, chance, [(plural, chance.choice(clusters))])


async def hold_anything(world: World, chance: Random) -> None:
    """Delete any resource of ours that somebody else holds."""
    there = [(plural, one) for plural in PLURALS.values() for one in world.nature.objects(plural)]
    if there:
        await _held(world, chance, [chance.choice(there)])


async def _ends(world: World, chance: Random, ending: ContainerExit) -> None:
    told = ending.reason or f"exit code {ending.exit_code}"
    world.say(f"containers {ending.container} of new pods end: {told}")
    await befalls_new(world, chance, replace(usual(world), exits=(ending,)))


async def _held(world: World, chance: Random, chosen: list[tuple[str, Object]]) -> None:
    """Hold something, delete it, and let it go after a while, or when the faults stop."""
    held = [(plural, one) for plural, one in chosen if _finalize(world, plural, one, hold=True)]
    for plural, one in held:
        world.say(f"{name_of(one)} is deleted, and {HOLD} holds it")
        with suppress(ApiError):
            world.nature.cluster.delete(plural, NAMESPACE, name_of(one), propagation="Background")
    try:
        await asyncio.sleep(a_while(chance))
    finally:
        for plural, one in held:
            world.say(f"nobody holds {name_of(one)} any more")
            _finalize(world, plural, one, hold=False)


def _finalize(world: World, plural: str, one: Object, *, hold: bool) -> bool:
    """Set somebody's finalizer beside all others, or take it away; say whether it is so now."""
    found = world.nature.find_uid(uid_of(one))
    if found is None or (hold and mapping_at(found, "metadata").get("deletionTimestamp")):
        return False
    wanted = [*_others(found), *((HOLD,) if hold else ())]
    try:
        change = {"metadata": {"finalizers": wanted}}
        world.nature.cluster.patch(plural, NAMESPACE, name_of(one), change)
    except ApiError:
        return False
    return True


def _others(found: Object) -> Iterator[object]:
    listed = mapping_at(found, "metadata").get("finalizers")
    return (one for one in listed if one != HOLD) if isinstance(listed, list) else iter(())


FAULTS: tuple[Fault, ...] = (
    crash_loop,
    hold_clusters,
    out_of_memory,
    hold_pods,
    no_way_in,
    hold_anything,
)
