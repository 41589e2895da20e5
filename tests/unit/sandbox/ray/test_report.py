"""The status of a pod that really runs, from what is known of its processes."""

from datetime import UTC, datetime, timedelta

from sandbox.controllers.containers import Ending, Life
from sandbox.objects import Object
from sandbox.ray.report import Facts, status

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(seconds=9)
POD: Object = {
    "metadata": {"name": "one", "namespace": "prod", "uid": "u"},
    "spec": {
        "initContainers": [{"name": "first", "image": "x"}],
        "containers": [{"name": "main", "image": "x"}],
    },
}


def told(facts: Facts) -> Object:
    return status(POD, facts, LATER, "172.18.0.1")


def facts(life: Life, *, inits: int = 1) -> Facts:
    return Facts(
        seen_at=NOON,
        address="10.128.0.7",
        networked_at=NOON,
        inits_done_at=(NOON,) * inits,
        lives={"main": life},
    )


def condition(found: Object, kind: str) -> str:
    return next(str(each["status"]) for each in found["conditions"] if each["type"] == kind)


def test_a_pod_without_network_has_no_address() -> None:
    found = told(Facts(seen_at=NOON, address="10.128.0.7"))

    assert found["phase"] == "Pending"
    assert "podIP" not in found


def test_an_init_container_runs_before_the_others() -> None:
    found = told(facts(Life(), inits=0))

    assert found["podIP"] == "10.128.0.7"
    assert "running" in found["initContainerStatuses"][0]["state"]
    assert found["containerStatuses"][0]["state"] == {"waiting": {"reason": "PodInitializing"}}


def test_ready_is_what_the_probe_says() -> None:
    for ready, word in ((True, "True"), (False, "False")):
        found = told(facts(Life(started_at=NOON, ready=ready)))
        assert (found["phase"], condition(found, "Ready")) == ("Running", word)


def test_an_end_is_told_with_its_code() -> None:
    ending = Ending(started_at=NOON, finished_at=LATER, exit_code=3, reason="Error")
    found = told(facts(Life(last=ending, finished=True)))

    assert found["phase"] == "Failed"
    assert found["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 3


def test_a_pod_that_cannot_run_says_why() -> None:
    found = told(Facts(seen_at=NOON, address="", failure="no network"))

    assert (found["phase"], found["message"]) == ("Failed", "no network")
