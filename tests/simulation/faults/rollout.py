"""Other rules beside the usual ones: a rollout from replica to replica, which may stop halfway.

For a while, processes that decide by different rules share the work. Nothing may be made twice or
taken away because of it, and each decision can be repeated by the rules that it names.
"""

import asyncio
from random import Random

from msgspec.structs import replace

from shared.runtime.settings import RuleSettings
from tests.simulation.faults.fault import Fault, a_while
from tests.simulation.process import Process
from tests.simulation.world import World


async def roll_out(world: World, chance: Random) -> None:
    """Let other rules come to the replicas one by one; maybe not to all, maybe back again."""
    others = other_rules(world.rules, chance)
    everybody = list(world.processes)
    chance.shuffle(everybody)
    reached = everybody[: chance.randint(1, len(everybody))]
    world.say(f"other rules come to {', '.join(process.name for process in reached)}")
    for process in reached:
        await _restart(process, others)
        await asyncio.sleep(a_while(chance, longest=6.0))
    if chance.random() < 0.5:
        world.say("the usual rules come back")
        for process in reached:
            await _restart(process, world.rules)


def other_rules(rules: RuleSettings, chance: Random) -> RuleSettings:
    """Return rules that make other pods than these do, under other names."""
    return replace(
        rules,
        enable_deterministic_head_pod_name=chance.random() < 0.5,
        enable_probes_injection=chance.random() < 0.5,
        enable_init_container_injection=chance.random() < 0.5,
        enable_login_shell=True,
    )


async def _restart(process: Process, rules: RuleSettings) -> None:
    process.rules = rules
    if process.running and not process.leaving:
        await process.stop()
    if not process.running:
        process.start()


FAULTS: tuple[Fault, ...] = (roll_out, roll_out)
