"""kubectl and the scripted Ray of the sandbox: a job is submitted, followed and described."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.unit.sandbox.dashboard.ray_pods import head_service, ray_pod
from tests.unit.sandbox.dashboard.test_submitters import checked, job

KUBECTL = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or shutil.which("kubectl")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")
SCENARIO = {"ray": {"jobs": [{"runs_for": 2, "logs": ["step one", "step two"]}]}}
PROXY = "/api/v1/namespaces/default/services/first-head-svc:dashboard/proxy/api/jobs/rj-x2x4z"


@pytest.fixture
def kubectl(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Start a sandbox under the scenario; yield a kubectl for it."""
    config, scenario = tmp_path / "kubeconfig", tmp_path / "scenario.yaml"
    scenario.write_text(yaml.safe_dump(SCENARIO))
    words = [sys.executable, "-m", "sandbox", "--kubeconfig", str(config)]
    environment = {**os.environ, "KUBECONFIG": str(config), "HOME": str(tmp_path)}

    def run(*arguments: str, given: str | None = None) -> str:
        command = [str(KUBECTL), *arguments]
        done = subprocess.run(
            command, input=given, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    with subprocess.Popen(
        [*words, "--scenario", str(scenario)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["proxy"].startswith("http://127.0.0.1:")
        yield run
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0


def test_a_submitted_job_is_followed_by_kubectl_logs(kubectl: Callable[..., str]) -> None:
    made = [
        {"apiVersion": "v1", "kind": "Service", **head_service()},
        {"apiVersion": "v1", "kind": "Pod", **ray_pod("head")},
        {"apiVersion": "batch/v1", "kind": "Job", **job(checked())},
    ]
    kubectl("create", "-f", "-", given=yaml.safe_dump_all(made))
    kubectl("wait", "job/rj", "--for=jsonpath={.status.ready}=1", "--timeout=20s")
    followed = kubectl("logs", "-f", "job/rj")
    kubectl("wait", "job/rj", "--for=condition=Complete", "--timeout=20s")

    assert followed.splitlines()[-2:] == ["step one", "step two"]
    assert json.loads(kubectl("get", "--raw", PROXY))["status"] == "SUCCEEDED"
    assert "Started container ray-head" in kubectl("describe", "pod", "head")
