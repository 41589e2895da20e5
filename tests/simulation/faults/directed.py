"""Faults without chance, for plans that are written by hand: named services, exact spans."""

import asyncio
from random import Random

from sandbox.errors import ApiError
from sandbox.faults import Fault as ApiFault
from sandbox.faults import Refuse, no_faults
from sandbox.requests import Request
from tests.simulation.faults.fault import Fault
from tests.simulation.world import World


def asleep(service: str, seconds: float) -> Fault:
    """Let every process of a service sleep."""

    async def fault(world: World, chance: Random) -> None:
        sleeping = [process for process in world.processes if process.service == service]
        world.say(f"every {service} sleeps for {seconds} s")
        for process in sleeping:
            process.freeze()
        await asyncio.sleep(seconds)
        for process in sleeping:
            process.thaw()

    return fault


def blind(resource: str, seconds: float) -> Fault:
    """Let lists and watches of one resource fail."""

    def plan(request: Request) -> ApiFault | None:
        if request.resource == resource and request.verb in {"list", "watch"}:
            return Refuse(error=ApiError.internal("the list took too long"))
        return None

    async def fault(world: World, chance: Random) -> None:
        doors = [one.kubernetes.door for one in world.processes if one.service == "watcher"]
        world.say(f"nobody can list {resource} for {seconds} s")
        for door in doors:
            door.faults = plan
        await asyncio.sleep(seconds)
        for door in doors:
            door.faults = no_faults

    return fault


def far(service: str, delay: float, seconds: float) -> Fault:
    """Let requests of a service take almost as long as this to arrive."""

    async def fault(world: World, chance: Random) -> None:
        distant = [one.kubernetes for one in world.processes if one.service == service]
        world.say(f"requests of every {service} take up to {delay} s")
        for kubernetes in distant:
            kubernetes.delay_max = delay
        await asyncio.sleep(seconds)
        for kubernetes in distant:
            kubernetes.mend()

    return fault
