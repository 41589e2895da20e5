"""Typed look-ups in raw objects: what is missing or ill-typed is absent."""

import pytest

from shared.kernel import manifests

POD: dict[str, object] = {
    "metadata": {
        "name": "demo",
        "namespace": "lab",
        "uid": "u1",
        "generation": 3,
        "labels": {"app": "ray", "odd": 5},
        "ownerReferences": [{"name": "other"}, {"name": "owner", "controller": True}],
    },
    "spec": {
        "containers": [{"name": "ray", "command": ["a", 1, "b"]}, "broken", {"name": "side"}],
        "hostNetwork": False,
        "generous": True,
    },
}


def test_finds_what_is_there() -> None:
    found = (
        manifests.name_of(POD),
        manifests.namespace_of(POD),
        manifests.uid_of(POD),
        manifests.integer_at(POD, "metadata", "generation"),
        manifests.flag_at(POD, "spec", "hostNetwork"),
        manifests.text_at(POD, "spec", "containers", 0, "name"),
        manifests.words_at(POD, "spec", "containers", 0, "command"),
    )

    assert found == ("demo", "lab", "u1", 3, False, "ray", ("a", "b"))


@pytest.mark.parametrize(
    "path", [("spec", "x"), ("spec", "containers", 9), ("metadata", "name", 0)]
)
def test_a_path_that_breaks_off_is_absent(path: tuple[str | int, ...]) -> None:
    found = (
        manifests.value_at(POD, *path),
        manifests.text_at(POD, *path),
        manifests.mapping_at(POD, *path),
        manifests.entries_at(POD, *path),
        manifests.integer_at(POD, *path),
        manifests.flag_at(POD, *path),
    )

    assert found == (None, "", {}, (), None, None)


def test_what_has_another_type_is_absent() -> None:
    found = (
        manifests.integer_at(POD, "spec", "generous"),
        manifests.flag_at(POD, "metadata", "generation"),
        manifests.text_at(POD, "metadata", "generation"),
        manifests.entries_at(POD, "metadata", "name"),
        manifests.labels_of(POD),
    )

    assert found == (None, None, "", (), {"app": "ray"})


def test_a_list_of_objects_leaves_out_what_is_none() -> None:
    containers = manifests.entries_at(POD, "spec", "containers")

    assert [entry["name"] for entry in containers] == ["ray", "side"]
    assert manifests.named(containers, "side") == {"name": "side"}
    assert manifests.named(containers, "none") is None


def test_finds_the_owner_that_controls() -> None:
    assert manifests.controller_of(POD) == {"name": "owner", "controller": True}
    assert manifests.controller_of({"metadata": {}}) is None


def test_a_thawed_copy_shares_nothing() -> None:
    inner = {"a": ({"b": 1},)}

    copy = manifests.thawed({"x": inner})

    assert copy == {"x": {"a": [{"b": 1}]}}
    copy["x"] = None
    assert inner == {"a": ({"b": 1},)}
