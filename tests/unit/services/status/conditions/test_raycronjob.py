"""The status of a RayCronJob: the last moment that is done with, forwards only."""

from msgspec.structs import replace

from services.status.conditions.raycronjob import assess_raycronjob
from shared.actions.outcomes import Occupied, Overtaken
from tests.support.builders import QUOTA
from tests.support.crons import CronPlot, cron, text_at_minute


def test_nothing_is_told_before_the_first_run() -> None:
    plot = CronPlot()
    plot.commits()

    assert assess_raycronjob(plot.view()) == {}


def test_the_moment_of_the_run_is_told_and_not_that_of_its_making() -> None:
    """RayCronJob checklist 8: a tick that is done with is written."""
    plot = CronPlot()
    plot.at(7.5)
    plot.executes(plot.commits())

    assert assess_raycronjob(plot.view()) == {"lastScheduleTime": text_at_minute(5)}


def test_a_run_that_was_not_made_is_not_told() -> None:
    for outcome in (QUOTA, Overtaken(because="newer")):
        plot = CronPlot()
        plot.at(5)
        plot.answers(plot.commits(), outcome)

        assert assess_raycronjob(plot.view()) == {}


def test_a_moment_that_is_skipped_for_its_name_counts_as_done_with() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.answers(plot.commits(), Occupied(uid="x", resource_version=1, message="not ours"))

    assert assess_raycronjob(plot.view()) == {"lastScheduleTime": text_at_minute(5)}


def test_it_never_goes_back_and_leaves_the_same_moment_as_it_is_written() -> None:
    """RayCronJob checklist 8: no other value for the same moment."""
    for written in (text_at_minute(10), text_at_minute(5).replace("Z", "+00:00")):
        status: dict[str, object] = {"lastScheduleTime": written, "other": 1}
        plot = CronPlot()
        plot.at(5)
        plot.executes(plot.commits())
        last = plot.view().own
        assert last is not None
        plot.sees(replace(last, status=status))

        assert assess_raycronjob(plot.view()) == status


def test_what_the_log_forgot_the_status_still_tells() -> None:
    """RayCronJob checklist 8: it keeps its value."""
    status: dict[str, object] = {"lastScheduleTime": text_at_minute(5)}
    plot = CronPlot(replace(cron(), status=status))

    assert assess_raycronjob(plot.view()) == status
