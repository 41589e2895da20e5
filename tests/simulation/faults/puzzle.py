"""A resource over which the rules break for a while, as they would for a flaw of ours.

They break whatever they see, or only once an act was answered, so that what they decide goes on
until then. The resource is parked, the others go on, and once the rules hold again it is as if
nothing had been. Drawn from chance of its own (`features/worlds.py`), so that other worlds know
nothing of it.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from random import Random

from services.reconciler.decisions import decide
from services.reconciler.decisions.decision import Context, Draft
from shared.aggregates.view import View
from shared.kernel.keys import ResourceKey
from tests.simulation.faults.fault import a_while
from tests.simulation.world import PuzzledError, World

USUAL = decide.DRAFTERS
HALF = 0.5
LONGEST = 5.0
"""In seconds: whoever breaks its service waits longer each time, and shall be back soon."""


async def puzzle(world: World, chance: Random) -> None:
    """Let the rules break over one resource for a while."""
    known = sorted(world.archive.resources())
    if not known:
        return
    key, answered = chance.choice(known), chance.random() < HALF
    told = " when it was answered" if answered else ""
    world.say(f"the rules break over {key.kind} {key.name}{told}")
    world.scene.puzzled[key] = True
    with breaking(world.scene.puzzled, answered={key} if answered else frozenset()):
        try:
            await asyncio.sleep(a_while(chance, longest=LONGEST))
        finally:
            world.scene.puzzled[key] = False
            world.say(f"the rules hold for {key.kind} {key.name} again")


@contextmanager
def breaking(
    puzzled: Mapping[ResourceKey, bool], answered: Collection[ResourceKey] = ()
) -> Iterator[None]:
    """Let the rules break over whatever puzzles them, until nothing does."""
    before = decide.DRAFTERS

    def drafted(view: View, context: Context) -> Draft | None:
        if puzzled.get(view.key) and (view.key not in answered or view.answer is not None):
            raise PuzzledError("what is this?")
        return before[view.key.kind](view, context)

    decide.DRAFTERS = dict.fromkeys(USUAL, drafted)
    try:
        yield
    finally:
        if not any(puzzled.values()):
            decide.DRAFTERS = USUAL
