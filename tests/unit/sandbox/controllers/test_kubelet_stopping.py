"""The kubelet stops pods that are deleted: in their time, once, and not on lost nodes."""

import pytest

from sandbox.controllers import kubelet
from sandbox.controllers.world import PutStatus, RemoveObject, Steps
from sandbox.objects import copy_of, metadata
from tests.unit.sandbox.controllers.pods import CALM, drive, phase, pod, state, told, under
from tests.unit.sandbox.controllers.small_world import SmallWorld, after

GONE = RemoveObject(plural="pods", namespace="n", name="p", uid="p-uid")


def running(**meta: object) -> SmallWorld:
    made = pod()
    made["metadata"].update(meta)
    world = SmallWorld(pods=[made])
    drive(world)
    return world


def test_a_deleted_pod_keeps_running_for_a_while_and_then_is_gone() -> None:
    world = running()
    world.delete("pods", "p", after(10), grace_seconds=30)

    drive(world, start=after(10), until=after(10.1))
    stopping = copy_of(world.get("pods", "p"))
    ended = drive(world, start=after(10.1))

    assert (phase(stopping), told(stopping)["Ready"][0]) == ("Running", "True")
    assert ended == after(10.2)
    assert world.names("pods") == []


def test_its_last_words_are_how_the_containers_ended() -> None:
    world = running()
    world.delete("pods", "p", after(10), grace_seconds=30)
    drive(world, start=after(10), until=after(10.1))

    last, removal = kubelet.step(world, after(10.2), CALM).changes

    assert isinstance(last, PutStatus)
    ending = state(last.object)["terminated"]
    assert (phase(last.object), ending["exitCode"], ending["reason"]) == ("Failed", 143, "Error")
    assert removal == GONE


def test_containers_that_stop_cleanly_make_the_pod_succeed() -> None:
    world = running()
    world.delete("pods", "p", after(10), grace_seconds=30)
    scenario = under(exit_code_on_stop=0)
    drive(world, scenario, start=after(10), until=after(10.1))

    last = kubelet.step(world, after(10.2), scenario).changes[0]

    assert isinstance(last, PutStatus)
    assert (phase(last.object), state(last.object)["terminated"]["reason"]) == (
        "Succeeded",
        "Completed",
    )


def test_the_grace_period_is_the_longest_it_takes() -> None:
    world = running()
    world.delete("pods", "p", after(10), grace_seconds=2)

    assert drive(world, under(terminate_after=60), start=after(10)) == after(12)
    assert world.names("pods") == []


@pytest.mark.parametrize("given", ["unbound", "ended"])
def test_where_nothing_runs_nothing_is_waited_for(given: str) -> None:
    made = pod()
    if given == "ended":
        made["spec"]["nodeName"] = "sandbox"
        made["status"]["phase"] = "Succeeded"
    world = SmallWorld(pods=[made])
    world.delete("pods", "p", after(1), grace_seconds=30)

    assert kubelet.step(world, after(1), CALM) == Steps(changes=(GONE,))


def test_a_finalizer_keeps_the_stopped_pod_until_it_is_taken_off() -> None:
    world = running(finalizers=["hold"])
    world.delete("pods", "p", after(10), grace_seconds=30)

    drive(world, start=after(10))

    held = copy_of(world.get("pods", "p"))
    assert (phase(held), metadata(held)["deletionGracePeriodSeconds"]) == ("Failed", 0)
    assert kubelet.step(world, after(99), CALM) == Steps()
    del metadata(world.get("pods", "p"))["finalizers"]
    assert kubelet.step(world, after(99), CALM) == Steps(changes=(GONE,))


def test_a_pod_on_a_lost_node_never_finishes_terminating() -> None:
    world = running()
    world.delete("pods", "p", after(10), grace_seconds=30)
    lost = under(lost_node=True)

    drive(world, lost, start=after(10))
    drive(world, lost, start=after(9999))

    assert world.names("pods") == ["p"]
    drive(world, CALM, start=after(10_000))
    assert world.names("pods") == []


def test_a_pod_deleted_while_it_starts_is_stopped_too() -> None:
    world = SmallWorld(pods=[pod("p", inits=("i",))])
    drive(world, until=after(0.15))
    world.delete("pods", "p", after(0.15), grace_seconds=30)

    drive(world, under(run_after=60), start=after(0.15))

    assert world.names("pods") == []


def test_asking_again_while_stopping_changes_nothing() -> None:
    world = running()
    world.delete("pods", "p", after(10), grace_seconds=30)
    drive(world, start=after(10), until=after(10.1))

    assert kubelet.step(world, after(10.1), CALM) == Steps(next_at=after(10.2))
