"""Deletion of namespaces: emptied first, then let go."""

from typing import Any

from sandbox.controllers import namespaces
from sandbox.controllers.world import RemoveObject, Steps
from tests.unit.sandbox.controllers.small_world import NOON, SmallWorld


def space(name: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "uid": f"{name}-uid"},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def item(name: str, where: str, **meta: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": where, "uid": f"{name}-uid", **meta}}


def settle(world: SmallWorld) -> None:
    world.run(lambda seen, _: namespaces.step(seen))


def test_leaves_living_namespaces_alone() -> None:
    world = SmallWorld(namespaces=[space("a")], secrets=[item("s", "a")])

    assert namespaces.step(world) == Steps()


def test_empties_a_dying_namespace_and_lets_it_go() -> None:
    world = SmallWorld(
        namespaces=[space("a"), space("b")], secrets=[item("s", "a"), item("t", "b")]
    )
    world.delete("namespaces", "a", NOON)

    settle(world)

    assert (world.names("namespaces"), world.names("secrets")) == (["b"], ["t"])


def test_says_that_it_is_terminating_while_something_holds_it() -> None:
    world = SmallWorld(namespaces=[space("a")], secrets=[item("s", "a", finalizers=["hold"])])
    world.delete("namespaces", "a", NOON)

    settle(world)

    assert world.get("namespaces", "a")["status"] == {"phase": "Terminating"}
    assert world.get("secrets", "s")["metadata"]["deletionTimestamp"]
    assert namespaces.step(world) == Steps()


def test_gives_pods_their_time() -> None:
    pod = {**item("p", "a"), "spec": {"terminationGracePeriodSeconds": 7}}
    world = SmallWorld(namespaces=[space("a")], pods=[pod])
    world.delete("namespaces", "a", NOON)

    assert namespaces.step(world).changes[-1] == RemoveObject(
        plural="pods", namespace="a", name="p", uid="p-uid", grace_seconds=7
    )


def test_a_namespace_held_by_a_finalizer_of_its_own_stays() -> None:
    held = space("a")
    held["metadata"]["finalizers"] = ["hold"]
    world = SmallWorld(namespaces=[held])
    world.delete("namespaces", "a", NOON)

    settle(world)

    assert world.names("namespaces") == ["a"]
    assert namespaces.step(world) == Steps()
