"""A schedule that names a pace: its step counts from the creation, and each minute has one run."""

from shared.events.decisions import Decided
from tests.support.crons import CronPlot, cron, made, minute, name_at, notices


def due_at(act: Decided) -> object:
    return next(one.due_at for one in act.timers if one.name == "tick")


def test_a_pace_keeps_its_step_from_the_moment_of_creation() -> None:
    plot = CronPlot(cron("@every 7m"))
    plot.at(16)
    act = plot.works()

    assert made(act) == [name_at(14)]
    assert due_at(act) == minute(21)


def test_a_pace_faster_than_a_minute_has_one_run_a_minute() -> None:
    """RayCronJob checklist 16: however fast it is."""
    plot = CronPlot(cron("@every 20s"))
    act = plot.works()
    runs, told = [], []
    for _ in range(4):
        plot.fires(act, "tick")
        act = plot.works()
        runs += made(act)
        told += notices(act)
        assert plot.decides() is None

    assert runs == [name_at(n) for n in range(4)]
    assert told == []


def test_a_minute_that_has_its_run_gets_no_second_one() -> None:
    plot = CronPlot(cron("@every 20s"))
    plot.at(0.4)

    assert made(plot.works()) == [name_at(0)]

    plot.at(0.8)

    assert plot.decides() is None
