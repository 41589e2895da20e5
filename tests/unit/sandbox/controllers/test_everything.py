"""All controllers together: a small cluster lives, works and goes, and then all is quiet."""

from datetime import datetime

from sandbox.controllers import everything
from sandbox.controllers.scenario import ContainerExit, PodRule, Scenario
from sandbox.controllers.world import Steps
from sandbox.objects import rows
from tests.unit.sandbox.controllers.pods import CALM, pod, told
from tests.unit.sandbox.controllers.small_world import NOON, SmallWorld, after


def live(world: SmallWorld, scenario: Scenario = CALM, start: datetime = NOON) -> datetime:
    return world.run(lambda seen, now: everything.step(seen, now, scenario), start)


def owned(name: str) -> dict[str, object]:
    made = pod(name)
    made["metadata"] |= {
        "labels": {"app": "x"},
        "ownerReferences": [{"kind": "C", "name": "c", "uid": "c-uid"}],
    }
    return made


def small_cluster() -> SmallWorld:
    service = {
        "metadata": {"name": "s", "namespace": "n", "uid": "s-uid"},
        "spec": {"selector": {"app": "x"}, "ports": [{"port": 80}]},
    }
    return SmallWorld(
        nodes=[{"metadata": {"name": "node", "uid": "node-uid"}}],
        clusters=[{"metadata": {"name": "c", "namespace": "n", "uid": "c-uid"}}],
        services=[service],
        pods=[owned("a"), owned("b")],
    )


def test_pods_become_ready_and_stand_behind_their_service() -> None:
    world = small_cluster()

    assert live(world) == after(0.4)

    [held] = world.objects("endpointslices")
    assert [told(world.get("pods", name))["Ready"] for name in ("a", "b")] == [("True", "")] * 2
    assert [endpoint["conditions"]["ready"] for endpoint in held["endpoints"]] == [True, True]


def test_pods_follow_their_owner() -> None:
    world = small_cluster()
    live(world)
    world.delete("clusters", "c", after(10))

    live(world, start=after(10))

    [held] = world.objects("endpointslices")
    assert (world.names("pods"), held["endpoints"]) == ([], [])


def test_a_job_runs_to_its_end() -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    job = {
        "metadata": {"name": "j", "namespace": "n", "uid": "j-uid"},
        "spec": {"template": template},
    }
    done = Scenario(otherwise=PodRule(exits=(ContainerExit(after=2.0, exit_code=0),)))
    world = SmallWorld(jobs=[job])

    live(world, done)

    kinds = [entry["type"] for entry in rows(world.get("jobs", "j"), "status.conditions")]
    assert kinds == ["SuccessCriteriaMet", "Complete"]


def test_a_quiet_world_stays_quiet() -> None:
    world = small_cluster()
    live(world)

    assert everything.step(world, after(3600), CALM) == Steps()


def test_an_empty_world_asks_for_nothing() -> None:
    assert everything.step(SmallWorld(), NOON, CALM) == Steps()
