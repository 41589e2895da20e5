"""Controllers take a step after each change and when they said so, and rest otherwise."""

import asyncio
from datetime import UTC, datetime, timedelta

from heliograph.simulator.living import live
from heliograph.simulator.loop import VirtualLoop

BEGINNING = datetime(2030, 1, 1, tzinfo=UTC)
REACTION = 0.5


def steps_taken(due: list[float | None], changes: list[float], until: float) -> list[float]:
    """Let controllers live whose steps say what is due next; return when they took each."""
    taken: list[float] = []

    async def play() -> None:
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def step() -> datetime | None:
            taken.append(loop.time())
            at = due[len(taken) - 1] if len(taken) <= len(due) else None
            return None if at is None else BEGINNING + timedelta(seconds=at)

        def now() -> datetime:
            return BEGINNING + timedelta(seconds=loop.time())

        for at in changes:
            loop.call_at(at, changed.set)
        living = asyncio.create_task(live(changed, step, now, lambda: REACTION))
        await asyncio.sleep(until)
        living.cancel()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(play())
    return taken


def test_a_change_is_noticed_a_moment_later() -> None:
    assert steps_taken([], changes=[10.0], until=60.0) == [REACTION, 10.0 + REACTION]


def test_what_is_due_is_done_without_a_change() -> None:
    assert steps_taken([30.0], changes=[], until=60.0) == [REACTION, 30.0 + REACTION]


def test_changes_while_they_react_are_taken_together() -> None:
    assert steps_taken([], changes=[10.0, 10.2, 10.4], until=60.0) == [REACTION, 10.0 + REACTION]
