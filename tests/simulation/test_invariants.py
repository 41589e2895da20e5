"""Invariants notice: crimes that no service commits are committed here by hand."""

from random import Random
from typing import Any

from shared.kernel.manifests import name_of, uid_of
from tests.simulation.nature import NAMESPACE, RAYCLUSTERS
from tests.simulation.plan import Plan, Step
from tests.simulation.run import run_plan
from tests.simulation.users import Deed, create
from tests.simulation.wishes import STRANGER
from tests.simulation.world import World
from tests.support.rayclusters import template


def violations(crime: Deed) -> tuple[str, ...]:
    """Let a cluster come up, commit the crime, and see who complains."""
    steps = (Step(at=0.1, luck="first", deed=create), Step(at=12.0, luck="crime", deed=crime))
    return run_plan(0, Plan(steps=steps, lasts=13.0)).violations


def rob(world: World, chance: Random) -> str:
    world.nature.cluster.delete("pods", NAMESPACE, STRANGER, grace_seconds=0)
    return "the stranger is robbed"


def usurp(world: World, chance: Random) -> str:
    owner = world.nature.objects(RAYCLUSTERS)[0]
    reference = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "name": name_of(owner),
        "uid": uid_of(owner),
        "controller": True,
    }
    meta: dict[str, Any] = {"name": "usurper", "ownerReferences": [reference]}
    meta["labels"] = {"ray.io/node-type": "head", "ray.io/group": "headgroup"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, **template()}
    world.nature.cluster.create("pods", pod)
    return "a second head appears"


def boast(world: World, chance: Random) -> str:
    name = name_of(world.nature.objects(RAYCLUSTERS)[0])
    status = {"status": {"observedGeneration": 99}}
    world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, name, status, subresource="status")
    return "the status is ahead of the spec"


def test_a_deleted_stranger_is_noticed() -> None:
    assert violations(rob) == (f"the stranger {STRANGER} was deleted",)


def test_a_second_head_is_noticed() -> None:
    told = violations(usurp)

    assert any(sentence.startswith("two heads at once") for sentence in told)
    assert any("without a recorded act" in sentence for sentence in told)


def test_a_status_ahead_of_its_spec_is_noticed() -> None:
    assert violations(boast)[0] == "alpha: observedGeneration from 1 to 99 at generation 1"
