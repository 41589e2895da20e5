"""The life of tasks: restarted, drained, stopped. On a virtual clock."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from shared.runtime.failures import Exit, FatalError
from shared.runtime.supervision import Duty, Supervisor, contained
from shared.telemetry.context import current
from shared.telemetry.metrics import REGISTRY
from tests.unit.shared.runtime.virtually import run_virtually

DRAIN = timedelta(seconds=20)


async def for_ever() -> None:
    await asyncio.Event().wait()


class Worker:
    """Takes work until told to drain, then needs a while for what is in hand."""

    def __init__(self, needs: float) -> None:
        self._needs = needs
        self._draining = asyncio.Event()
        self.ended = "running"

    async def run(self) -> None:
        try:
            await self._draining.wait()
            await asyncio.sleep(self._needs)
            self.ended = "drained"
        except asyncio.CancelledError:
            self.ended = "cancelled"
            raise

    def duty(self) -> Duty:
        return Duty(service="test", name="worker", run=self.run, drain=self._draining.set)


class Breaking:
    """Breaks so many times, then returns."""

    def __init__(self, times: int, error: BaseException) -> None:
        self._left = times
        self._error = error
        self.starts: list[float] = []

    async def run(self) -> None:
        self.starts.append(asyncio.get_running_loop().time())
        if self._left:
            self._left -= 1
            raise self._error

    def duty(self, name: str = "breaking") -> Duty:
        return Duty(service="test", name=name, run=self.run)


def supervise(
    *duties: Duty, stops: tuple[float, ...] = (), look: Callable[[Supervisor], None] | None = None
) -> tuple[Exit, float]:
    """Run duties, asking to stop at these moments; return the exit code and when it ended."""

    async def scene() -> tuple[Exit, float]:
        loop = asyncio.get_running_loop()
        supervisor = Supervisor(drain_timeout=DRAIN, chance=Random(1))
        for moment in stops:
            loop.call_later(moment, supervisor.stop, "the test says so")
        if look is not None:
            loop.call_later(1, look, supervisor)
        return await supervisor.run(duties), round(loop.time(), 3)

    return run_virtually(scene())


def test_ends_when_every_duty_is_done() -> None:
    once = Breaking(0, ValueError())

    assert supervise(once.duty()) == (Exit.DONE, 0.0)
    assert once.starts == [0.0]


def test_without_duties_there_is_nothing_to_do() -> None:
    assert supervise() == (Exit.DONE, 0.0)


def test_what_broke_begins_again_after_growing_pauses() -> None:
    breaking = Breaking(5, ValueError("broken"))

    assert supervise(breaking.duty())[0] is Exit.DONE
    pauses = [b - a for a, b in zip(breaking.starts, breaking.starts[1:], strict=False)]
    assert len(pauses) == 5
    assert all(0.125 * 2**n <= pause <= 0.25 * 2**n for n, pause in enumerate(pauses))


def test_one_that_breaks_leaves_the_others_alone() -> None:
    worker, breaking = Worker(needs=0), Breaking(3, ValueError())

    assert supervise(worker.duty(), breaking.duty(), stops=(60,)) == (Exit.DONE, 60.0)
    assert worker.ended == "drained"
    assert len(breaking.starts) == 4


def test_counts_what_it_starts_again() -> None:
    supervise(Breaking(3, ValueError()).duty("counted"))

    labels = {"service": "test", "task": "counted"}
    assert REGISTRY.get_sample_value("heliograph_task_restarts_total", labels) == 3


def test_a_cancellation_that_nobody_asked_for_is_a_fault() -> None:
    breaking = Breaking(1, asyncio.CancelledError())

    assert supervise(breaking.duty())[0] is Exit.DONE
    assert len(breaking.starts) == 2


def test_stopping_cancels_what_cannot_drain() -> None:
    duty = Duty(service="test", name="endless", run=for_ever)

    assert supervise(duty, stops=(5,)) == (Exit.DONE, 5.0)


def test_stopping_lets_work_in_hand_finish() -> None:
    worker = Worker(needs=10)

    assert supervise(worker.duty(), stops=(5,)) == (Exit.DONE, 15.0)
    assert worker.ended == "drained"


def test_what_others_stand_on_stays_until_they_have_drained() -> None:
    worker, ground = Worker(needs=10), Duty(service="test", name="ground", run=for_ever)

    assert supervise(ground, worker.duty(), stops=(5,)) == (Exit.DONE, 15.0)


def test_work_that_takes_too_long_is_left_undone() -> None:
    worker = Worker(needs=99)

    assert supervise(worker.duty(), stops=(5,)) == (Exit.HURRIED, 25.0)
    assert worker.ended == "cancelled"


def test_asked_twice_it_stops_at_once() -> None:
    worker = Worker(needs=10)

    assert supervise(worker.duty(), stops=(5, 7)) == (Exit.HURRIED, 7.0)
    assert worker.ended == "cancelled"


def test_asked_twice_in_one_breath_it_stops_at_once() -> None:
    worker = Worker(needs=10)

    assert supervise(worker.duty(), stops=(5, 5)) == (Exit.HURRIED, 5.0)


def test_stopping_ends_the_pause_of_what_broke() -> None:
    breaking = Breaking(99, ValueError())

    assert supervise(breaking.duty(), stops=(60.5,))[1] == 60.5


@pytest.mark.parametrize(
    "error",
    [
        FatalError("the log belongs to another installation"),
        ExceptionGroup("two", [ValueError(), ExceptionGroup("one", [FatalError("no")])]),
    ],
    ids=["alone", "in a group"],
)
def test_a_fatal_error_drains_and_ends_everything(error: Exception) -> None:
    worker, breaking = Worker(needs=3), Breaking(1, error)

    assert supervise(worker.duty(), breaking.duty()) == (Exit.BROKEN, 3.0)
    assert worker.ended == "drained"
    assert len(breaking.starts) == 1


def test_tells_what_broke_lately() -> None:
    told: list[str | None] = []
    duties = (Breaking(1, ValueError("no luck")).duty(), Duty(service="t", name="e", run=for_ever))

    supervise(*duties, stops=(60,), look=lambda supervisor: told.append(supervisor.trouble()))

    assert told == ["test/breaking: ValueError: no luck"]


def test_forgets_what_has_been_steady_since() -> None:
    async def scene() -> str | None:
        supervisor = Supervisor(drain_timeout=DRAIN, chance=Random(1))
        duties = (Breaking(1, ValueError()).duty(), Duty(service="t", name="e", run=for_ever))
        running = asyncio.create_task(supervisor.run(duties))
        await asyncio.sleep(30)
        told = supervisor.trouble()
        supervisor.stop("the test is over")
        await running
        return told

    assert run_virtually(scene()) is None


def test_a_duty_knows_its_service() -> None:
    seen: list[object] = []

    async def look() -> None:
        await asyncio.sleep(0)
        seen.append(current()["service"])

    supervise(Duty(service="watcher", name="pods", run=look))

    assert seen == ["watcher"]


class FailsWhenTold:
    """Fails at the very moment at which it is told to end, and so forgets that it was told."""

    def __init__(self) -> None:
        self.starts = 0

    async def run(self) -> None:
        self.starts += 1
        try:
            await for_ever()
        finally:
            raise ConnectionError("the bus is away")


def test_who_fails_at_the_moment_of_being_told_to_end_ends_nevertheless() -> None:
    failing = FailsWhenTold()

    async def scenario() -> None:
        duty = Duty(service="test", name="failing", run=failing.run)
        task = asyncio.create_task(Supervisor(drain_timeout=DRAIN).run([duty]))
        await asyncio.sleep(1)
        task.cancel()
        ended, _ = await asyncio.wait([task], timeout=600)
        assert ended
        assert task.cancelled()

    run_virtually(scenario())

    assert failing.starts == 1


def test_contained_work_does_not_hide_that_its_task_is_told_to_end() -> None:
    failing = FailsWhenTold()

    async def scenario() -> None:
        task = asyncio.create_task(contained(failing.run()))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    run_virtually(scenario())
