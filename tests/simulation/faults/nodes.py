"""Nodes and kubelets: pods that are lost, stuck on their way out, or cannot start."""

import asyncio
from datetime import timedelta
from random import Random

from msgspec.structs import replace

from sandbox.controllers.scenario import PodRule
from shared.kernel.manifests import name_of
from shared.ports.cluster import Object
from tests.simulation.faults.fault import Fault, a_while
from tests.simulation.invariants.invariant import owner_uid, usable
from tests.simulation.kubernetes import CALL_DEADLINE
from tests.simulation.nature import NAMESPACE
from tests.simulation.users import suspend_or_resume
from tests.simulation.world import World

STUCK = 60.0
SOON = timedelta(milliseconds=10)


async def lose_node(world: World, chance: Random) -> None:
    """Let the kubelet of one pod fall silent: it is not ready, and nobody ends it."""
    pod = _somebody(world, chance)
    if pod is not None:
        world.say(f"the node of {name_of(pod)} is lost")
        await _befalls(world, chance, replace(_rule(world, pod), lost_node=True))


async def stuck_terminating(world: World, chance: Random) -> None:
    """Let a pod that is deleted take very long to go."""
    pod = _somebody(world, chance)
    if pod is None:
        return
    world.say(f"pod {name_of(pod)} is deleted and stays Terminating")
    world.nature.befall(replace(_rule(world, pod), terminate_after=STUCK))
    world.nature.cluster.delete("pods", NAMESPACE, name_of(pod))


async def image_error(world: World, chance: Random) -> None:
    """Let new pods find no image for a while."""
    world.say("images cannot be pulled")
    await befalls_new(world, chance, replace(usual(world), image_pull_error="not found"))


async def unschedulable(world: World, chance: Random) -> None:
    """Let new pods find no node for a while."""
    world.say("no node takes new pods")
    told = "0/3 nodes are available"
    await befalls_new(world, chance, replace(usual(world), unschedulable=told))


async def evict(world: World, chance: Random) -> None:
    """Let the kubelet evict a pod."""
    pod = _somebody(world, chance)
    if pod is not None:
        world.say(f"the kubelet evicts {name_of(pod)}")
        at = world.server.clock.now() + SOON
        world.nature.befall(replace(_rule(world, pod), evicted_at=at))


async def blackout(world: World, chance: Random) -> None:
    """Let every pod die while calls take long, and somebody suspend a cluster because of that."""
    world.say("every pod dies, and calls of executors take long")
    executors = [one.kubernetes for one in world.processes if one.service == "executor"]
    for kubernetes in executors:
        kubernetes.delay_max = 2 * CALL_DEADLINE
    for pod in world.nature.objects("pods"):
        if owner_uid(pod):
            world.nature.cluster.delete("pods", NAMESPACE, name_of(pod), grace_seconds=0)
    await asyncio.sleep(chance.uniform(0.1, 1.0))
    world.say(suspend_or_resume(world, chance))
    await asyncio.sleep(chance.uniform(3.0, 6.0))
    for kubernetes in executors:
        kubernetes.mend()


def _somebody(world: World, chance: Random) -> Object | None:
    pods = [pod for pod in world.nature.objects("pods") if owner_uid(pod) and usable(pod)]
    return chance.choice(pods) if pods else None


def _rule(world: World, pod: Object) -> PodRule:
    return replace(world.nature.cluster.scenario.rule_for(dict(pod)), name=name_of(pod))


def usual(world: World) -> PodRule:
    """Return how pods fare to whom nothing happens."""
    return world.nature.scenario.otherwise


async def befalls_new(world: World, chance: Random, rule: PodRule) -> None:
    """Let something befall pods that are not there yet: a rule speaks of all that fit it."""
    there = (replace(usual(world), name=name_of(pod)) for pod in world.nature.objects("pods"))
    await _befalls(world, chance, *there, rule)


async def _befalls(world: World, chance: Random, *rules: PodRule) -> None:
    world.nature.befall(*rules)
    await asyncio.sleep(a_while(chance))
    scenario = world.nature.cluster.scenario
    left = tuple(each for each in scenario.rules if not any(each is one for one in rules))
    world.nature.cluster.scenario = replace(scenario, rules=left)
    world.nature.wake()


FAULTS: tuple[Fault, ...] = (
    lose_node,
    stuck_terminating,
    image_error,
    unschedulable,
    evict,
    blackout,
)
