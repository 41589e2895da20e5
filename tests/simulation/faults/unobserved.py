"""News that never comes: watches that end or expire, lists that fail."""

import asyncio
from random import Random

from sandbox.errors import ApiError
from sandbox.faults import Fault as ApiFault
from sandbox.faults import Refuse, no_faults
from sandbox.requests import Request
from tests.simulation.faults.fault import Fault, a_while, somebody
from tests.simulation.world import World


async def end_watches(world: World, chance: Random) -> None:
    """End every watch of a watcher; sometimes its past is forgotten as well."""
    process = somebody(world, chance, "watcher")
    if process is None:
        return
    expired = chance.random() < 0.5
    world.say(f"the watches of {process.name} {'expire' if expired else 'end'}")
    process.kubernetes.end_watches(expired=expired)


async def forget_history(world: World, chance: Random) -> None:
    """Let the API server forget the past that watches resume from."""
    world.say("the API server forgets its history")
    for resource in ("pods", "services", "rayclusters.ray.io"):
        world.nature.cluster.state.store.history(resource).forget(keep=chance.randint(0, 3))


async def fail_lists(world: World, chance: Random) -> None:
    """Let every list and watch of a watcher fail for a while."""
    process = somebody(world, chance, "watcher")
    if process is None:
        return

    def plan(request: Request) -> ApiFault | None:
        if request.verb in {"list", "watch"}:
            return Refuse(error=ApiError.internal("the list took too long"))
        return None

    world.say(f"lists of {process.name} fail")
    door = process.kubernetes.door
    door.faults = plan
    process.kubernetes.end_watches(expired=True)
    await asyncio.sleep(a_while(chance))
    door.faults = no_faults


async def blind(world: World, chance: Random) -> None:
    """Let nobody list or watch one kind; sometimes the log is lost at the same time."""
    resource = chance.choice(("pods", "pods", "services", "rayclusters.ray.io"))

    def plan(request: Request) -> ApiFault | None:
        if request.resource == resource and request.verb in {"list", "watch"}:
            return Refuse(error=ApiError.internal("the list took too long"))
        return None

    world.say(f"nobody can list {resource}")
    watchers = [one.kubernetes for one in world.processes if one.service == "watcher"]
    for kubernetes in watchers:
        kubernetes.door.faults = plan
        kubernetes.end_watches(expired=True)
    span = a_while(chance)
    if chance.random() < 0.5:
        world.say("the log is lost meanwhile")
        world.lose_log()
        span = chance.uniform(10.0, 20.0)
    await asyncio.sleep(span)
    for kubernetes in watchers:
        kubernetes.door.faults = no_faults


FAULTS: tuple[Fault, ...] = (end_watches, forget_history, fail_lists, blind, blind)
