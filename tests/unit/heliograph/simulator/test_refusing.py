"""Questions that could only be answered with "the same outcome", and what is said instead."""

from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from heliograph.simulator.forking import Asked, what_if
from heliograph.simulator.questions import QuestionError, read_question
from heliograph.simulator.refusing import check_times
from tests.contract.test_histories import records_of
from tests.support.lived import creates, lived, looks
from tests.support.rayservices import service_spec

HOME = Path(__file__).resolve().parents[4]
FIRST = "raycluster/default/first"
WORKERS = "first-small-worker-bn2nt, first-small-worker-vfldh"


def refusal(**question: object) -> str:
    """What is said of a question about the cluster `first`, in forks of a minute."""
    wish = read_question({"resource": FIRST, **question})
    asked = Asked(question=wish, at=30, lasts=timedelta(minutes=1))
    with pytest.raises(QuestionError) as told:
        what_if(records_of("worker-failed"), asked, lambda _: None)
    return str(told.value)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"nodesLost": ["n7"]}, "nodesLost[0]: no pod is on node n7 then (there is sandbox)"),
        (
            {"pods": [{"group": "small", "count": 7, "fate": "oom"}]},
            f"pods[0].count: group small has no 7 pods then (there is {WORKERS})",
        ),
        (
            {"pods": [{"group": "huge", "fate": "oom"}]},
            "pods[0]: there is no pod of group huge then (there is headgroup, small)",
        ),
        (
            {"patch": {"spec": {"suspended": True}}},
            "patch.spec.suspended: a RayCluster has no such field (did you mean suspend?)",
        ),
        (
            {"patch": {"spec": {"headGroupSpec": {"template": {"spec": {"nodename": "n7"}}}}}},
            (
                "patch.spec.headGroupSpec.template.spec.nodename: a RayCluster has no such field "
                "(did you mean nodeName or hostname?)"
            ),
        ),
        (
            {"groups": {"small": {"scaleStrategy": {"workers": []}}}},
            (
                "groups.small.scaleStrategy.workers: a RayCluster has no such field "
                "(there is workersToDelete)"
            ),
        ),
        (
            {"dashboard": {"applications": {"fruit": "UNHEALTHY"}}},
            "dashboard.applications.fruit: no RayService has such an application (there is none)",
        ),
        (
            {"settings": {"budget-resource": "many"}},
            "settings.budget-resource: must be a whole number of at least 0, not 'many'",
        ),
    ],
)
def test_what_nothing_could_answer_is_told_with_what_there_is(
    question: dict[str, object], sentence: str
) -> None:
    assert refusal(**question) == sentence


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"after": "1m"}, "after: the change comes 1m after the moment"),
        (
            {"after": "30s", "operator": {"away": "45s"}},
            "operator.away: the operator comes back 1m15s after the moment",
        ),
        (
            {"dashboard": {"jobs": "FAILED", "after": "2m"}},
            "dashboard.after: jobs end 2m after the moment",
        ),
        (
            {"after": "30s", "dashboard": {"answers": "hang", "for": "5m"}},
            "dashboard.for: dashboards answer again 5m30s after the moment",
        ),
    ],
)
def test_what_comes_after_the_end_is_told(question: dict[str, object], sentence: str) -> None:
    assert refusal(**question) == (
        f"{sentence}, and both forks end after 1m, so nobody would see it: let --for be longer"
    )


def test_the_question_of_the_guide_is_one_with_the_span_that_the_guide_says() -> None:
    guide = (HOME / "docs" / "guides" / "history.md").read_text(encoding="utf-8")
    question = read_question(yaml.safe_load(guide.split("```yaml\n")[1].split("```")[0]))

    assert "what-if smaller.yaml --at 03:12 --for 20m\n" in guide
    check_times(question, timedelta(minutes=20))
    with pytest.raises(QuestionError, match=r"^operator\.away: .* 10m30s after the moment"):
        check_times(question, timedelta(minutes=10))


def test_a_manifest_with_a_field_that_is_dropped_is_told_by_the_path_in_it() -> None:
    about = {"name": "first", "namespace": "default"}
    manifest = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": about}
    status = {"theirs": "a manifest may be one that kubectl printed"}
    wish = read_question({**manifest, "spec": {"rayversion": "2.9"}, "status": status})

    with pytest.raises(QuestionError, match=r"^spec\.rayversion: .*\(did you mean rayVersion\?\)"):
        what_if(records_of("worker-failed"), Asked(question=wish, at=30), lambda _: None)


def test_an_application_is_known_by_what_its_service_is_told_to_run() -> None:
    about = {"name": "fruit", "namespace": "default"}
    fruit = {"apiVersion": "ray.io/v1", "kind": "RayService", "metadata": about}
    records = lived((1.0, creates({**fruit, "spec": service_spec()})), (29.0, looks))
    resource = "rayservice/default/fruit"
    wish = read_question({"resource": resource, "dashboard": {"applications": {"x": "RUNNING"}}})

    with pytest.raises(QuestionError, match=r"applications\.x: .*\(there is [a-z]+\)$"):
        what_if(records, Asked(question=wish), lambda _: None)
