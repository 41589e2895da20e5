"""Real Ray in the sandbox's pods: clusters form, scripts run, fail, stop, and leave nothing behind.

Needs Ray (`python -m tools.realray build`) and namespaces; skipped with one line where either is
missing. One cluster at a time, each a head and at most one worker.
"""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.jobs.desk import Desk, start_operator
from tests.support.fleet import Json
from tests.support.kubes import installed
from tests.support.processes import Installation, wait_until
from tests.support.realray import (
    SAMPLES,
    RealPods,
    command_of,
    descendants,
    raycluster,
    rayjob,
    real_ray,
    scripts,
)

pytestmark = [pytest.mark.xdist_group("real ray"), pytest.mark.timeout(600)]
PATIENCE = 240.0
"""A cluster comes up in 25 s on two idle processors; they are seldom idle."""
WORKS = """
import ray

@ray.remote
def square(number):
    return number * number

ray.init()
print("the sum is", sum(ray.get([square.remote(each) for each in range(10)])))
"""
FAILS = "raise SystemExit('this never works')"
SLEEPS = "import time\nprint('falling asleep', flush=True)\ntime.sleep(3600)"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation whose pods really run."""
    ray = real_ray()
    with installed(tmp_path_factory.mktemp("ray"), RealPods(ray)) as made:
        start_operator(made)
        yield made


@pytest.fixture
def desk(here: Installation, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """A user with a namespace of its own, in which nothing runs afterwards."""
    words = re.sub(r"[^a-z0-9]+", "-", str(request.node.name).removeprefix("test_").lower())
    made = Desk(here, words[:40].strip("-"))
    made.create(scripts(works=WORKS, fails=FAILS, sleeps=SLEEPS))
    yield made
    for plural in ("rayjobs", "rayclusters", "pods"):
        for each in made.all(plural):
            here.kubectl("delete", plural, each["metadata"]["name"], "-n", made.namespace)
    made.until(lambda: not made.all("pods"), "every pod is gone", PATIENCE)


def log_of(desk: Desk, pod: str, container: str) -> str:
    said = desk.here.kubectl("logs", "-n", desk.namespace, pod, "-c", container)
    assert said.returncode == 0, said.stderr
    return said.stdout


def ended(desk: Desk, name: str) -> Json:
    return desk.until_phase(name, "Complete", "Failed", within=PATIENCE)


def test_a_cluster_of_two_nodes_forms_and_takes_a_job_through_its_service(desk: Desk) -> None:
    name = desk.create(raycluster("pair", workers=1))

    desk.until(
        lambda: desk.status(name, "rayclusters").get("state") == "ready",
        "the cluster is ready",
        PATIENCE,
    )
    submitter = submitting_pod(f"http://{name}-head-svc.{desk.namespace}.svc.cluster.local:8265")
    desk.ask("POST", f"/api/v1/namespaces/{desk.namespace}/pods", submitter)
    desk.until(lambda: phase_of(desk, "submitter") in {"Succeeded", "Failed"}, "it ended", PATIENCE)

    told = log_of(desk, "submitter", "main")
    assert phase_of(desk, "submitter") == "Succeeded", told
    assert "the sum is 285" in told
    jobs: Any = desk.ray(name, "GET", "/api/jobs/")
    assert [each["status"] for each in jobs if each["submission_id"]] == ["SUCCEEDED"]
    nodes = desk.ray(name, "GET", "/nodes?view=summary")
    assert len(nodes["data"]["summary"]) == 2


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode", "SidecarMode"])
def test_a_script_succeeds(desk: Desk, mode: str) -> None:
    name = desk.create(rayjob("sum", "works", submissionMode=mode))

    status = ended(desk, name)

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Complete", "SUCCEEDED")
    desk.until(lambda: not desk.all("rayclusters"), "the cluster is gone", PATIENCE)


def test_a_script_that_fails_is_tried_again_and_then_given_up(desk: Desk) -> None:
    name = desk.create(rayjob("vain", "fails", submissionMode="HTTPMode", backoffLimit=1))

    status = ended(desk, name)

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Failed", "FAILED")
    assert status["reason"] == "AppFailed"
    assert status["failed"] == 2
    assert "this never works" in status["message"]


def test_a_job_is_suspended_and_comes_back(desk: Desk) -> None:
    name = desk.create(rayjob("pausing", "sleeps", submissionMode="HTTPMode"))
    running = desk.until_phase(name, "Running", within=PATIENCE)

    desk.patch("rayjobs", name, {"spec": {"suspend": True}})
    desk.until_phase(name, "Suspended", within=PATIENCE)
    desk.until(lambda: not desk.all("pods"), "every pod is gone", PATIENCE)
    desk.patch("rayjobs", name, {"spec": {"suspend": False}})
    again = desk.until_phase(name, "Running", within=PATIENCE)

    assert again["rayClusterName"] != running["rayClusterName"]


def test_a_job_that_runs_too_long_is_ended(desk: Desk) -> None:
    name = desk.create(rayjob("endless", "sleeps", activeDeadlineSeconds=60))

    status = ended(desk, name)

    assert (status["jobDeploymentStatus"], status["reason"]) == ("Failed", "DeadlineExceeded")
    desk.until(lambda: not ray_pods(desk), "every pod of Ray is gone", PATIENCE)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_outlives_the_sandbox(tmp_path: Path, number: signal.Signals) -> None:
    ray = real_ray()
    with installed(tmp_path, RealPods(ray)) as alone:
        desk = Desk(alone, "alone")
        desk.ask("POST", "/api/v1/namespaces/alone/pods", pod("sleeper", "exec sleep 3600"))
        desk.until(lambda: phase_of(desk, "sleeper") == "Running", "it runs", PATIENCE)
        sandbox = alone.processes["sandbox"]._process
        assert sandbox is not None
        ran = descendants(sandbox.pid)
        assert "sleep 3600 " in ran.values()

        os.kill(sandbox.pid, number)
        sandbox.wait(timeout=30)

        wait_until(
            lambda: not any(command_of(pid) == words for pid, words in ran.items()),
            "nothing runs",
            state=lambda: [words for pid, words in ran.items() if command_of(pid)],
        )


def phase_of(desk: Desk, name: str) -> str:
    found = desk.get("pods", name) or {}
    return str(found.get("status", {}).get("phase", ""))


def ray_pods(desk: Desk) -> list[Json]:
    return [one for one in desk.all("pods") if "ray.io/node-type" in one["metadata"]["labels"]]


def submitting_pod(address: str) -> Json:
    return pod(
        "submitter",
        f"ray job submit --address {address} -- python {SAMPLES}/works.py",
        {"volumeMounts": [{"name": "scripts", "mountPath": "/code"}]},
    )


def pod(name: str, script: str, more: Json | None = None) -> Json:
    container = {"name": "main", "image": "any", "command": ["bash", "-c", script], **(more or {})}
    volumes = [{"name": "scripts", "configMap": {"name": "scripts"}}] if more else []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"restartPolicy": "Never", "containers": [container], "volumes": volumes},
    }
