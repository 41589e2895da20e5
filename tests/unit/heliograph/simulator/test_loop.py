"""Virtual time passes while nobody has anything to do, and tasks keep their order in sets."""

import asyncio
from time import monotonic

import pytest

from heliograph.simulator.loop import NumberedTask, OrderedLoop, VirtualLoop


def test_a_day_takes_no_time() -> None:
    begun = monotonic()
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(asyncio.sleep(86_400))
        passed = runner.get_loop().time()

    assert passed == 86_400
    assert monotonic() - begun < 60


def test_waiting_for_nothing_is_told() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        with pytest.raises(RuntimeError, match="everybody waits and nothing is due"):
            runner.run(wait())
        runner.get_loop().call_later(1.0, lambda: None)


def test_tasks_are_numbered_from_one_in_every_loop() -> None:
    async def number() -> int:
        task = asyncio.current_task()
        assert isinstance(task, NumberedTask)
        return hash(task)

    for _ in range(2):
        with asyncio.Runner(loop_factory=OrderedLoop) as runner:
            assert runner.run(number()) == 1
