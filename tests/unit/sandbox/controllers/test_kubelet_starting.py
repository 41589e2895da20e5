"""The kubelet brings pods up: scheduled, initialized, running, ready."""

import pytest

from sandbox.controllers import kubelet
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import PutObject, Steps
from sandbox.objects import copy_of, dig, rows
from tests.unit.sandbox.controllers.pods import CALM, drive, phase, pod, state, told, under
from tests.unit.sandbox.controllers.small_world import NOON, SmallWorld, after


def test_binds_a_new_pod_at_once_in_one_write() -> None:
    world = SmallWorld(pods=[pod()])

    steps = kubelet.step(world, NOON, CALM)

    assert [type(change) for change in steps.changes] == [PutObject]
    assert steps.next_at == after(0.2)
    world.apply(steps.changes, NOON)
    bound = world.get("pods", "p")
    assert (dig(bound, "spec.nodeName"), phase(bound)) == ("sandbox", "Pending")
    assert told(bound) == {
        "PodReadyToStartContainers": ("False", ""),
        "Initialized": ("True", ""),
        "Ready": ("False", "ContainersNotReady"),
        "ContainersReady": ("False", "ContainersNotReady"),
        "PodScheduled": ("True", ""),
    }
    assert state(bound) == {"waiting": {"reason": "ContainerCreating"}}


def test_a_pod_is_ready_after_its_delays_and_not_before() -> None:
    world = SmallWorld(pods=[pod()])

    drive(world, until=after(0.3))
    starting = copy_of(world.get("pods", "p"))
    ended = drive(world, start=after(0.3))

    assert (phase(starting), told(starting)["Ready"]) == (
        "Running",
        ("False", "ContainersNotReady"),
    )
    assert ended == after(0.4)
    assert told(world.get("pods", "p")) == {
        "PodReadyToStartContainers": ("True", ""),
        "Initialized": ("True", ""),
        "Ready": ("True", ""),
        "ContainersReady": ("True", ""),
        "PodScheduled": ("True", ""),
    }


def test_a_ready_pod_reports_all_that_clients_look_at() -> None:
    world = SmallWorld(pods=[pod()])

    drive(world)

    status = world.get("pods", "p")["status"]
    status.pop("conditions")
    [container] = status["containerStatuses"]
    assert container.pop("containerID").startswith("containerd://")
    assert container.pop("imageID").startswith("main:1@sha256:")
    assert status == {
        "phase": "Running",
        "hostIP": "172.18.183.174",
        "hostIPs": [{"ip": "172.18.183.174"}],
        "podIP": "10.173.160.126",
        "podIPs": [{"ip": "10.173.160.126"}],
        "startTime": "2026-01-01T12:00:00Z",
        "qosClass": "BestEffort",
        "containerStatuses": [
            {
                "name": "main",
                "state": {"running": {"startedAt": "2026-01-01T12:00:00Z"}},
                "lastState": {},
                "ready": True,
                "restartCount": 0,
                "image": "main:1",
                "started": True,
            }
        ],
    }


def test_names_the_containers_that_are_not_ready() -> None:
    world = SmallWorld(pods=[pod("p", "a", "b")])

    drive(world, until=after(0.3))

    ready = next(
        c for c in rows(world.get("pods", "p"), "status.conditions") if c["type"] == "Ready"
    )
    assert ready["message"] == "containers with unready status: [a b]"


def test_init_containers_run_one_after_another() -> None:
    world = SmallWorld(pods=[pod("p", inits=("first", "second"))])

    drive(world, until=after(0.15))

    waiting = world.get("pods", "p")
    names = [list(s["state"]) for s in rows(waiting, "status.initContainerStatuses")]
    initialized = next(c for c in rows(waiting, "status.conditions") if c["type"] == "Initialized")
    assert names == [["terminated"], ["running"]]
    assert (initialized["reason"], initialized["message"]) == (
        "ContainersNotInitialized",
        "containers with incomplete status: [second]",
    )
    assert state(waiting) == {"waiting": {"reason": "PodInitializing"}}
    assert drive(world, start=after(0.15)) == after(0.6)
    assert told(world.get("pods", "p"))["Ready"] == ("True", "")


def test_sidecars_stay_running() -> None:
    made = pod("p", inits=("helper",))
    made["spec"]["initContainers"][0]["restartPolicy"] = "Always"
    world = SmallWorld(pods=[made])

    assert drive(world) == after(0.4)
    [status] = rows(world.get("pods", "p"), "status.initContainerStatuses")
    assert (list(status["state"]), status["ready"]) == (["running"], True)


def test_scheduling_can_take_its_time() -> None:
    scenario = under(schedule_after=5)
    world = SmallWorld(pods=[pod()])

    steps = kubelet.step(world, NOON, scenario)
    world.apply(steps.changes, NOON)

    assert steps.next_at == after(5)
    assert kubelet.step(world, after(1), scenario) == Steps(next_at=after(5))
    assert drive(world, scenario, start=after(1)) == after(5.4)


def test_a_pod_that_fits_nowhere_says_why_and_waits() -> None:
    scenario = under(unschedulable="0/1 nodes are available: 1 Insufficient cpu.")
    world = SmallWorld(pods=[pod()])

    drive(world, scenario)

    [condition] = rows(world.get("pods", "p"), "status.conditions")
    assert condition == {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/1 nodes are available: 1 Insufficient cpu.",
        "lastProbeTime": None,
        "lastTransitionTime": "2026-01-01T12:00:00Z",
    }
    assert kubelet.step(world, after(60), scenario) == Steps()
    drive(world, CALM, start=after(60))
    assert phase(world.get("pods", "p")) == "Running"


def test_an_image_that_cannot_be_pulled_is_told_in_two_words() -> None:
    scenario = under(image_pull_error="not found")
    world = SmallWorld(pods=[pod()])

    drive(world, scenario, until=after(0.3))
    first = state(world.get("pods", "p"))
    drive(world, scenario, start=after(0.3))
    second = state(world.get("pods", "p"))

    assert first == {"waiting": {"reason": "ErrImagePull", "message": "not found"}}
    assert second == {
        "waiting": {
            "reason": "ImagePullBackOff",
            "message": 'Back-off pulling image "main:1": ErrImagePull: not found',
        }
    }
    assert (phase(world.get("pods", "p")), dig(world.get("pods", "p"), "status.podIP")) == (
        "Pending",
        None,
    )


def test_readiness_gates_hold_a_pod_back_until_they_open() -> None:
    world = SmallWorld(pods=[pod("p", readinessGates=[{"conditionType": "example.com/up"}])])

    drive(world)
    shut = told(world.get("pods", "p"))
    world.get("pods", "p")["status"]["conditions"].append(
        {"type": "example.com/up", "status": "True"}
    )
    drive(world, start=after(9))

    assert shut["Ready"] == ("False", "ReadinessGatesNotReady")
    assert told(world.get("pods", "p"))["Ready"] == ("True", "")
    assert told(world.get("pods", "p"))["example.com/up"] == ("True", "")


@pytest.mark.parametrize(
    ("resources", "named"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": 1}}, "Burstable"),
        ({"limits": {"cpu": 1, "memory": 1}}, "Guaranteed"),
        ({"limits": {"cpu": 1, "memory": 1}, "requests": {"cpu": 0}}, "Burstable"),
    ],
)
def test_names_the_quality_of_service(resources: dict[str, object], named: str) -> None:
    made = pod()
    made["spec"]["containers"][0]["resources"] = resources
    world = SmallWorld(pods=[made])

    drive(world)

    assert dig(world.get("pods", "p"), "status.qosClass") == named


def test_transition_times_stay_while_the_status_stays() -> None:
    world = SmallWorld(pods=[pod()])

    drive(world, under(run_after=3, ready_after=4))

    times = {
        c["type"]: c["lastTransitionTime"]
        for c in rows(world.get("pods", "p"), "status.conditions")
    }
    assert times == {
        "PodReadyToStartContainers": "2026-01-01T12:00:03Z",
        "Initialized": "2026-01-01T12:00:00Z",
        "Ready": "2026-01-01T12:00:07Z",
        "ContainersReady": "2026-01-01T12:00:07Z",
        "PodScheduled": "2026-01-01T12:00:00Z",
    }


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.2, 0.3, 0.4, 60.0])
def test_asking_again_in_an_unchanged_world_changes_nothing(moment: float) -> None:
    world = SmallWorld(pods=[pod("p", inits=("i",)), pod("q")])
    drive(world, until=after(moment))

    assert kubelet.step(world, after(moment), CALM).changes == ()


def test_a_kubelet_that_slept_catches_up_in_one_step() -> None:
    awake, asleep = SmallWorld(pods=[pod()]), SmallWorld(pods=[pod()])
    drive(awake)

    asleep.apply(kubelet.step(asleep, NOON, CALM).changes, NOON)
    asleep.apply(kubelet.step(asleep, after(0.9), CALM).changes, after(0.9))

    assert asleep.get("pods", "p")["status"] == awake.get("pods", "p")["status"]


def test_pods_go_by_the_first_rule_that_fits_them() -> None:
    scenario = Scenario(
        rules=(
            under(name="slow-*", ready_after=9).otherwise,
            under(ready_after=1).otherwise,
        )
    )
    world = SmallWorld(pods=[pod("slow-1"), pod("quick-1")])

    drive(world, scenario, until=after(2))

    assert [told(world.get("pods", name))["Ready"][0] for name in ("slow-1", "quick-1")] == [
        "False",
        "True",
    ]
