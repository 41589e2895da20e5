"""A RayCronJob from tick to tick: what runs, what rests, and what is told."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from shared.actions.objects import CreateObject
from shared.actions.outcomes import AlreadySo
from shared.events.decisions import Decided, Timer
from shared.events.objects import ObjectGone
from tests.support.builders import NOON
from tests.support.crons import (
    SHUT,
    TEMPLATE,
    CronPlot,
    cron,
    made,
    minute,
    name_at,
    notices,
    run_seen,
    text_at_minute,
)

ASLEEP = cron(generation=2, suspend=True)


def tick_of(act: Decided | None) -> Timer | None:
    return next((one for one in act.timers if one.name == "tick"), None) if act else None


def test_before_the_first_tick_it_asks_only_to_be_woken() -> None:
    """RayCronJob checklist 17: the timer is the difference, and there is nothing else."""
    plot = CronPlot()
    act = plot.commits()

    assert act.actions == ()
    assert tick_of(act) == Timer(
        name="tick", due_at=minute(5), because=f"the next run is due at {text_at_minute(5)}"
    )
    assert plot.decides() is None
    assert plot.told() is None


def test_at_its_tick_one_run_is_made_under_the_name_of_the_minute() -> None:
    plot = CronPlot()
    plot.fires(plot.commits(), "tick")
    act = plot.commits()

    (action,) = act.actions
    assert isinstance(action, CreateObject)
    assert (action.kind, action.name) == ("rayjob", name_at(5))
    assert action.because == f"the schedule */5 * * * * names {text_at_minute(5)}"
    assert act.noted == (f"asked/{text_at_minute(5)}",)
    assert tick_of(act) is not None
    assert tick_of(act).due_at == minute(10)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("created", "status"),
    [(minute(0), {}), (minute(-90), {"lastScheduleTime": text_at_minute(0)})],
)
def test_late_for_its_tick_it_makes_the_run_and_waits_for_what_is_left(
    created: datetime, status: dict[str, object]
) -> None:
    """RayCronJob checklist 2 and 3: from its creation or from its last run, the outcome is one."""
    seen = cron()
    plot = CronPlot(replace(seen, meta=replace(seen.meta, created_at=created), status=status))
    plot.at(5.5)
    act = plot.works()

    assert made(act) == [name_at(5)]
    assert plot.told() == text_at_minute(5)
    assert tick_of(act) is not None
    assert tick_of(act).due_at - plot.now == timedelta(minutes=4, seconds=30)  # type: ignore[union-attr]


def test_the_run_is_the_template_with_the_schedules_name_and_moment() -> None:
    """RayCronJob checklist 4: the label, and the entrypoint with the whole template."""
    plot = CronPlot()
    plot.at(5.5)
    manifest = plot.commits().manifests["run"]

    assert manifest["spec"] == TEMPLATE
    assert manifest["metadata"] == {
        "name": name_at(5),
        "namespace": "prod",
        "labels": {"ray.io/cronjob-name": "nightly"},
        "annotations": {"ray.io/cronjob-scheduled-timestamp": text_at_minute(5)},
        "ownerReferences": [
            {
                "apiVersion": "ray.io/v1",
                "kind": "RayCronJob",
                "name": "nightly",
                "uid": plot.uid,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }


def test_a_run_that_was_made_is_told_and_not_made_again() -> None:
    """RayCronJob checklist 7: here nobody wrote the status yet."""
    plot = CronPlot()
    plot.at(5.5)
    act = plot.commits()

    assert plot.told() is None

    plot.executes(act)

    assert plot.told() == text_at_minute(5)
    assert plot.decides() is None


def test_with_no_memory_and_an_old_status_the_same_run_is_asked_for_and_found() -> None:
    """RayCronJob checklist 7: it has the same name, so that there is one."""
    plot = CronPlot(replace(cron(), status={"lastScheduleTime": text_at_minute(0)}))
    plot.sees(run_seen(name_at(5)))
    plot.at(5.5)
    act = plot.commits()

    assert made(act) == [name_at(5)]

    plot.answers(act, AlreadySo(uid=f"uid-of-{name_at(5)}", resource_version=5000))

    assert plot.told() == text_at_minute(5)
    assert plot.decides() is None


def test_from_tick_to_tick_each_run_is_made_once() -> None:
    plot = CronPlot()
    acts = []
    plot.fires(plot.works(), "tick")
    for _ in range(4):
        acts.append(plot.works())
        plot.fires(acts[-1], "tick")

    assert [made(act) for act in acts] == [[name_at(5 * n)] for n in (1, 2, 3, 4)]
    assert plot.told() == text_at_minute(20)


def test_without_the_act_the_status_says_where_the_schedule_stands() -> None:
    status: dict[str, object] = {"lastScheduleTime": text_at_minute(10)}
    plot = CronPlot(replace(cron(), status=status))
    plot.at(12)

    assert made(plot.decides()) == []

    plot.at(15)

    assert made(plot.decides()) == [name_at(15)]


def test_a_status_of_any_shape_is_no_trouble() -> None:
    for odd in ("yesterday", "", 7, None, "0001-01-01T00:00:00Z"):
        plot = CronPlot(replace(cron(), status={"lastScheduleTime": odd}))
        plot.at(6)
        plot.decides()


def test_a_run_whose_user_deleted_it_is_not_made_again() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.works()
    uid = f"uid-of-{name_at(5)}"
    plot.sees(ObjectGone(kind="rayjob", name=name_at(5), uid=uid, resource_version=5001))
    plot.at(8)

    assert made(plot.decides()) == []


def test_suspended_it_says_so_once_and_makes_nothing() -> None:
    """RayCronJob checklist 5: no run, no timer, the words that people know."""
    plot = CronPlot(ASLEEP)
    act = plot.works()

    (notice,) = notices(act)
    assert (notice.warning, notice.reason, notice.action) == (
        False,
        "SuspendedRayCronJob",
        "Suspend",
    )
    assert notice.message == "RayCronJob suspended, no new RayJobs will be created"
    assert tick_of(act) is None

    plot.at(60)

    assert plot.decides() is None


def test_suspending_cancels_the_tick_and_keeps_where_it_stands() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.works()
    plot.sees(replace(ASLEEP, meta=replace(ASLEEP.meta, resource_version=9000)))
    act = plot.works()

    assert "tick" in act.cancelled
    assert f"handled/{text_at_minute(5)}" in act.noted
    assert plot.told() == text_at_minute(5)


def test_resumed_it_makes_up_for_the_latest_run() -> None:
    plot = CronPlot(ASLEEP)
    plot.works()
    plot.at(31)
    awake = cron(generation=3, suspend=False)
    plot.sees(replace(awake, meta=replace(awake.meta, resource_version=9000)))

    assert made(plot.decides()) == [name_at(30)]


def test_with_the_gate_shut_nothing_happens() -> None:
    plot = CronPlot(context=SHUT)
    plot.at(30)

    assert plot.decides() is None
    assert plot.told() is None


def test_one_that_is_going_makes_nothing() -> None:
    seen = cron()
    plot = CronPlot(replace(seen, meta=replace(seen.meta, deleted_at=NOON)))
    plot.at(30)
    act = plot.decides()

    assert act is not None
    assert (act.actions, tick_of(act)) == ((), None)


def test_one_that_makes_no_sense_is_told_once_and_keeps_where_it_stands() -> None:
    """RayCronJob checklist 1: a Warning, and nothing to be woken for."""
    plot = CronPlot()
    plot.at(5)
    plot.works()
    bad = cron("61 * * * *", generation=2)
    plot.sees(replace(bad, meta=replace(bad.meta, resource_version=9000)))
    act = plot.works()

    (notice,) = notices(act)
    assert (notice.warning, notice.reason) == (True, "InvalidRayCronJobSpec")
    assert notice.message == (
        "prod/nightly: invalid cron schedule: end of range (61) above maximum (59): 61"
    )
    assert tick_of(act) is None
    assert f"handled/{text_at_minute(5)}" in act.noted

    plot.at(60)

    assert plot.decides() is None
    assert plot.told() == text_at_minute(5)


def test_a_schedule_that_never_comes_makes_no_run_at_all() -> None:
    plot = CronPlot(cron("0 0 30 2 *"))
    plot.at(60)

    assert made(plot.decides()) == []


@pytest.mark.parametrize(
    ("schedule", "zone"),
    [
        ("0 21 * * *", {"timeZone": "Asia/Taipei"}),
        ("0 13 * * *", {"timeZone": "UTC"}),
        ("0 13 * * *", {}),
    ],
)
def test_the_zone_is_the_users(schedule: str, zone: dict[str, Any]) -> None:
    """RayCronJob checklist 9: at nine in Taipei it is one in the afternoon here."""
    plot = CronPlot(cron(schedule, **zone))
    act = plot.commits()

    assert tick_of(act) is not None
    assert tick_of(act).due_at == minute(60)  # type: ignore[union-attr]


def test_a_template_that_is_changed_counts_from_the_next_run_on() -> None:
    plot = CronPlot()
    plot.at(5)
    plot.works()
    other = cron(generation=2, jobTemplate={**TEMPLATE, "entrypoint": "python y.py"})
    plot.sees(replace(other, meta=replace(other.meta, resource_version=9000)))
    plot.works()
    plot.at(10)
    spec = plot.commits().manifests["run"]["spec"]

    assert isinstance(spec, dict)
    assert spec["entrypoint"] == "python y.py"
