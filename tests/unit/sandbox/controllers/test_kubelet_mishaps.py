"""What can happen to running pods: exits, restarts, memory, eviction, lost nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.controllers import kubelet
from sandbox.controllers.scenario import ContainerExit, PodRule, Scenario
from sandbox.controllers.world import Steps
from sandbox.objects import Object, copy_of, dig, rows
from tests.unit.sandbox.controllers.pods import CALM, drive, phase, pod, state, told, under
from tests.unit.sandbox.controllers.small_world import SmallWorld, after

CRASH = ContainerExit(after=1.0, exit_code=3)


def test_a_crashed_container_waits_and_is_started_again() -> None:
    scenario = under(exits=(CRASH,))
    world = SmallWorld(pods=[pod()])

    drive(world, scenario, until=after(1.3))
    down = copy_of(world.get("pods", "p"))
    ended = drive(world, scenario, start=after(1.3))
    up = world.get("pods", "p")

    assert (phase(down), told(down)["Ready"]) == ("Running", ("False", "ContainersNotReady"))
    assert state(down) == {
        "waiting": {
            "reason": "CrashLoopBackOff",
            "message": "back-off restarting failed container=main pod=p_n(p-uid)",
        }
    }
    assert ended == after(1.9)
    [status] = rows(up, "status.containerStatuses")
    assert (list(status["state"]), status["restartCount"], status["ready"]) == (
        ["running"],
        1,
        True,
    )
    assert (
        status["lastState"]["terminated"]["exitCode"],
        status["lastState"]["terminated"]["reason"],
    ) == (3, "Error")


def test_each_restart_waits_twice_as_long() -> None:
    scenario = under(exits=(ContainerExit(after=1.0, times=3),), restart_after=1.0)
    world = SmallWorld(pods=[pod()])

    ended = drive(world, scenario)

    [status] = rows(world.get("pods", "p"), "status.containerStatuses")
    assert status["restartCount"] == 3
    assert ended == after(0.2 + (1 + 1) + (1 + 2) + (1 + 4) + 0.2)


@pytest.mark.parametrize(
    ("policy", "exit_code", "ended"),
    [
        ("Never", 0, "Succeeded"),
        ("Never", 1, "Failed"),
        ("OnFailure", 0, "Succeeded"),
        ("OnFailure", 1, "Running"),
        ("Always", 0, "Running"),
        ("Always", 1, "Running"),
    ],
)
def test_the_restart_policy_decides_how_it_ends(policy: str, exit_code: int, ended: str) -> None:
    scenario = under(exits=(ContainerExit(after=1.0, exit_code=exit_code),))
    world = SmallWorld(pods=[pod("p", restartPolicy=policy)])

    drive(world, scenario)

    assert phase(world.get("pods", "p")) == ended


def test_a_pod_fails_when_all_have_ended_and_one_of_them_badly() -> None:
    exits = (
        ContainerExit(container="a", after=1.0, exit_code=0),
        ContainerExit(container="b", after=2.0, exit_code=7),
    )
    world = SmallWorld(pods=[pod("p", "a", "b", restartPolicy="Never")])

    drive(world, under(exits=exits), until=after(1.5))
    halfway = phase(world.get("pods", "p"))
    drive(world, under(exits=exits), start=after(1.5))

    assert (halfway, phase(world.get("pods", "p"))) == ("Running", "Failed")
    assert told(world.get("pods", "p"))["Ready"] == ("False", "PodFailed")


def test_a_container_out_of_memory_says_so() -> None:
    exits = (ContainerExit(after=1.0, exit_code=137, reason="OOMKilled"),)
    world = SmallWorld(pods=[pod("p", restartPolicy="Never")])

    drive(world, under(exits=exits))

    ending = state(world.get("pods", "p"))["terminated"]
    assert (ending["exitCode"], ending["reason"]) == (137, "OOMKilled")


def test_an_exit_at_a_moment_ends_the_run_of_that_moment() -> None:
    scenario = under(exits=(ContainerExit(at=after(30)),))
    world = SmallWorld(pods=[pod()])

    drive(world, CALM)
    steps = kubelet.step(world, after(10), scenario)
    drive(world, scenario, start=after(10))

    assert steps == Steps(next_at=after(30))
    [status] = rows(world.get("pods", "p"), "status.containerStatuses")
    assert (status["restartCount"], status["ready"]) == (1, True)


def test_an_evicted_pod_has_failed_for_good() -> None:
    world = SmallWorld(pods=[pod()])

    drive(world, under(evicted_after=5))

    evicted = world.get("pods", "p")
    assert (phase(evicted), dig(evicted, "status.reason"), dig(evicted, "status.message")) == (
        "Failed",
        "Evicted",
        "The node was low on resource: memory.",
    )
    assert told(evicted)["DisruptionTarget"] == ("True", "TerminationByKubelet")
    assert kubelet.step(world, after(99), CALM) == Steps()


def test_an_eviction_at_a_moment_spares_pods_that_came_later() -> None:
    scenario = under(evicted_at=after(5))
    world = SmallWorld(pods=[pod("old")])
    drive(world, scenario)
    world.add("pods", pod("young"))

    drive(world, scenario, start=after(6))

    assert [phase(world.get("pods", name)) for name in ("old", "young")] == ["Failed", "Running"]


@given(moments=st.lists(st.floats(0, 12), min_size=1, max_size=6).map(sorted))
def test_it_does_not_matter_when_the_kubelet_looks_only_that_it_does(moments: list[float]) -> None:
    scenario = under(exits=(ContainerExit(after=1.0, times=2),), evicted_after=9)
    often, seldom = SmallWorld(pods=[pod()]), SmallWorld(pods=[pod()])
    drive(often, scenario, until=after(moments[-1]))

    for moment in (0, *moments):
        seldom.apply(kubelet.step(seldom, after(moment), scenario).changes, after(moment))

    assert _without_times(seldom) == _without_times(often)


def _without_times(world: SmallWorld) -> Object:
    status: Object = copy_of(world.get("pods", "p")["status"])
    for condition in status["conditions"]:
        del condition["lastTransitionTime"]
    return status


def test_a_pod_on_a_lost_node_is_no_longer_ready_and_nothing_else_changes() -> None:
    world = SmallWorld(pods=[pod()])
    drive(world)
    before = copy_of(world.get("pods", "p"))

    drive(world, under(lost_node=True), start=after(10))

    lost = world.get("pods", "p")
    assert told(lost) == {**told(before), "Ready": ("False", "")}
    assert lost["status"]["containerStatuses"] == before["status"]["containerStatuses"]
    assert kubelet.step(world, after(99), under(lost_node=True)) == Steps()


def test_a_pod_is_ready_again_when_its_node_comes_back() -> None:
    world = SmallWorld(pods=[pod()])
    drive(world)
    drive(world, Scenario(lost_nodes=("sand*",)), start=after(10))

    drive(world, CALM, start=after(20))

    assert told(world.get("pods", "p"))["Ready"] == ("True", "")


def test_a_pod_that_is_never_ready_runs_all_the_same() -> None:
    world = SmallWorld(pods=[pod()])

    drive(world, under(never_ready=True))

    assert (phase(world.get("pods", "p")), told(world.get("pods", "p"))["Ready"][0]) == (
        "Running",
        "False",
    )


def test_an_ended_pod_never_changes_again() -> None:
    done = pod()
    done["spec"]["nodeName"] = "sandbox"
    done["status"] = {"phase": "Failed", "reason": "BecauseSomebodySaidSo"}
    world = SmallWorld(pods=[done])

    assert kubelet.step(world, after(60), CALM) == Steps()


@pytest.mark.parametrize("moment", [1.0, 1.2, 1.25, 1.7, 1.9, 60.0])
def test_asking_again_during_a_mishap_changes_nothing(moment: float) -> None:
    scenario = Scenario(rules=(PodRule(exits=(CRASH,), name="p"), PodRule(evicted_after=1)))
    world = SmallWorld(pods=[pod("p"), pod("q")])
    drive(world, scenario, until=after(moment))

    assert kubelet.step(world, after(moment), scenario).changes == ()
