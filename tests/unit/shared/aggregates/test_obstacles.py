"""What is in the way, read off one pod or one refusal."""

import pytest
from msgspec.structs import replace

from shared.aggregates.obstacles import WORST_FIRST, obstacle_of_pod, obstacle_of_trouble
from shared.events.decisions import Trouble
from shared.events.objects import Condition, Container, PodSeen
from tests.support.builders import head, worker

STARTING = worker("w1", ready=False)


def with_container(**fields: object) -> PodSeen:
    return replace(STARTING, containers=(Container(name="ray", **fields),))  # type: ignore[arg-type] # passed through


def cause_of(pod: PodSeen) -> str:
    found = obstacle_of_pod(pod)
    return found.cause if found else ""


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"state": "waiting", "reason": "ImagePullBackOff"}, "ImagePull"),
        ({"state": "waiting", "reason": "CreateContainerConfigError"}, "ContainerConfig"),
        ({"state": "waiting", "reason": "CrashLoopBackOff"}, "CrashLoop"),
        ({"state": "terminated", "reason": "OOMKilled"}, "OutOfMemory"),
        (
            {"state": "waiting", "reason": "CrashLoopBackOff", "former_reason": "OOMKilled"},
            "OutOfMemory",
        ),
        ({"state": "running", "restarts": 2}, "CrashLoop"),
        ({"state": "running", "restarts": 1}, ""),
        ({"state": "waiting", "reason": "ContainerCreating"}, ""),
    ],
)
def test_a_container_names_the_cause(fields: dict[str, object], cause: str) -> None:
    assert cause_of(with_container(**fields)) == cause


def test_a_loop_after_want_of_memory_says_so() -> None:
    pod = with_container(
        state="waiting", reason="CrashLoopBackOff", restarts=3, former_reason="OOMKilled"
    )
    found = obstacle_of_pod(pod)

    assert found is not None
    assert found.words == (
        "container ray, CrashLoopBackOff, ended before: OOMKilled, restarted 3 times"
    )


def test_a_pod_without_a_node_tells_the_schedulers_words() -> None:
    told = Condition(
        type="PodScheduled", status="False", reason="Unschedulable", message="0/3 nodes"
    )
    found = obstacle_of_pod(replace(STARTING, conditions=(told,)))

    assert found is not None
    assert (found.cause, found.words, found.of_head) == ("Unschedulable", "0/3 nodes", False)


def test_a_ready_pod_suffers_nothing() -> None:
    assert obstacle_of_pod(worker("w1")) is None
    assert obstacle_of_pod(head()) is None


@pytest.mark.parametrize(
    ("verb", "rule", "message", "cause"),
    [
        ("create", "worker_groups", "exceeded quota: pods=4", "Quota"),
        ("create", "head", 'admission webhook "x" denied the request', "Webhook"),
        ("create", "head_service", "it exists and belongs to something else", "Occupied"),
        ("create", "head", "it is not allowed", "Refused"),
        ("delete", "worker_groups", "held back: 9 deletions in a minute", "Breaker"),
        ("wait", "certificates", "not issued yet", "Certificates"),
        ("validate", "invalid", "spec.backoffLimit must not be negative", "Invalid"),
    ],
)
def test_a_refusal_names_the_cause(verb: str, rule: str, message: str, cause: str) -> None:
    trouble = Trouble(verb=verb, rule=rule, kind="pod", name="w1", message=message)
    found = obstacle_of_trouble(trouble)

    assert (found.cause, found.words) == (cause, message)
    assert found.of_head == (rule in ("head", "head_service"))
    assert found.cause in WORST_FIRST


@pytest.mark.parametrize(
    ("message", "outage", "cause"),
    [
        ("the credential plugin failed", True, "Unavailable"),
        ("the credential plugin failed", False, "Refused"),
        ('the API server answered 500: failed calling webhook "x"', True, "Webhook"),
        ("no answer from kubernetes: refused", False, "Unavailable"),
    ],
)
def test_an_outage_is_told_by_the_refusal_and_in_doubt_by_its_words(
    message: str, outage: bool, cause: str
) -> None:
    trouble = Trouble(
        verb="create", rule="head", kind="pod", name="h", message=message, outage=outage
    )

    assert obstacle_of_trouble(trouble).cause == cause
