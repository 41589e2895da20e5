"""Missed runs, refused runs, runs in doubt, runs whose name is taken: none stops the schedule."""

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.actions.objects import ConfirmObject, CreateObject
from shared.actions.outcomes import Done, Gone, Occupied, Refused, Unknown
from shared.events.decisions import Decided
from tests.support.builders import NOON, QUOTA
from tests.support.crons import (
    CATCHING_UP,
    CronPlot,
    cron,
    made,
    minute,
    name_at,
    notices,
    run_seen,
    text_at_minute,
)

STRANGER = Occupied(
    uid="theirs", resource_version=7, message="exists and belongs to something else"
)


def due_at(act: Decided) -> object:
    return next(one.due_at for one in act.timers if one.name == "tick")


def test_of_missed_runs_the_latest_is_made_and_the_others_are_told() -> None:
    plot = CronPlot()
    plot.at(17)
    act = plot.commits()

    assert made(act) == [name_at(15)]
    assert act.noted == (
        f"asked/{text_at_minute(15)}",
        f"skipped/{text_at_minute(5)}",
        f"skipped/{text_at_minute(10)}",
    )
    (notice,) = notices(act)
    assert notice.reason == "SkippedRuns"
    assert notice.message == (
        f"Skipped the runs of {text_at_minute(5)}, {text_at_minute(10)}: "
        "of missed runs the latest alone is made up for"
    )
    assert notice.because in act.because


def test_a_year_of_missed_runs_is_one_run() -> None:
    plot = CronPlot(cron("* * * * *"))
    plot.at(525_600)
    act = plot.works()

    assert made(act) == [name_at(525_600)]
    assert act.noted[-1] == "skipped/more"
    assert len(act.noted) == 12
    assert plot.decides() is None


def test_catching_up_every_missed_run_is_made_oldest_first_one_at_a_time() -> None:
    plot = CronPlot(context=CATCHING_UP)
    plot.at(17)
    acts = [plot.works() for _ in range(3)]

    assert [made(act) for act in acts] == [[name_at(5)], [name_at(10)], [name_at(15)]]
    assert [notices(act) for act in acts] == [[], [], []]
    assert plot.decides() is None
    assert due_at(acts[-1]) == minute(20)


def test_a_denser_schedule_makes_no_burst_of_the_past() -> None:
    plot = CronPlot(cron("0 * * * *"))
    plot.at(50)
    plot.works()
    plot.sees(cron("* * * * *", generation=900))
    act = plot.works()

    assert made(act) == [name_at(50)]
    assert plot.decides() is None


def test_a_refused_run_waits_and_is_tried_again() -> None:
    plot = CronPlot()
    plot.at(5)
    asked = plot.commits()
    plot.answers(asked, QUOTA)
    waiting = plot.commits()

    assert made(waiting) == []
    assert waiting.troubles[0].message == QUOTA.message
    assert plot.told() is None
    assert plot.decides() is None

    plot.fires(waiting, "retry")

    assert made(plot.decides()) == [name_at(5)]


def test_a_refused_run_gives_way_to_the_next_one_and_is_told_with_the_refusal() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.answers(plot.commits(), QUOTA)
    plot.at(10)
    act = plot.commits()

    assert made(act) == [name_at(10)]
    assert "the last refusal was: exceeded quota" in notices(act)[0].message
    assert plot.told() is None


def test_skipped_runs_are_told_once_however_often_the_run_is_refused() -> None:
    plot = CronPlot()
    plot.at(17)
    first = plot.commits()
    plot.answers(first, Done(), QUOTA)
    waiting = plot.commits()
    plot.fires(waiting, "retry")
    again = plot.commits()

    assert len(notices(first)) == 1
    assert notices(waiting) == notices(again) == []
    assert made(again) == [name_at(15)]
    assert f"skipped/{text_at_minute(5)}" in again.noted


def test_a_name_that_is_taken_is_skipped_with_a_warning_and_the_schedule_goes_on() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.answers(plot.commits(), STRANGER)
    act = plot.works()

    (notice,) = notices(act)
    assert (notice.warning, notice.reason, made(act)) == (True, "SkippedRun", [])
    assert f"prod/{name_at(5)} is not ours" in notice.message
    assert plot.told() == text_at_minute(5)
    assert plot.decides() is None

    plot.fires(act, "tick")

    assert made(plot.commits()) == [name_at(10)]


def test_catching_up_does_not_stick_at_a_name_that_is_taken() -> None:
    plot = CronPlot(context=CATCHING_UP)
    plot.at(11)
    plot.answers(plot.commits(), STRANGER)
    act = plot.works()

    assert made(act) == [name_at(10)]
    assert [notice.reason for notice in notices(act)] == ["SkippedRun"]
    assert plot.told() == text_at_minute(10)


def test_a_run_in_doubt_is_looked_for_and_not_asked_for_twice() -> None:
    """RayCronJob checklist 7: what may be there is looked for."""
    plot = CronPlot()
    plot.at(5)
    act = plot.commits()
    plot.answers(act, Unknown(error="no answer"))

    assert made(plot.decides()) == []
    assert plot.told() is None

    plot.fires(act, "wake")
    look = plot.commits()

    assert [type(action) for action in look.actions] == [ConfirmObject]
    assert f"asked/{text_at_minute(5)}" in look.noted

    plot.answers(look, Done(uid="x", resource_version=77))

    assert plot.told() == text_at_minute(5)
    assert made(plot.decides()) == []


def test_a_run_in_doubt_that_is_not_there_is_asked_for_again_under_its_name() -> None:
    plot = CronPlot()
    plot.at(5)
    act = plot.commits()
    plot.answers(act, Unknown(error="no answer"))
    plot.fires(act, "wake")
    plot.answers(plot.commits(), Gone(resource_version=77))
    plot.fires(plot.commits(), "retry")

    assert made(plot.commits()) == [name_at(5)]


def test_a_run_in_doubt_that_is_seen_is_made() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.answers(plot.commits(), Unknown(error="no answer"))
    plot.sees(run_seen(name_at(5)))

    assert plot.told() == text_at_minute(5)


def test_while_a_run_is_in_doubt_the_next_waits_and_is_not_lost() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.answers(plot.commits(), Unknown(error="no answer"))
    plot.at(10.5)
    look = plot.commits()

    assert made(look) == []

    plot.executes(look)
    plot.sees(run_seen(name_at(5)))

    assert made(plot.decides()) == [name_at(10)]


def test_an_act_that_stays_without_answer_is_replaced_and_makes_no_second_run() -> None:
    plot = CronPlot()
    plot.at(5)
    act = plot.commits()
    plot.fires(act, "wake")
    look = plot.commits()

    assert [type(action) for action in look.actions] == [ConfirmObject]
    assert made(look) == []


def test_a_refused_run_does_not_count_as_a_refusal_of_the_next() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.answers(plot.commits(), Refused(code=422, reason="Invalid", message="no"))
    waiting = plot.commits()
    plot.fires(waiting, "tick")
    act = plot.commits()

    assert made(act) == [name_at(10)]
    assert [one.name for one in act.timers if one.name == "retry"] == []


@given(
    schedule=st.sampled_from(["*/5 * * * *", "@every 90s", "@every 25s", "7 * * * *"]),
    steps=st.lists(st.floats(0.1, 45), min_size=1, max_size=5),
    catch_up=st.booleans(),
)
@settings(max_examples=25)
def test_no_run_is_made_twice_or_before_its_time_and_all_comes_to_rest(
    schedule: str, steps: list[float], catch_up: bool
) -> None:
    """RayCronJob checklist 16: in any history."""
    plot = CronPlot(cron(schedule), **({"context": CATCHING_UP} if catch_up else {}))
    names: list[str] = []
    minutes = 0.0
    for step in steps:
        minutes += step
        plot.at(minutes)
        for _ in range(100):
            act = plot.decides()
            if act is None:
                break
            names += made(plot.works())
        assert plot.decides() is None
        assert all(int(name.split("-")[-1]) * 60 <= plot.now.timestamp() for name in names)

    assert len(names) == len(set(names))
    due = plot.view().act
    assert due is not None
    assert due_at(due) > plot.now  # type: ignore[operator]
    assert due_at(due) <= plot.now + timedelta(hours=1)  # type: ignore[operator]
    assert plot.now >= NOON
    assert all(isinstance(one, CreateObject) for one in due.actions if one.rule == "run")
