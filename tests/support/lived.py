"""Histories of any kind, lived through in the simulator: what users wish, and how it goes.

For tests that need a log of a RayJob, a RayService or a RayCronJob with everything in it, written
by the real services.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from heliograph.simulator.loop import OrderedLoop
from heliograph.simulator.luck import lucky
from heliograph.simulator.world import Start, World
from sandbox.controllers.scenario import Scenario
from shared.events.envelope import Record
from shared.kernel.manifests import text_at
from shared.runtime.settings import Settings

EPOCH = datetime(2030, 1, 1, tzinfo=UTC)
Deed = Callable[[World], None]
CALM = Scenario()


def lived(
    *steps: tuple[float, Deed], scenario: Scenario = CALM, settings: Settings | None = None
) -> tuple[Record, ...]:
    """Return the log of a world in which things were done, each so many seconds after the last."""
    start = Start(
        moment=EPOCH, records=(), objects=(), newest_version=1, scenario=scenario, memories={}
    )
    with lucky(1), asyncio.Runner(loop_factory=OrderedLoop) as runner:
        return runner.run(_live(start, steps, settings or Settings()))


async def _live(
    start: Start, steps: tuple[tuple[float, Deed], ...], settings: Settings
) -> tuple[Record, ...]:
    world = World(start, 1)
    living = asyncio.create_task(world.live())
    world.begin(settings)
    for seconds, deed in steps:
        await asyncio.sleep(seconds)
        deed(world)
    records = world.records()
    await world.end()
    living.cancel()
    await asyncio.wait([living])
    return records


def creates(manifest: Mapping[str, object]) -> Deed:
    """A user creates a resource."""
    plural = f"{text_at(manifest, 'kind').lower()}s.ray.io"

    def deed(world: World) -> None:
        world.cluster.create(plural, dict(manifest))

    return deed


def looks(_: World) -> None:
    """Nothing is done: time has passed."""


def after(seconds: float) -> datetime:
    """Return a moment of a lived history."""
    return EPOCH + timedelta(seconds=seconds)
