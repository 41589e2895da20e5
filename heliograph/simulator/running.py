"""Run one fork from its moment to its end, on a loop of virtual time of its own.

The same start, question and seed give the same records, in every process. A service that breaks is
no outcome: it is raised, for then nobody knows what would have happened.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from msgspec import Struct

from heliograph.simulator.loop import OrderedLoop
from heliograph.simulator.luck import lucky
from heliograph.simulator.meddling import put, settings_wanted
from heliograph.simulator.questions import Question, span_of
from heliograph.simulator.world import Start, World
from shared.events.envelope import Record
from shared.runtime.failures import FatalError
from shared.runtime.settings import Settings

SPOKEN = ("services", "shared", "heliograph", "asyncio")
"""Whose logs are about the fork, and not for people."""
STEPS = 20
Progress = Callable[[float], None]
"""Told how much of a fork is done, from 0 to 1."""


class Wishes(Struct, frozen=True, kw_only=True):
    """How a fork is run: in which settings, for how long, and with which luck."""

    settings: Settings
    lasts: timedelta
    seed: int


def run(start: Start, question: Question, wishes: Wishes, tell: Progress) -> tuple[Record, ...]:
    """Return what was recorded in a fork in which the question's change happened."""
    with (
        lucky(wishes.seed),
        _quietly() as complaints,
        asyncio.Runner(loop_factory=OrderedLoop) as runner,
    ):
        records = runner.run(_run(start, question, wishes, tell))
    if complaints:
        raise FatalError(f"the simulation broke, so nobody can tell: {complaints[0]}")
    return records


async def _run(
    start: Start, question: Question, wishes: Wishes, tell: Progress
) -> tuple[Record, ...]:
    world = World(start, wishes.seed)
    living = asyncio.create_task(world.live())
    playing = asyncio.create_task(_play(world, question, wishes, tell))
    circling = asyncio.create_task(world.circles.wait())
    try:
        await asyncio.wait((playing, circling), return_when=asyncio.FIRST_COMPLETED)
        if world.circles.is_set():
            raise FatalError("the operator goes in circles here, so nobody can tell how it ends")
        await playing
        return world.records()
    finally:
        await world.end()
        for task in (playing, circling, living):
            task.cancel()
        await asyncio.wait((playing, circling, living))


async def _play(world: World, question: Question, wishes: Wishes, tell: Progress) -> None:
    ends = asyncio.get_running_loop().time() + wishes.lasts.total_seconds()
    after, away = span_of(question.after), span_of(question.operator.away)
    settings = settings_wanted(question, wishes.settings)
    if after:
        world.begin(wishes.settings)
        await asyncio.sleep(after.total_seconds())
        if away or question.settings:
            await world.end()
    put(world, question)
    await asyncio.sleep(away.total_seconds())
    world.begin(settings)
    for step in range(STEPS):
        left = max(ends - asyncio.get_running_loop().time(), 0.0)
        await asyncio.sleep(left / (STEPS - step))
        tell((step + 1) / STEPS)


class _Complaints(logging.Handler):
    """Hears of services that broke, where the supervisor says so."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.told.append(repr(record.exc_info[1]))


@contextmanager
def _quietly() -> Iterator[list[str]]:
    """Keep the logs of a fork to itself; give what went wrong in it."""
    hearing = _Complaints()
    loggers = [logging.getLogger(name) for name in SPOKEN]
    before = [one.propagate for one in loggers]
    for one in loggers:
        one.propagate = False
        one.addHandler(hearing)
    try:
        yield hearing.told
    finally:
        for one, propagated in zip(loggers, before, strict=True):
            one.propagate = propagated
            one.removeHandler(hearing)
