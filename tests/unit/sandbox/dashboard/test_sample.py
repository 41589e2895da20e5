"""The objects that KubeRay makes of its RayJob sample, as they are: the job goes through."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.controllers.rayrules import JobRule, RayScript
from sandbox.controllers.scenario import Scenario
from sandbox.dashboard.replies import Ask
from sandbox.objects import rows
from tests.unit.sandbox.dashboard.ray_pods import RayCluster

SAMPLE = Path(__file__).resolve().parents[5] / "shared/data/expected/ray-job.sample"
pytestmark = pytest.mark.skipif(
    not SAMPLE.is_dir(), reason="needs ../shared/data/expected/ray-job.sample"
)
BLANKS = ("<suffix>", "<jobid-suffix>", "<hash>", "<kuberay-version>", "<raycluster-uid>")


def made(name: str) -> Any:
    """Read an expected object; what differs from run to run gets a value."""
    text = (SAMPLE / f"{name}.yaml").read_text()
    for blank in BLANKS:
        text = text.replace(blank, "x2x4z")
    found = yaml.safe_load(text.replace("<", "").replace(">", "") if "<" in text else text)
    meta = found["metadata"]
    meta.pop("ownerReferences", None)
    meta.setdefault("name", f"{meta.pop('generateName', '')}abcde")
    return found


@pytest.mark.parametrize(("exit_code", "status"), [(0, "SUCCEEDED"), (1, "FAILED")])
def test_the_submitter_of_the_sample_submits_and_completes(exit_code: int, status: str) -> None:
    cluster = RayCluster()
    cluster.sandbox.scenario = Scenario(ray=RayScript(jobs=(JobRule(exit_code=exit_code),)))
    for plural, name in (("services", "head-service"), ("pods", "head-pod")):
        cluster.sandbox.create(plural, made(name))
    cluster.run(3)
    cluster.sandbox.create("jobs", made("submitter-job"))
    cluster.run(15)

    [job] = cluster.sandbox.list("jobs", "default").items
    [head] = [
        each
        for each in cluster.fleet.heads(cluster.sandbox.scenario.ray)
        if each.node.cluster.startswith("rayjob-sample")
    ]
    at = cluster.fleet.find(head.node.address, 8265, "default")
    shown = cluster.put(at, Ask(method="GET", path="/api/jobs/")).document
    assert [each["status"] for each in shown] == [status]
    assert shown[0]["entrypoint"].endswith("sample_code.py")
    conditions = [entry["type"] for entry in rows(job, "status.conditions")]
    assert conditions == ["SuccessCriteriaMet", "Complete"]
