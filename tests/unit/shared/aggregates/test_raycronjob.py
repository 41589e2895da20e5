"""Where a schedule stands: what marks, answers, sights and the status tell together."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from shared.actions.objects import CreateObject
from shared.actions.outcomes import (
    AlreadySo,
    Done,
    Gone,
    Occupied,
    Outcome,
    Overtaken,
    Refused,
    Unknown,
)
from shared.aggregates.raycronjob import Fate, raycronjob_state, run_name
from shared.events.decisions import Decided
from shared.events.objects import ObjectGone, Owner
from tests.support.builders import FORMER_UID, act
from tests.support.crons import CronPlot, cron, minute, name_at, run_seen, text_at_minute

ASKED = replace(
    act(
        CreateObject(
            kind="rayjob", name=name_at(5), manifest="run", rule="run", because="it is due"
        )
    ),
    noted=(f"handled/{text_at_minute(0)}", f"asked/{text_at_minute(5)}"),
)
LATER: Decided = replace(ASKED, id="act-2", actions=())


def standing(*outcomes: Outcome) -> tuple[Fate, datetime | None]:
    plot = CronPlot()
    plot.acts(ASKED)
    plot.answers(ASKED, *outcomes)
    state = raycronjob_state(plot.view())
    return state.fate, state.handled


@pytest.mark.parametrize(
    ("outcome", "fate", "handled"),
    [
        (Done(uid="x", resource_version=1), Fate.MADE, 5),
        (AlreadySo(uid="x", resource_version=1), Fate.MADE, 5),
        (Occupied(uid="x", resource_version=1, message="no"), Fate.OCCUPIED, 5),
        (Refused(code=403, reason="Forbidden", message="no"), Fate.REFUSED, 0),
        (Unknown(error="?"), Fate.UNKNOWN, 0),
        (Overtaken(because="newer"), Fate.MISSING, 0),
        (Gone(resource_version=1), Fate.MISSING, 0),
    ],
)
def test_an_answer_says_what_became_of_a_run(outcome: Outcome, fate: Fate, handled: int) -> None:
    assert standing(outcome) == (fate, minute(handled))


def test_without_an_answer_nobody_can_tell() -> None:
    plot = CronPlot()
    plot.acts(ASKED)

    assert raycronjob_state(plot.view()).fate is Fate.UNKNOWN


def test_a_run_that_is_seen_is_made_whatever_was_answered() -> None:
    plot = CronPlot()
    plot.acts(LATER)

    assert raycronjob_state(plot.view()).fate is Fate.MISSING

    plot.sees(run_seen(name_at(5)))

    assert raycronjob_state(plot.view()).handled == minute(5)


def test_somebody_elses_object_of_the_name_is_not_the_run() -> None:
    seen = run_seen(name_at(5))
    theirs = Owner(kind="RayCronJob", name="nightly", uid=FORMER_UID, controller=True)
    plot = CronPlot()
    plot.acts(LATER)
    plot.sees(replace(seen, meta=replace(seen.meta, owners=(theirs,))))

    assert raycronjob_state(plot.view()).fate is Fate.MISSING


def test_a_run_that_came_and_went_was_made() -> None:
    plot = CronPlot()
    plot.acts(LATER)
    plot.sees(ObjectGone(kind="rayjob", name=name_at(5), uid="x", resource_version=9))

    assert raycronjob_state(plot.view()).fate is Fate.MADE


def test_of_marks_and_status_the_later_moment_counts() -> None:
    plot = CronPlot(replace(cron(), status={"lastScheduleTime": text_at_minute(10)}))
    plot.acts(LATER)

    assert raycronjob_state(plot.view()).handled == minute(10)


def test_marks_that_cannot_be_read_say_nothing() -> None:
    plot = CronPlot()
    plot.acts(replace(LATER, noted=("asked/soon", "handled/", "handled/x")))
    state = raycronjob_state(plot.view())

    assert (state.asked, state.handled) == (None, None)


def test_a_run_is_named_after_its_minute() -> None:
    """RayCronJob checklist 6: the number is that of the minute since 1970."""
    assert run_name("nightly", datetime.fromisoformat("2026-01-01T00:05:30+00:00")) == (
        "nightly-29453765"
    )
