"""Work that stops half way: requests refused, throttled, slow, done without an answer."""

import asyncio
from random import Random

from sandbox.errors import ApiError
from sandbox.faults import LOSE_ANSWER, Refuse, no_faults
from sandbox.faults import Fault as ApiFault
from sandbox.requests import WRITING, Request
from tests.simulation.faults.fault import Fault, a_while, somebody
from tests.simulation.world import World

WRITERS = ("executor", "status")


async def flaky_api(world: World, chance: Random) -> None:
    """Let some requests of a writer fail, be throttled, conflict, or lose their answer."""
    process = somebody(world, chance, *WRITERS)
    if process is None:
        return
    rate = chance.choice((0.2, 0.6))

    def plan(request: Request) -> ApiFault | None:
        if chance.random() > rate:
            return None
        if request.verb in WRITING and chance.random() < 0.5:
            return LOSE_ANSWER
        told = [ApiError.internal("injected"), ApiError.too_many_requests()]
        if request.verb == "delete":
            told.append(ApiError.conflict(request.resource, request.name))
        return Refuse(error=chance.choice(told))

    world.say(f"{rate:.0%} of the requests of {process.name} go wrong")
    door = process.kubernetes.door
    door.faults = plan
    await asyncio.sleep(a_while(chance))
    door.faults = no_faults


async def quota(world: World, chance: Random) -> None:
    """Let a quota refuse every new pod for a while."""

    def plan(request: Request) -> ApiFault | None:
        if request.verb == "create" and request.resource == "pods":
            error = ApiError.forbidden("pods", "", "exceeded quota: compute")
            return Refuse(error=error)
        return None

    executors = [one for one in world.processes if one.service == "executor" and one.running]
    world.say("a quota refuses new pods")
    doors = [process.kubernetes.door for process in executors]
    for door in doors:
        door.faults = plan
    await asyncio.sleep(a_while(chance))
    for door in doors:
        door.faults = no_faults


async def slow_calls(world: World, chance: Random) -> None:
    """Let the calls of a writer take up to their deadline, or longer."""
    process = somebody(world, chance, *WRITERS)
    if process is None:
        return
    process.kubernetes.delay_max = chance.choice((0.5, 3.0, 6.0))
    world.say(f"calls of {process.name} take up to {2 * process.kubernetes.delay_max} s")
    await asyncio.sleep(a_while(chance))
    process.kubernetes.mend()


async def no_route(world: World, chance: Random) -> None:
    """Cut a process off from the API server."""
    process = somebody(world, chance, "watcher", *WRITERS)
    if process is None:
        return
    world.say(f"{process.name} does not reach the API server")
    kubernetes = process.kubernetes
    kubernetes.cut()
    await asyncio.sleep(a_while(chance))
    if process.running and process.kubernetes is kubernetes:
        kubernetes.mend()


FAULTS: tuple[Fault, ...] = (flaky_api, flaky_api, quota, slow_calls, no_route)
