"""A sandbox whose pods really run, for tests: Ray from `tools.realray`, in namespaces.

Where Ray is not installed or namespaces are not permitted, tests are skipped with a line that says
why. Manifests here are small: one processor and a small object store for each node.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sandbox.ray.environment import HOME
from sandbox.ray.permission import refusal
from tests.support.fleet import Json
from tests.support.kubes import Sandboxes
from tests.support.realkube import LATER
from tools.realray.environments import Environment, Missing, find
from tools.realray.pins import RAY

SAMPLES = f"{HOME}/samples"
SCRIPTS = "scripts"
STORE = "100000000"


def real_ray() -> Environment:
    """Return the environment with Ray, or skip the test that asks."""
    if os.environ.get(LATER):
        pytest.skip("real Ray is left to a run of its own")
    found = find()
    if isinstance(found, Missing):
        pytest.skip(f"no real Ray: {found.because}")
    if refusal():
        pytest.skip(f"no real Ray: {refusal()}")
    return found


class RealPods(Sandboxes):
    """A sandbox for each installation, whose pods really run."""

    def __init__(self, ray: Environment) -> None:
        self.more = ("--ray", str(ray.folder))


def scripts(**files: str) -> Json:
    """Return a ConfigMap with Python scripts, which heads see under `SAMPLES`."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": SCRIPTS},
        "data": {f"{name}.py": text for name, text in files.items()},
    }


def cluster_spec(workers: int = 0) -> Json:
    """Return the spec of a small RayCluster."""
    group = {
        "groupName": "small",
        "replicas": workers,
        "minReplicas": workers,
        "maxReplicas": workers,
        "rayStartParams": _params(),
        "template": _template("ray-worker"),
    }
    return {
        "rayVersion": RAY,
        "headGroupSpec": {
            "rayStartParams": {**_params(), "dashboard-host": "0.0.0.0"},
            "template": _template("ray-head"),
        },
        "workerGroupSpecs": [group] if workers else [],
    }


def raycluster(name: str, workers: int) -> Json:
    """Return a small RayCluster."""
    spec = cluster_spec(workers)
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": name},
        "spec": spec,
    }


def rayjob(name: str, script: str, **spec: Any) -> Json:
    """Return a RayJob that runs a script and then tidies up."""
    own: Mapping[str, Any] = {
        "entrypoint": f"python {SAMPLES}/{script}.py",
        "shutdownAfterJobFinishes": True,
        "rayClusterSpec": cluster_spec(),
    }
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": name},
        "spec": {**own, **spec},
    }


def rayservice(name: str, config: str, **variables: str) -> Json:
    """Return a RayService whose replicas run on a worker, with variables in every container."""
    spec = cluster_spec(workers=1)
    spec["headGroupSpec"]["rayStartParams"]["num-cpus"] = "0"
    for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
        [container] = group["template"]["spec"]["containers"]
        known = {"PYTHONPATH": SAMPLES, **variables}
        container["env"] = [{"name": key, "value": value} for key, value in known.items()]
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayService",
        "metadata": {"name": name},
        "spec": {
            "serveConfigV2": config,
            "rayClusterConfig": spec,
            "rayClusterDeletionDelaySeconds": 10,
        },
    }


def client_pod(name: str, script: str, *words: object) -> Json:
    """Return a pod that runs one of the scripts."""
    spec: Json = _template("main")["spec"]
    spec["containers"][0]["command"] = ["python", f"{SAMPLES}/{script}.py", *map(str, words)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {**spec, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1},
    }


def descendants(ancestor: int) -> dict[int, str]:
    """Return every process that a process started, and theirs: command lines by number."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                told = (entry / "stat").read_text(encoding="utf-8", errors="replace")
                parents[int(entry.name)] = int(told.rpartition(")")[2].split()[1])
    found: set[int] = set()
    while more := {pid for pid, by in parents.items() if by in found | {ancestor}} - found:
        found |= more
    return {pid: command_of(pid) for pid in found}


def command_of(pid: int) -> str:
    """Return how a process was called; empty if it is gone."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return b" ".join(words).decode(errors="replace")[:200]


def _params() -> Json:
    return {"num-cpus": "1", "object-store-memory": STORE}


def _template(container: str) -> Json:
    mounted = [{"name": SCRIPTS, "mountPath": SAMPLES}]
    image = f"rayproject/ray:{RAY}"
    return {
        "spec": {
            "containers": [{"name": container, "image": image, "volumeMounts": mounted}],
            "volumes": [{"name": SCRIPTS, "configMap": {"name": SCRIPTS}}],
            "terminationGracePeriodSeconds": 10,
        }
    }
