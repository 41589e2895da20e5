"""Old news: watches and lists that lag behind; facts reach the log long after they are true."""

import asyncio
from random import Random

from tests.simulation.faults.fault import Fault, a_while, somebody
from tests.simulation.world import World

KINDS = ("raycluster", "pod", "service", "rayjob", "rayservice", "job")
OF_STEPS = ("endpointslice", "gateway", "httproute")
"""Kinds that only traffic in steps depends on."""


async def lag(world: World, chance: Random) -> None:
    """Let the watches of one watcher lag."""
    process = somebody(world, chance, "watcher")
    if process is None:
        return
    process.kubernetes.lag = chance.choice((0.2, 1.0, 4.0, 15.0))
    world.say(f"the watches of {process.name} lag by {process.kubernetes.lag} s")
    await asyncio.sleep(a_while(chance, longest=30.0))
    process.kubernetes.lag = 0.0


async def reorder(world: World, chance: Random) -> None:
    """Let news of some kinds come later than those of others, for every watcher."""
    known = KINDS if world.nature.gateways is None else (*KINDS, *OF_STEPS)
    kinds = [kind for kind in known if chance.random() < 0.5]
    late = {kind: chance.choice((0.3, 2.0, 6.0)) for kind in kinds}
    world.say(f"news of {', '.join(f'{kind} ({by} s)' for kind, by in late.items())} come late")
    watchers = [one.kubernetes for one in world.processes if one.service == "watcher"]
    for kubernetes in watchers:
        kubernetes.late.update(late)
    await asyncio.sleep(a_while(chance, longest=20.0))
    for kubernetes in watchers:
        kubernetes.late.clear()


async def stale_server(world: World, chance: Random) -> None:
    """Let a watcher list from an API server that lags behind, as often as it lists."""
    process = somebody(world, chance, "watcher")
    if process is None:
        return
    kubernetes = process.kubernetes
    await kubernetes.lag_behind()
    span = a_while(chance)
    world.say(f"from now on, lists of {process.name} are old; its watches end in {span:.1f} s")
    await asyncio.sleep(span)
    kubernetes.end_watches(expired=True)
    await asyncio.sleep(a_while(chance))
    kubernetes.stale.clear()


async def slow_controllers(world: World, chance: Random) -> None:
    """Hold up Kubernetes' own controllers: nothing starts, nothing is collected."""
    span = a_while(chance)
    world.say(f"Kubernetes' controllers are held up for {span:.1f} s")
    world.nature.held_up_until = asyncio.get_running_loop().time() + span


FAULTS: tuple[Fault, ...] = (lag, lag, reorder, reorder, stale_server, slow_controllers)
