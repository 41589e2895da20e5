"""What befell RayJobs, RayServices and schedules, told by our own deciders; `why` names causes."""

from datetime import timedelta

from msgspec.structs import replace

from heliograph.views.findings import Why
from shared.events.envelope import Record
from shared.events.objects import ResourceSeen
from shared.kernel.keys import ResourceKey
from tests.support.builders import Raw, failed, head
from tests.support.crons import CronPlot
from tests.support.history import History
from tests.support.incidents import ask
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec
from tests.support.rayservices import other_version, service_spec
from tests.support.servicestory import ready
from tests.support.steppingstory import cluster_of, stepped_spec, upgrading

JOB = "rayjob/prod/train"
SERVICE = "rayservice/prod/fruit"


def cluster(name: str) -> str:
    return f"raycluster/prod/{name}"


def shown(found: Why) -> list[str]:
    return [link.what for link in found.links]


def at_work(**more: object) -> JobStory:
    """A RayJob whose Ray job runs."""
    story = running(job_spec(**more))
    story.job_is("RUNNING")
    story.goes_on()
    return story


def test_a_dashboard_that_does_not_answer() -> None:
    story = at_work()
    story.dashboard.answers = False
    story.goes_on()
    during = ask(story.records, JOB)
    story.time_passes(1000)
    after = ask(story.records, JOB)

    assert (during.cause, after.cause) == ("Dashboard", "Dashboard")
    assert during.sentence.startswith("rayjob train is Running and waits for dashboard")
    assert after.sentence == (
        "rayjob train is Failed (JobStatusCheckTimeoutExceeded) "
        "because the dashboard could not be asked (unreachable)"
    )
    assert shown(after) == ["told", "timer", "decided", "seen"]


def test_a_job_that_lost_its_head_to_memory() -> None:
    """The chain goes from the RayJob over the dashboard into the cluster's own records."""
    story = at_work()
    name = story.cluster_name
    below = History(ResourceKey("raycluster", "prod", name), "uid-of-cluster")
    below.now = story.now + timedelta(seconds=1)
    below.__dict__["_sequences"] = story.__dict__["_sequences"]
    seen = head(f"{name}-head")
    below.sees(seen, failed(seen, "OOMKilled"))
    story.passes(5)
    story.dashboard.answers = False
    story.goes_on()
    story.time_passes(1000)
    found = ask((*story.records, *below.records), JOB)

    assert found.cause == "OutOfMemory"
    assert f"pod {name}-head ran out of memory (OOMKilled)" in found.sentence
    assert "the dashboard could not be asked (unreachable)" in found.sentence
    assert found.links[-1].resource == cluster(name)


def test_a_job_that_is_tried_again() -> None:
    story = at_work(backoffLimit=1)
    first = story.cluster_name
    story.job_is("FAILED", "no such file: data.csv")
    story.goes_on()
    second = story.cluster_name
    gone, new = ask(story.records, cluster(first)), ask(story.records, cluster(second))
    job = ask(story.records, JOB)

    assert first != second
    assert {gone.cause, new.cause, job.cause} == {"JobFailed"}
    assert all("FAILED: no such file: data.csv" in one.sentence for one in (gone, new, job))
    assert gone.links[2].because == ("the job is tried again",)


def test_a_cluster_whose_job_was_over_long_enough() -> None:
    story = at_work(shutdownAfterJobFinishes=True, ttlSecondsAfterFinished=60)
    name = story.cluster_name
    story.job_is("SUCCEEDED")
    story.goes_on()
    story.time_passes(100)
    found = ask(story.records, cluster(name))

    assert found.cause == "Expired"
    assert found.sentence.endswith("(ttlSecondsAfterFinished: 60)")
    assert not found.hints, "it was in time"


def expiring() -> JobStory:
    story = at_work(shutdownAfterJobFinishes=True, ttlSecondsAfterFinished=60)
    story.job_is("SUCCEEDED")
    story.goes_on()
    return story


def test_timers_that_a_restarted_server_fires_late() -> None:
    story = expiring()
    name = story.cluster_name
    story.passes(1000)
    story.fires(story.act, "expiry")
    story.goes_on()
    found = ask(story.records, cluster(name))

    assert found.cause == "Expired"
    assert found.hints == (
        "the timer expiry went off 15 min 40 s late: no server kept the time meanwhile",
    )


def test_a_timer_in_time_that_a_restarted_operator_sees_late() -> None:
    story = expiring()
    name = story.cluster_name
    story.fires(story.act, "expiry")
    story.passes(600)
    story.goes_on()
    found = ask(story.records, cluster(name))

    assert found.cause == "Expired"
    assert found.hints == ("it was decided 10 min later: no reconciler was deciding meanwhile",)


def test_a_deadline_that_passed() -> None:
    story = at_work(activeDeadlineSeconds=60)
    story.time_passes(100)
    found = ask(story.records, JOB)

    assert found.cause == "Deadline"
    assert found.sentence.startswith("rayjob train is Failed (DeadlineExceeded) because")
    assert found.sentence.endswith("its activeDeadlineSeconds (60) had passed")


def test_a_job_that_succeeded() -> None:
    story = at_work()
    name = story.cluster_name
    story.job_is("SUCCEEDED")
    story.goes_on()
    found = ask(story.records, JOB)

    assert found.cause == "JobEnded"
    assert found.sentence == f"rayjob train is Complete because Ray job {name} is SUCCEEDED"


def by(story: History, who: str) -> list[Record]:
    """Let the last change of the spec be somebody's."""
    records = list(story.records)
    for index in range(len(records) - 1, -1, -1):
        body = records[index].envelope.body
        if isinstance(body, ResourceSeen) and records[index].subject.endswith("fruit"):
            meta = replace(body.meta, changed_by=who)
            envelope = replace(records[index].envelope, body=replace(body, meta=meta))
            records[index] = replace(records[index], envelope=envelope)
    return records


def test_a_service_that_was_upgraded() -> None:
    story = ready(service_spec())
    old = story.active
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    new = story.pending
    story.serves()
    story.time_passes(100)
    records = by(story, "helm")
    gone, made = ask(records, cluster(old)), ask(records, cluster(new))

    clause = "because helm changed fruit: spec.rayClusterConfig.rayVersion: 2.46.0 -> 2.47.0"
    assert {gone.cause, made.cause} == {"Upgrade"}
    assert gone.sentence == f"raycluster {old} is gone {clause}"
    assert made.sentence == f"raycluster {new} is there, made {clause}"


def test_an_upgrade_that_was_rolled_back() -> None:
    before, after = cluster_of("2.46.0"), cluster_of("2.47.0")
    story = upgrading(stepped_spec(), after)
    abandoned = story.pending
    story.time_passes(10)
    story.wishes(rayClusterConfig=before)
    story.goes_on()
    during = ask(story.records, SERVICE)
    for _ in range(10):
        story.time_passes(10)
    story.time_passes(70)
    gone = ask(story.records, cluster(abandoned))

    assert {during.cause, gone.cause} == {"Rollback"}
    assert gone.sentence.startswith(f"raycluster {abandoned} is gone because somebody changed")
    assert gone.sentence.endswith("spec.rayClusterConfig.rayVersion: 2.47.0 -> 2.46.0")


def test_a_run_that_was_missed() -> None:
    plot = CronPlot()
    act = plot.commits()
    plot.executes(act)
    plot.passes(17 * 60)
    plot.fires(act, "tick")
    made = plot.works()
    schedule = ask(plot.records, "raycronjob/prod/nightly")
    names = [getattr(action, "name", "") for action in made.actions]
    run = ask(plot.records, f"rayjob/prod/{names[-1]}")

    assert (schedule.cause, run.cause) == ("MissedRun", "Schedule")
    assert "the runs of 2030-01-01T12:05:00Z, 2030-01-01T12:10:00Z are skipped" in schedule.sentence
    assert run.sentence.endswith("the schedule */5 * * * * names 2030-01-01T12:15:00Z")
    assert schedule.hints == (
        "the timer tick went off 12 min late: no server kept the time meanwhile",
    )


def test_a_spec_that_makes_no_sense() -> None:
    spec: Raw = job_spec(backoffLimit=-1)
    story = JobStory(spec)
    story.goes_on()
    found = ask(story.records, JOB)

    assert found.cause == "Invalid"
    assert "backoffLimit" in found.sentence
