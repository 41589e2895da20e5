"""Ray's dashboards: they hang, break connections, answer nonsense, and heads begin anew."""

import asyncio
from datetime import timedelta
from random import Random

import msgspec

from sandbox.controllers.rayrules import AnswerRule
from sandbox.controllers.scenario import ContainerExit
from sandbox.controllers.told import EXITS
from shared.kernel.manifests import entries_at, name_of
from shared.ports.cluster import Object
from shared.resources.labels import NODE_TYPE
from tests.simulation.faults.fault import Fault, a_while
from tests.simulation.invariants.invariant import label, usable
from tests.simulation.nature import NAMESPACE
from tests.simulation.world import World

NEVER = 10.0**6
SOON = timedelta(milliseconds=10)
GARBAGE = "<html>It works!</html>"


async def hang(world: World, chance: Random) -> None:
    """Let dashboards take questions and never answer."""
    await _answer(world, chance, "hang", AnswerRule(delay=NEVER))


async def break_off(world: World, chance: Random) -> None:
    """Let dashboards break every connection."""
    await _answer(world, chance, "break off", AnswerRule(refuse=True))


async def garbage(world: World, chance: Random) -> None:
    """Let dashboards answer what nobody can read."""
    await _answer(world, chance, "answer garbage", AnswerRule(status=200, body=GARBAGE))


async def server_error(world: World, chance: Random) -> None:
    """Let dashboards fail."""
    await _answer(world, chance, "answer 500", AnswerRule(status=500, body="it broke"))


async def not_found(world: World, chance: Random) -> None:
    """Let dashboards say of living jobs that they do not know them."""
    rule = AnswerRule(method="GET", path="/api/jobs/*", status=404, body="not found")
    await _answer(world, chance, "know no job", rule)


async def deny(world: World, chance: Random) -> None:
    """Let dashboards deny every job in Ray's own words, those too that they do not take again."""
    rule = AnswerRule(method="GET", path="/api/jobs/*", status=404, body="Job does not exist")
    await _answer(world, chance, "deny every job", rule)


async def lost_submission(world: World, chance: Random) -> None:
    """Let dashboards answer submissions with an error although they were asked."""
    rule = AnswerRule(method="POST", path="/api/jobs/", delay=NEVER)
    await _answer(world, chance, "do not answer submissions", rule)


async def restart_head(world: World, chance: Random) -> None:
    """End Ray's process in a head: the container starts again and knows no job."""
    heads = [pod for pod in world.nature.objects("pods") if _runs_head(pod)]
    if not heads:
        return
    head = chance.choice(heads)
    container = str(entries_at(head, "spec", "containers")[0]["name"])
    ends = ContainerExit(container=container, at=world.server.clock.now() + SOON)
    note = {EXITS: msgspec.json.encode((ends,)).decode()}
    world.say(f"Ray in {name_of(head)} begins anew")
    patch = {"metadata": {"annotations": note}}
    world.nature.cluster.patch("pods", NAMESPACE, name_of(head), patch)


def _runs_head(pod: Object) -> bool:
    return label(pod, NODE_TYPE) == "head" and usable(pod)


async def _answer(world: World, chance: Random, how: str, rule: AnswerRule) -> None:
    world.say(f"dashboards {how}")
    world.nature.answer(rule)
    await asyncio.sleep(a_while(chance))
    world.nature.answer()


FAULTS: tuple[Fault, ...] = (
    hang,
    break_off,
    garbage,
    server_error,
    not_found,
    deny,
    lost_submission,
    restart_head,
    restart_head,
)
