"""The lives of RayJobs and RayCronJobs: in every mode, well and badly, put to rest and deleted."""

from typing import Any

from tests.differential.stories import (
    Create,
    Delete,
    Goal,
    Objects,
    Patch,
    Step,
    Story,
    cluster_ready,
    field,
    nothing_left,
    refused,
    status,
)
from tests.e2e.jobs.manifests import cluster_spec, raycronjob, rayjob
from tests.support.fleet import manifest

NAME = "train"
FAMILY = "jobs"
FOREVER = "python forever.py"
BADLY = "python badly.py"
DELETE = Step(name="delete", deeds=(Delete(plural="rayjobs", name=NAME),), until=nothing_left)
MODES = ("K8sJobMode", "HTTPMode", "SidecarMode")
RULES = {
    "deletionRules": [
        {"policy": "DeleteWorkers", "condition": {"jobStatus": "SUCCEEDED", "ttlSeconds": 0}},
        {"policy": "DeleteCluster", "condition": {"jobStatus": "FAILED", "ttlSeconds": 0}},
    ]
}
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "shutdown": {"shutdownAfterJobFinishes": True},
    "env": {"runtimeEnvYAML": "env_vars:\n  A: b\n", "metadata": {"team": "red"}},
    "entry": {"entrypointNumCpus": 1, "entrypointResources": '{"fruit": 1}'},
    "named": {"jobId": "my-own-id"},
    "deadline": {"activeDeadlineSeconds": 600, "preRunningDeadlineSeconds": 300},
    "rules": {"deletionStrategy": RULES},
}


def phase(*phases: str) -> Goal:
    """Wait for a phase of the RayJob."""
    return field("rayjobs", NAME, "jobDeploymentStatus", *phases)


def runs(objects: Objects) -> bool:
    """Wait until the RayJob runs, and Ray says so."""
    told = status(objects, "rayjobs", NAME)
    return told.get("jobDeploymentStatus") == "Running" and told.get("jobStatus") == "RUNNING"


def ran(name: str, ends: str, **spec: Any) -> Story:
    """Return the story of a job that runs to an end."""
    made = Create(manifest=rayjob(NAME, **spec))
    run = Step(name="run", deeds=(made,), until=phase(ends))
    return Story(name=f"job-{name}", family=FAMILY, steps=(run, DELETE))


def lives() -> list[Story]:
    """Return every story of a RayJob."""
    well = [
        ran(f"{mode.lower()}-{name}", "Complete", submissionMode=mode, **spec)
        for mode in MODES
        for name, spec in WAYS.items()
    ]
    badly = [
        ran(f"{mode.lower()}-badly", "Failed", submissionMode=mode, entrypoint=BADLY)
        for mode in MODES
    ]
    rules = [
        ran("badly-rules", "Failed", entrypoint=BADLY, deletionStrategy=RULES),
        ran("badly-again", "Failed", entrypoint=BADLY, backoffLimit=1),
        ran("late", "Failed", entrypoint=FOREVER, activeDeadlineSeconds=30),
    ]
    walled = {**cluster_spec(), "networkPolicy": {"mode": "DenyAll"}}
    walls = [
        ran(f"{mode.lower()}-walled", "Complete", submissionMode=mode, rayClusterSpec=walled)
        for mode in MODES
    ]
    return [*well, *badly, *rules, *walls, suspended(), interactive(), selecting(), *refusals()]


def suspended() -> Story:
    """Return the story of a job that is put to rest and woken."""
    body = rayjob(NAME, entrypoint=FOREVER, shutdownAfterJobFinishes=True)
    rest = Patch(plural="rayjobs", name=NAME, change={"spec": {"suspend": True}})
    wake = Patch(plural="rayjobs", name=NAME, change={"spec": {"suspend": False}})
    steps = (
        Step(name="run", deeds=(Create(manifest=body),), until=runs),
        Step(name="suspend", deeds=(rest,), until=phase("Suspended")),
        Step(name="resume", deeds=(wake,), until=runs),
        DELETE,
    )
    return Story(name="job-suspended", family=FAMILY, steps=steps)


def interactive() -> Story:
    """Return the story of a job for which nobody has given an id yet."""
    body = rayjob(NAME, submissionMode="InteractiveMode")
    wait = Step(name="wait", deeds=(Create(manifest=body),), until=phase("Waiting"))
    return Story(name="job-interactive", family=FAMILY, steps=(wait, DELETE))


def selecting() -> Story:
    """Return the story of a job on a cluster that is there already."""
    body = rayjob(NAME, clusterSelector={"ray.io/cluster": "ray"})
    left = Step(
        name="delete the cluster",
        deeds=(Delete(plural="rayjobs", name=NAME), Delete(plural="rayclusters", name="ray")),
        until=nothing_left,
    )
    steps = (
        Step(
            name="a cluster",
            deeds=(Create(manifest=manifest("ray", 1)),),
            until=cluster_ready("ray", 2),
        ),
        Step(name="run", deeds=(Create(manifest=body),), until=phase("Complete")),
        left,
    )
    return Story(name="job-selecting", family=FAMILY, steps=steps)


def refusals() -> list[Story]:
    """Return jobs that make no sense."""
    wrong: dict[str, dict[str, Any]] = {
        "suspend-kept": {"suspend": True},
        "ttl-kept": {"ttlSecondsAfterFinished": 5},
        "negative": {"backoffLimit": -1},
        "http-backoff": {"submissionMode": "HTTPMode", "backoffLimit": -2},
    }
    return [
        Story(
            name=f"job-wrong-{name}",
            family=FAMILY,
            steps=(
                Step(
                    name="create",
                    deeds=(Create(manifest=rayjob(NAME, **spec)),),
                    until=refused,
                ),
                DELETE,
            ),
        )
        for name, spec in wrong.items()
    ]


def crons() -> list[Story]:
    """Return RayCronJobs that do not run while we look."""
    ways: dict[str, tuple[str, dict[str, Any], Goal]] = {
        "yearly": ("0 0 1 1 *", {}, lambda _: True),
        "suspended": ("* * * * *", {"suspend": True}, lambda _: True),
        "zoned": ("0 0 1 1 *", {"timeZone": "Asia/Tokyo"}, lambda _: True),
        "wrong": ("every now and then", {}, refused),
        "wrong-zone": ("0 0 1 1 *", {"timeZone": "Europe/Atlantis"}, refused),
        "zone-within": ("TZ=UTC 0 0 1 1 *", {}, refused),
    }
    gone = Step(name="delete", deeds=(Delete(plural="raycronjobs", name=NAME),), until=nothing_left)
    return [
        Story(
            name=f"cron-{name}",
            family="crons",
            steps=(
                Step(
                    name="create",
                    deeds=(Create(manifest=raycronjob(NAME, schedule, **spec)),),
                    until=until,
                ),
                gone,
            ),
        )
        for name, (schedule, spec, until) in ways.items()
    ]
