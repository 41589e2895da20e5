"""Gateways: their controller is late or refuses, and somebody deletes what splits the traffic."""

import asyncio
from random import Random

from shared.kernel.manifests import name_of
from tests.simulation.faults.fault import Fault, a_while
from tests.simulation.gateways import KINDS_OF_STEPS
from tests.simulation.nature import NAMESPACE
from tests.simulation.world import World


async def gateway_away(world: World, chance: Random) -> None:
    """Let nobody look after gateways and routes for a while."""
    controller = world.nature.gateways
    if controller is None:
        return
    span = a_while(chance)
    world.say(f"nobody looks after gateways for {span:.1f} s")
    controller.away_until = asyncio.get_running_loop().time() + span


async def gateway_refuses(world: World, chance: Random) -> None:
    """Let the gateway say for a while that it cannot do what it is asked."""
    controller = world.nature.gateways
    if controller is None:
        return
    world.say("the gateway refuses")
    controller.refuses = True
    controller.wake()
    await asyncio.sleep(a_while(chance))
    controller.refuses = False
    controller.wake()


async def lose_route(world: World, chance: Random) -> None:
    """Delete a gateway or a route by hand."""
    if world.nature.gateways is None:
        return
    resource = chance.choice(KINDS_OF_STEPS)
    for found in world.nature.objects(resource):
        world.say(f"somebody deletes {name_of(found)}")
        world.nature.cluster.delete(resource, NAMESPACE, name_of(found), propagation="Background")


FAULTS: tuple[Fault, ...] = (gateway_away, gateway_refuses, lose_route)
