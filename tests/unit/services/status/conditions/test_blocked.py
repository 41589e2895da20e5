"""What is in the way: which cause, which object, whose words, and since when."""

import pytest
from msgspec.structs import replace

from services.status.patch import difference
from shared.actions.outcomes import Unknown
from shared.events.decisions import Trouble
from shared.events.objects import Condition, Container, PodSeen
from tests.support.builders import HEAD_NAME, Raw, act, creation, deleting, head, resource, worker
from tests.unit.services.status.conditions.assessed import (
    A_MINUTE_LATER,
    AT_NOON,
    TWO_WORKERS,
    Told,
    condition,
    refused,
    running,
    since,
)

BACK_OFF = 'Back-off pulling image "ray:nope"'


def suffering(seen: PodSeen, **container: object) -> PodSeen:
    """The pod's container is in this state."""
    one = replace(Container(name="ray"), **container)
    return replace(seen, containers=(one,))


def waiting(seen: PodSeen, reason: str, message: str = "") -> PodSeen:
    return suffering(seen, state="waiting", reason=reason, message=message)


def unschedulable(seen: PodSeen, message: str) -> PodSeen:
    told = Condition(type="PodScheduled", status="False", reason="Unschedulable", message=message)
    return replace(seen, conditions=(told,))


def blocked(status: Raw) -> tuple[str, str, str] | None:
    return condition(status, "Blocked")


def unready(name: str) -> PodSeen:
    return worker(name, ready=False)


def coming_up(*pods: PodSeen) -> Told:
    """A cluster with a head, and these pods beside it."""
    history = Told()
    history.sees(resource(TWO_WORKERS), head(), *pods)
    history.closes("active/0")
    return history


def test_what_the_api_server_could_not_answer_is_in_the_way() -> None:
    history = coming_up(worker("w1"))
    asked = act(creation("w2"))
    history.acts(asked)
    history.answers(asked, Unknown(error="the API server answered 500: etcd is full"))

    assert blocked(history.assess()) == (
        "True",
        "Unavailable",
        "pod w2: whether it was made is not known: the API server answered 500: etcd is full",
    )


def test_nothing_is_in_the_way_of_what_is_merely_on_its_way() -> None:
    pods = waiting(unready("w1"), "ContainerCreating"), unready("w2")

    assert blocked(coming_up(*pods).assess()) is None


@pytest.mark.parametrize(
    ("container", "cause", "words"),
    [
        ({"state": "waiting", "reason": "ErrImagePull"}, "ImagePull", "ErrImagePull"),
        (
            {"state": "waiting", "reason": "ImagePullBackOff", "message": BACK_OFF},
            "ImagePull",
            f"ImagePullBackOff, {BACK_OFF}",
        ),
        (
            {"state": "waiting", "reason": "CreateContainerConfigError", "message": "no secret"},
            "ContainerConfig",
            "CreateContainerConfigError, no secret",
        ),
        (
            {"state": "waiting", "reason": "CrashLoopBackOff", "restarts": 4},
            "CrashLoop",
            "CrashLoopBackOff, restarted 4 times",
        ),
        ({"state": "running", "restarts": 2}, "CrashLoop", "restarted 2 times"),
        (
            {"state": "terminated", "reason": "OOMKilled", "exit_code": 137},
            "OutOfMemory",
            "OOMKilled",
        ),
    ],
)
def test_tells_what_a_container_suffers_from(
    container: dict[str, object], cause: str, words: str
) -> None:
    status = coming_up(suffering(unready("w1"), **container)).assess()

    assert blocked(status) == ("True", cause, f"pod w1: container ray, {words}")


@pytest.mark.parametrize(
    "container",
    [
        Container(name="wait", state="terminated", reason="Error", exit_code=3),
        Container(name="wait", state="waiting", reason="CrashLoopBackOff"),
    ],
)
def test_tells_of_an_init_container_that_fails(container: Container) -> None:
    pod = replace(unready("w1"), init_containers=(container,))

    status = coming_up(pod).assess()

    told = f"pod w1: init container wait, {container.reason}"
    assert blocked(status) == ("True", "InitFailed", told)


def test_an_init_container_that_has_done_its_work_is_in_nobodys_way() -> None:
    ended = Container(name="wait", ready=True, state="terminated", exit_code=0)

    assert blocked(coming_up(replace(unready("w1"), init_containers=(ended,))).assess()) is None


def test_tells_that_no_node_takes_a_pod() -> None:
    status = coming_up(unschedulable(unready("w1"), "0/5 nodes are available")).assess()

    assert blocked(status) == ("True", "Unschedulable", "pod w1: 0/5 nodes are available")


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("exceeded quota: pods=4", "Quota"),
        ('admission webhook "policy" denied the request', "Webhook"),
        ("pod w3 exists and belongs to something else", "Occupied"),
        ("pods is forbidden", "Refused"),
    ],
)
def test_tells_what_was_refused_by_its_group(message: str, cause: str) -> None:
    history = coming_up()
    trouble = replace(refused("create", "worker_groups", "w3"), group="small", message=message)
    history.closes("active/0", trouble)

    assert blocked(history.assess()) == ("True", cause, f"group small: {message}")


def test_the_head_comes_first_then_the_worst() -> None:
    pull, no_node = waiting(unready("w2"), "ErrImagePull"), unschedulable(unready("w1"), "full")
    history = coming_up(pull, no_node)
    workers = blocked(history.assess())
    history.sees(unschedulable(head(ready=False), "full"))

    told = "pod w2: container ray, ErrImagePull (and 1 more)"
    assert workers == ("True", "ImagePull", told)
    told = f"pod {HEAD_NAME}: full (and 2 more)"
    assert blocked(history.assess()) == ("True", "Unschedulable", told)


def test_a_refused_head_comes_before_refused_workers() -> None:
    history = coming_up()
    workers = replace(refused("create", "worker_groups", "w3"), group="small")
    service = Trouble(
        verb="create", rule="head_service", kind="service", name="svc", message="no more of them"
    )
    history.closes("active/0", workers, service)

    told = "service svc: no more of them (and 1 more)"
    assert blocked(history.assess()) == ("True", "Refused", told)


def test_what_is_ready_or_going_is_in_nobodys_way() -> None:
    restarted = suffering(worker("w1"), state="running", restarts=7, ready=True)
    going = deleting(waiting(unready("w2"), "ErrImagePull"))

    assert blocked(coming_up(restarted, going).assess()) is None


def test_stays_with_the_object_that_was_told() -> None:
    history = coming_up(unschedulable(unready("w2"), "full"))
    history.tells()
    history.sees(unschedulable(unready("w1"), "full"))

    assert blocked(history.assess()) == ("True", "Unschedulable", "pod w2: full (and 1 more)")
    assert difference(history.view().status, history.assess()) == {}


def test_other_words_for_the_same_are_no_news() -> None:
    history = coming_up(unschedulable(unready("w1"), "0/5 nodes are available"))
    history.tells()
    history.passes(60)
    history.sees(unschedulable(unready("w1"), "0/6 nodes are available"))

    assert difference(history.view().status, history.assess()) == {}


def test_other_words_go_with_other_news() -> None:
    history = coming_up(unschedulable(unready("w1"), "0/5 nodes"))
    history.tells()
    history.passes(60)
    history.sees(unschedulable(unready("w1"), "0/6 nodes"), worker("w2"))
    status = history.tells()

    assert blocked(status) == ("True", "Unschedulable", "pod w1: 0/6 nodes")
    assert since(status, "Blocked") == AT_NOON


def test_another_cause_is_news_and_moves_no_time() -> None:
    history = coming_up(unschedulable(unready("w1"), "full"))
    history.tells()
    history.passes(60)
    history.sees(waiting(unready("w1"), "ErrImagePull"))
    status = history.assess()

    assert list(difference(history.view().status, status)) == ["conditions"]
    assert since(status, "Blocked") == AT_NOON


def test_is_taken_back_when_nothing_is_in_the_way_and_begins_anew() -> None:
    history = running()
    history.sees(waiting(unready("w1"), "ErrImagePull"))
    history.tells()
    history.sees(worker("w1"))
    cleared = history.tells()
    history.passes(60)
    history.sees(waiting(unready("w1"), "ErrImagePull"))

    assert blocked(cleared) is None
    assert since(history.assess(), "Blocked") == A_MINUTE_LATER


def awaited(rule: str, kind: str, name: str, message: str) -> Trouble:
    return Trouble(verb="wait", rule=rule, kind=kind, name=name, message=message)


@pytest.mark.parametrize(
    ("trouble", "cause"),
    [
        (awaited("certificates", "certificate", "ray-head-cert-demo", "not ready"), "Certificates"),
        (awaited("head", "pod", "another", "2 head pods found"), "Ambiguous"),
        (awaited("head_service", "service", "other", "2 head service found"), "Ambiguous"),
    ],
)
def test_what_nobody_refused_is_in_the_way_and_no_failure(trouble: Trouble, cause: str) -> None:
    history = running()
    history.closes("active/0", trouble)

    status = history.tells()

    message = f"{trouble.kind} {trouble.name}: {trouble.message}"
    assert blocked(status) == ("True", cause, message)
    assert condition(status, "ReplicaFailure") is None
    assert "state" not in status


def test_a_pod_that_somebody_holds_back_from_scheduling_says_so() -> None:
    held = Condition(
        type="PodScheduled", status="False", reason="SchedulingGated", message="waits for a queue"
    )

    status = coming_up(replace(unready("w1"), conditions=(held,))).assess()

    assert blocked(status) == ("True", "SchedulingGated", "pod w1: waits for a queue")
