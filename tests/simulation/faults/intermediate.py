"""Work that stops half way: requests refused, throttled, slow, done without an answer."""

import asyncio
from random import Random

from sandbox.errors import ApiError, Cause
from sandbox.faults import LOSE_ANSWER, Refuse, no_faults
from sandbox.faults import Fault as ApiFault
from sandbox.requests import WRITING, Request
from shared.kernel.manifests import name_of
from shared.resources.labels import NODE_TYPE
from tests.simulation.faults.fault import Fault, a_while, somebody
from tests.simulation.invariants.invariant import label, owner_uid, usable
from tests.simulation.nature import NAMESPACE
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
        return Refuse(error=chance.choice(_refusals(request)))

    world.say(f"{rate:.0%} of the requests of {process.name} go wrong")
    door = process.kubernetes.door
    door.faults = plan
    await asyncio.sleep(a_while(chance))
    door.faults = no_faults


def _refusals(request: Request) -> list[ApiError]:
    """Return what the API server may answer to a request instead of doing it."""
    told = [ApiError.internal("injected"), ApiError.too_many_requests()]
    if request.verb in {"delete", "patch"}:
        told.append(ApiError.conflict(request.resource, request.name))
    if request.verb in {"create", "patch"}:
        cause = Cause(reason="FieldValueInvalid", message="injected", field="spec")
        told.append(ApiError.invalid(request.resource, request.name, (cause,)))
    return told


async def overload(world: World, chance: Random) -> None:
    """Let the API server do everything, answer hardly anybody, and tell news late."""

    def plan(request: Request) -> ApiFault | None:
        return LOSE_ANSWER if chance.random() < 0.9 else None

    span = a_while(chance)
    world.say(f"the API server is overloaded for {span:.1f} s")
    for process in world.processes:
        process.kubernetes.lag = chance.choice((1.0, 10.0))
        if process.service == "executor":
            process.kubernetes.door.faults = plan
    await asyncio.sleep(span)
    for process in world.processes:
        process.kubernetes.lag = 0.0
        process.kubernetes.door.faults = no_faults


async def unheard(world: World, chance: Random) -> None:
    """Let a worker be lost, and nobody hear how its successor fares: no answer, no news."""
    workers = [pod for pod in world.nature.objects("pods") if label(pod, NODE_TYPE) == "worker"]
    owned = [name_of(pod) for pod in workers if owner_uid(pod) and usable(pod)]
    if not owned:
        return
    victim = chance.choice(owned)
    world.say(f"pod {victim} is killed, and the API server answers no executor any more")
    executors = [one.kubernetes for one in world.processes if one.service == "executor"]
    watchers = [one.kubernetes for one in world.processes if one.service == "watcher"]
    for kubernetes in executors:
        kubernetes.door.faults = lambda _: LOSE_ANSWER
    world.nature.cluster.delete("pods", NAMESPACE, victim, grace_seconds=0)
    await world.next_record()
    for kubernetes in watchers:
        kubernetes.lag = 8.0
    await asyncio.sleep(chance.uniform(4.0, 12.0))
    for kubernetes in (*executors, *watchers):
        kubernetes.mend()


async def api_down(world: World, chance: Random) -> None:
    """Let nobody reach the API server."""
    world.say("the API server is down")
    reached = [process.kubernetes for process in world.processes]
    for kubernetes in reached:
        kubernetes.cut()
    await asyncio.sleep(a_while(chance))
    for process, kubernetes in zip(world.processes, reached, strict=True):
        if process.running and process.kubernetes is kubernetes:
            kubernetes.mend()


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


FAULTS: tuple[Fault, ...] = (
    flaky_api,
    flaky_api,
    overload,
    unheard,
    quota,
    slow_calls,
    no_route,
    api_down,
)
