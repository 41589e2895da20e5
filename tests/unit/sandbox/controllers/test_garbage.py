"""Garbage collection: background, foreground and orphan, by uid alone."""

from typing import Any

import pytest

from sandbox.controllers import garbage
from sandbox.controllers.world import PutObject, RemoveObject, Steps
from tests.unit.sandbox.controllers.small_world import NOON, SmallWorld


def thing(name: str, *owners: str, blocks: bool = True, **meta: Any) -> dict[str, Any]:
    references = [
        {"kind": "X", "name": owner, "uid": f"{owner}-uid", "blockOwnerDeletion": blocks}
        for owner in owners
    ]
    listed = {"ownerReferences": references} if references else {}
    return {
        "metadata": {"name": name, "namespace": "n", "uid": f"{name}-uid", **listed, **meta},
    }


def collect(world: SmallWorld) -> None:
    world.run(lambda seen, _: garbage.step(seen))


def test_removes_what_has_lost_its_owner_down_the_line() -> None:
    world = SmallWorld(
        clusters=[thing("alive")],
        pods=[thing("kept", "alive"), thing("lost", "gone")],
        secrets=[thing("below", "lost"), thing("free")],
    )

    collect(world)

    removed_pod = world.get("pods", "lost")
    assert removed_pod["metadata"]["deletionGracePeriodSeconds"] == 30
    world.delete("pods", "lost", NOON)
    collect(world)
    assert (world.names("pods"), world.names("secrets")) == (["kept"], ["free"])


def test_an_owner_of_the_same_name_but_another_uid_is_gone() -> None:
    child = thing("child", "owner")
    world = SmallWorld(clusters=[thing("owner", uid="younger")], configmaps=[child])

    assert garbage.step(world) == Steps(
        changes=(RemoveObject(plural="configmaps", namespace="n", name="child", uid="child-uid"),)
    )


def test_an_owner_in_another_namespace_is_no_owner_but_a_cluster_wide_one_is() -> None:
    elsewhere = {"metadata": {"name": "far", "namespace": "m", "uid": "far-uid"}}
    wide = {"metadata": {"name": "wide", "uid": "wide-uid"}}
    world = SmallWorld(
        clusters=[elsewhere, wide], configmaps=[thing("a", "far"), thing("b", "wide")]
    )

    collect(world)

    assert world.names("configmaps") == ["b"]


def test_a_lost_owner_is_forgotten_while_another_lives() -> None:
    world = SmallWorld(clusters=[thing("alive")], configmaps=[thing("child", "alive", "gone")])

    collect(world)

    references = world.get("configmaps", "child")["metadata"]["ownerReferences"]
    assert [reference["name"] for reference in references] == ["alive"]


@pytest.mark.parametrize(("asked", "grace"), [(None, 30), (5, 5), (0, 0)])
def test_pods_are_given_the_time_they_ask_for(asked: int | None, grace: int) -> None:
    spec = {} if asked is None else {"terminationGracePeriodSeconds": asked}

    assert garbage.grace_of("pods", {"spec": spec}) == grace
    assert garbage.grace_of("secrets", {"spec": spec}) == 0


def test_foreground_deletion_waits_for_dependents_that_block() -> None:
    world = SmallWorld(
        clusters=[thing("owner")],
        configmaps=[thing("child", "owner", finalizers=["hold"]), thing("other", "owner")],
    )
    world.delete("clusters", "owner", NOON, propagation="Foreground")

    collect(world)

    assert (world.names("clusters"), world.names("configmaps")) == (["owner"], ["child"])
    held = world.get("configmaps", "child")
    world.apply([PutObject(plural="configmaps", object=thing("child", "owner"))], NOON)
    assert held["metadata"]["deletionTimestamp"]
    world.delete("configmaps", "child", NOON)
    collect(world)
    assert (world.names("clusters"), world.names("configmaps")) == ([], [])


def test_foreground_deletion_does_not_wait_for_dependents_that_do_not_block() -> None:
    world = SmallWorld(
        clusters=[thing("owner")],
        configmaps=[thing("child", "owner", blocks=False, finalizers=["hold"])],
    )
    world.delete("clusters", "owner", NOON, propagation="Foreground")

    collect(world)

    assert (world.names("clusters"), world.names("configmaps")) == ([], ["child"])


def test_foreground_deletion_goes_down_the_line() -> None:
    world = SmallWorld(
        clusters=[thing("top")], sets=[thing("middle", "top")], configmaps=[thing("low", "middle")]
    )
    world.delete("clusters", "top", NOON, propagation="Foreground")

    asked = garbage.step(world).changes

    assert asked == (
        RemoveObject(
            plural="sets", namespace="n", name="middle", uid="middle-uid", propagation="Foreground"
        ),
    )
    collect(world)
    assert [world.names(plural) for plural in ("clusters", "sets", "configmaps")] == [[], [], []]


def test_orphans_are_let_go_before_their_owner_leaves() -> None:
    world = SmallWorld(clusters=[thing("owner")], configmaps=[thing("child", "owner")])
    world.delete("clusters", "owner", NOON, propagation="Orphan")

    collect(world)

    assert world.names("clusters") == []
    assert "ownerReferences" not in world.get("configmaps", "child")["metadata"]


def test_what_is_being_deleted_is_not_deleted_again() -> None:
    child = thing("child", "gone", finalizers=["hold"], deletionTimestamp="2026-01-01T12:00:00Z")

    assert garbage.step(SmallWorld(configmaps=[child])) == Steps()


def test_asking_again_in_an_unchanged_world_asks_for_the_same() -> None:
    world = SmallWorld(configmaps=[thing("child", "gone")], clusters=[thing("free")])

    assert garbage.step(world) == garbage.step(world)
    collect(world)
    assert garbage.step(world) == Steps()
