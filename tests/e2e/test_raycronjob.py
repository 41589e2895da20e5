"""A RayCronJob with real processes: on its minute, after an absence, at rest, and in the end."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from shared.runtime.clock import SystemClock
from tests.e2e.jobs.desk import OPERATOR, Desk, operated, start_operator
from tests.e2e.jobs.manifests import raycronjob
from tests.e2e.story import records_of, replay_problems
from tests.support.fleet import RAY, Json
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("raycronjob"), pytest.mark.timeout(240)]

EVERY_MINUTE = "* * * * *"
SOON = "@every 4s"
SCHEDULED_AT = "ray.io/cronjob-scheduled-timestamp"
ENDS = {"Complete", "Failed"}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("cron")
    with operated(folder, HELIOGRAPH_FEATURE_GATES="RayCronJob=true") as installation:
        yield installation


def moment(text: object) -> datetime:
    return datetime.fromisoformat(str(text))


def created(run: Json) -> datetime:
    return moment(run["metadata"]["creationTimestamp"])


def last_schedule(desk: Desk, name: str) -> str:
    return str(desk.status(name, "raycronjobs").get("lastScheduleTime", ""))


def names(desk: Desk) -> list[str]:
    return [str(run["metadata"]["name"]) for run in desk.all("rayjobs")]


def missed_for(desk: Desk, name: str, span: timedelta) -> datetime:
    """Let the status tell that the last run was so long ago; return that moment."""
    then = (SystemClock().now() - span).replace(second=0, microsecond=0)
    body = {"status": {"lastScheduleTime": then.strftime("%Y-%m-%dT%H:%M:%SZ")}}
    path = f"{RAY}/namespaces/{desk.namespace}/raycronjobs/{name}/status"
    desk.ask("PATCH", path, body, "merge-patch+json")
    return then


def test_a_run_comes_on_its_minute_and_goes_to_its_end(here: Installation) -> None:
    """RayCronJob checklist 4, 6 and 16: its run alone, and no tick has two."""
    desk = Desk(here, "on-its-minute")
    desk.create(raycronjob("cron", EVERY_MINUTE))
    desk.until(lambda: desk.all("rayjobs"), "a run is there")
    [run] = desk.all("rayjobs")
    tick = moment(last_schedule(desk, "cron") or created(run).replace(second=0).isoformat())

    assert run["metadata"]["name"] == f"cron-{int(tick.timestamp()) // 60}"
    assert (tick.second, run["metadata"]["labels"]["ray.io/cronjob-name"]) == (0, "cron")
    assert timedelta(0) <= created(run) - tick < timedelta(seconds=20)
    [owner] = run["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("RayCronJob", "cron", True)
    assert desk.until_phase(run["metadata"]["name"], *ENDS)["jobStatus"] == "SUCCEEDED"
    desk.until(lambda: moment(last_schedule(desk, "cron")) >= tick, "the schedule is told")
    ticks = [one["metadata"]["annotations"][SCHEDULED_AT] for one in desk.all("rayjobs")]
    assert len(set(ticks)) == len(ticks), ticks


def test_a_run_that_was_deleted_does_not_come_again(here: Installation) -> None:
    """RayCronJob checklist 7: a tick that is done with stays so."""
    desk = Desk(here, "deleted-run")
    desk.create(raycronjob("cron", SOON))
    desk.until(lambda: desk.all("rayjobs"), "a run is there")
    [name] = names(desk)
    desk.delete("rayjobs", name)
    desk.until(lambda: name not in names(desk), "it is gone")
    desk.patch("raycronjobs", "cron", {"metadata": {"labels": {"changed": "yes"}}})
    desk.until(lambda: any(one != name for one in names(desk)), "the next minute's run is there")

    assert name not in names(desk)


def test_of_missed_runs_the_latest_is_made_and_the_others_are_told(here: Installation) -> None:
    desk = Desk(here, "missed")
    desk.create(raycronjob("cron", EVERY_MINUTE, suspend=True))
    then = missed_for(desk, "cron", timedelta(minutes=6))
    desk.patch("raycronjobs", "cron", {"spec": {"suspend": False}})
    desk.until(lambda: desk.all("rayjobs"), "a run is there")
    made = {int(name.rpartition("-")[2]) - int(then.timestamp()) // 60 for name in names(desk)}

    assert min(made) in {6, 7}, "the latest minute that went by, and not an earlier one"
    desk.until(lambda: "SkippedRuns" in dict(desk.events("cron")), "people are told")
    message = dict(desk.events("cron"))["SkippedRuns"]
    skipped = [then + timedelta(minutes=number) for number in range(1, 6)]
    assert all(tick.strftime("%Y-%m-%dT%H:%M:%SZ") in message for tick in skipped), message
    assert "are skipped: of missed runs the latest" in desk.timeline("cron", "raycronjob")


def test_nothing_runs_while_it_is_suspended(here: Installation) -> None:
    """RayCronJob checklist 5 and 15: nothing while another one runs, then a run."""
    desk = Desk(here, "rests")
    desk.create(raycronjob("cron", SOON, suspend=True))
    beside = Desk(here, "rests-not")
    beside.create(raycronjob("cron", SOON))
    beside.until(lambda: beside.all("rayjobs"), "the other one runs")
    desk.until(lambda: "SuspendedRayCronJob" in dict(desk.events("cron")), "people are told")

    assert (desk.all("rayjobs"), last_schedule(desk, "cron")) == ([], "")

    desk.patch("raycronjobs", "cron", {"spec": {"suspend": False}})
    desk.until(lambda: desk.all("rayjobs"), "a run is there")


def test_a_run_that_fell_due_while_the_operator_was_dead_is_made_up_for(here: Installation) -> None:
    desk = Desk(here, "absent")
    desk.create(raycronjob("cron", "@every 6s"))
    here.processes[OPERATOR].kill()
    desk.until(lambda: age(desk) > timedelta(seconds=9), "its first moment is over")
    assert desk.all("rayjobs") == []
    start_operator(here)
    desk.until(lambda: desk.all("rayjobs"), "a run is there")

    assert len(names(desk)) <= 2, "one for each minute, not one for each moment"


def age(desk: Desk) -> timedelta:
    cron = desk.get("raycronjobs", "cron")
    assert cron is not None
    return SystemClock().now() - created(cron)


def test_everything_goes_with_it(here: Installation) -> None:
    """RayCronJob checklist 18: runs, and what runs made."""
    desk = Desk(here, "goes")
    desk.script("jobs", runs_for=None)
    desk.create(raycronjob("cron", SOON))
    desk.until(lambda: desk.all("pods"), "a run has pods")
    desk.delete("raycronjobs", "cron")

    kinds = ("raycronjobs", "rayjobs", "rayclusters", "jobs", "pods")
    desk.until(lambda: not any(desk.all(kind) for kind in kinds), "nothing is left")


def test_a_name_that_is_somebody_elses_is_left_alone_and_told(here: Installation) -> None:
    desk = Desk(here, "occupied")
    minute = int(SystemClock().now().timestamp()) // 60
    taken = {f"cron-{number}" for number in range(minute, minute + 3)}
    for name in taken:
        body = raycronjob("any", SOON)["spec"]["jobTemplate"]
        metadata = {"name": name}
        desk.create(
            {
                "apiVersion": "ray.io/v1",
                "kind": "RayJob",
                "metadata": metadata,
                "spec": {**body, "suspend": True},
            }
        )
    desk.create(raycronjob("cron", SOON))
    desk.until(lambda: "SkippedRun" in dict(desk.events("cron")), "people are told")

    assert all("ownerReferences" not in run["metadata"] for run in desk.all("rayjobs"))
    desk.delete("raycronjobs", "cron")


async def test_everything_that_was_decided_here_is_decided_so_again(here: Installation) -> None:
    assert replay_problems(await records_of(here)) == []
