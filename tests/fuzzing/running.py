"""Runs trials on the sandbox, each world in an event loop of its own on virtual time."""

import asyncio
from collections.abc import Sequence

from heliograph.simulator.luck import lucky
from heliograph.views.timeline import Moment, timeline
from tests.fuzzing.gates import gates_of
from tests.fuzzing.trials import Trial
from tests.fuzzing.virtual import virtual_stage
from tests.fuzzing.worlds import Seen, play_all
from tests.simulation.loop import SimulationLoop

AT_ONCE = 20


def run_world(trials: Sequence[Trial]) -> Seen:
    """Play trials of one seed side by side in a world of their own."""
    return _run(trials)[0]


def run_alone(trial: Trial) -> tuple[Seen, tuple[Moment, ...]]:
    """Play one trial with nobody beside it; return its history, too."""
    return _run((trial,))


def _run(trials: Sequence[Trial]) -> tuple[Seen, tuple[Moment, ...]]:
    seed = trials[0].seed
    with lucky(seed), asyncio.Runner(loop_factory=SimulationLoop) as runner:
        return runner.run(_played(trials, seed))


async def _played(trials: Sequence[Trial], seed: int) -> tuple[Seen, tuple[Moment, ...]]:
    async with virtual_stage(gates_of(seed)) as stage:
        seen = await play_all(stage, trials, at_once=AT_ONCE)
        told = timeline(stage.records(trials[-1].name)) if len(trials) == 1 else ()
        return seen, tuple(told)
