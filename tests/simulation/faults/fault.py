"""What a fault is: something that happens to the world for a while and then ends by itself.

A fault says in a sentence what it does, waits as long as it lasts, and undoes itself. It may be
ended early; then the world is mended as a whole (`World.mend`).
"""

from collections.abc import Awaitable, Callable
from random import Random

from tests.simulation.process import Process
from tests.simulation.world import World

Fault = Callable[[World, Random], Awaitable[None]]


def a_while(chance: Random, longest: float = 12.0) -> float:
    """Return how long something lasts: mostly short, sometimes long."""
    return chance.choice((0.3, 1.0, 3.0, longest)) * chance.uniform(0.5, 1.5)


def somebody(world: World, chance: Random, *services: str) -> Process | None:
    """Return a running process, of these services if any are named."""
    there = [
        process
        for process in world.processes
        if process.running and not process.leaving and (not services or process.service in services)
    ]
    return chance.choice(there) if there else None
