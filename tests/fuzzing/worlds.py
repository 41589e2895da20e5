"""Plays many trials side by side in one world, and looks at the whole of it afterwards.

What services say in a world is nobody's in particular: a complaint is a finding of the world, and
whoever shrinks plays each trial alone. Invariant: a world is thrown away with its trials.
"""

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct

from tests.fuzzing.bases import BASES
from tests.fuzzing.likeness import portrait
from tests.fuzzing.markers import ENV_MARKER, SECRET_MARKER
from tests.fuzzing.playing import Outcome, Player, Portrait
from tests.fuzzing.resting import A_TICK, at_rest, prepared
from tests.fuzzing.stage import Stage
from tests.fuzzing.trials import Trial

SHOWN = 1500


class Seen(Struct, frozen=True, kw_only=True):
    """What came of a world."""

    outcomes: tuple[Outcome, ...]
    findings: tuple[str, ...] = ()
    """What nobody's trial in particular did."""


class Bases:
    """What each base looks like where nothing was ever changed; each is made once."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._made: dict[tuple[str, str], asyncio.Task[Portrait]] = {}

    async def fresh(self, kind: str, base: str) -> Portrait:
        """Return the portrait of a base."""
        if (kind, base) not in self._made:
            self._made[kind, base] = asyncio.create_task(self._make(kind, base))
        return await self._made[kind, base]

    async def _make(self, kind: str, base: str) -> Portrait:
        namespace = f"fresh-{kind.lower()}-{base}"
        await prepared(self._stage, namespace)
        await self._stage.create(namespace, BASES[kind][base])
        at_least = A_TICK if kind == "RayCronJob" else 0.0
        objects, _ = await at_rest(self._stage, namespace, at_least)
        return portrait(namespace, objects)


async def play_all(
    stage: Stage,
    trials: Sequence[Trial],
    *,
    at_once: int,
    told: Callable[[Outcome], None] = lambda _: None,
) -> Seen:
    """Play trials side by side."""
    bases, slots = Bases(stage), asyncio.Semaphore(at_once)
    outcomes: list[Outcome] = []

    async def one(trial: Trial) -> None:
        async with slots:
            outcome = await Player(stage, trial, bases.fresh).play()
            outcomes.append(outcome)
            told(outcome)

    async with asyncio.TaskGroup() as group:
        for trial in trials:
            group.create_task(one(trial))
    return Seen(outcomes=tuple(outcomes), findings=tuple(of_the_world(stage)))


def of_the_world(stage: Stage) -> list[str]:
    """Return what services said that none should."""
    found = [f"crash: {line[:SHOWN]}" for line in stage.complaints()]
    wrote = [line for line in stage.lines() if ENV_MARKER in line or SECRET_MARKER in line]
    found += [f"leak: a service wrote {line[:SHOWN]}" for line in wrote]
    return [*found, *(f"leak: it is in record {subject}" for subject in stage.leaked())]
