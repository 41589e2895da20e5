"""The RayCluster that a RayService asks for, and the stamps that tell specs apart."""

import copy
from typing import Any

import pytest

from services.reconciler.manifests.rayservice.cluster import (
    GROUPS,
    HASH,
    only_grown,
    raycluster_manifest,
    same_spec,
    stamps_of,
)
from services.reconciler.manifests.settings import ManifestSettings
from shared.resources.labels import OPERATOR_VERSION
from shared.resources.rayservice import RayService
from shared.resources.reading import read_rayservice
from tests.support.builders import Raw, cluster_spec, group
from tests.support.rayservices import UID, service_spec

SETTINGS = ManifestSettings(version="v1.7.0")


def read(config: Raw, **metadata: object) -> RayService:
    meta = {"name": "fruit", "namespace": "prod", "uid": UID, **metadata}
    found = read_rayservice({"metadata": meta, "spec": service_spec(rayClusterConfig=config)})
    assert isinstance(found, RayService), found
    return found


def of(*groups: Raw, **more: object) -> Raw:
    """A cluster spec as a RayService gives it back."""
    return written(cluster_spec(*groups, **more))


def written(config: Raw) -> Raw:
    return read(config).spec.ray_cluster_config.as_written()


def stamped(config: Raw) -> dict[str, str]:
    return stamps_of(config, SETTINGS)


def test_a_cluster_carries_what_its_service_does_and_who_made_it() -> None:
    """RayService checklist 9: labels, annotations, two labels, three stamps, the owner."""
    service = read(
        cluster_spec(group()),
        labels={"queue": "blue"},
        annotations={
            "team": "red",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
        },
    )
    metadata: Any = raycluster_manifest(service, "fruit-abcde", SETTINGS)["metadata"]

    assert metadata["labels"] == {
        "queue": "blue",
        "ray.io/originated-from-cr-name": "fruit",
        "ray.io/originated-from-crd": "RayService",
    }
    assert metadata["annotations"]["team"] == "red"
    assert set(metadata["annotations"]) == {"team", HASH, GROUPS, OPERATOR_VERSION}
    assert metadata["annotations"][OPERATOR_VERSION] == "v1.7.0"
    assert [one["uid"] for one in metadata["ownerReferences"]] == [UID]


@pytest.mark.parametrize("count", [0, 2])
def test_the_number_of_groups_is_stamped(count: int) -> None:
    """RayService checklist 10: none is "0", two are "2"."""
    groups = [group(f"group-{each}") for each in range(count)]

    assert stamped(of(*groups))[GROUPS] == str(count)


def test_sizes_are_not_part_of_the_hash() -> None:
    """RayService checklist 11: replicas, bounds, workers to delete, suspend."""
    known = stamped(of(group()))
    other = group(replicas=7, minReplicas=1, maxReplicas=9)
    other["scaleStrategy"] = {"workersToDelete": ["one"]}

    assert same_spec(stamped(of(other)), known)
    assert same_spec(stamped(of(group(), suspend=True)), known)


def test_the_version_of_ray_is_part_of_the_hash() -> None:
    """RayService checklist 12: another version is another cluster."""
    assert not same_spec(stamped(of(group(), rayVersion="2.47.0")), stamped(of(group())))


@pytest.mark.parametrize("field", ["tolerations", "schedulingGates"])
def test_where_pods_may_run_is_not_part_of_the_hash(field: str) -> None:
    """RayService checklist 13: of heads and of workers."""
    spec: Any = copy.deepcopy(cluster_spec(group()))
    value = [{"key": "gpu"}] if field == "tolerations" else [{"name": "queue"}]
    spec["headGroupSpec"]["template"]["spec"][field] = value
    spec["workerGroupSpecs"][0]["template"]["spec"][field] = value

    assert same_spec(stamped(written(spec)), stamped(of(group())))


def test_appended_groups_are_told_from_other_changes() -> None:
    """RayService checklist 14: with or without other sizes; another version is not only growth."""
    known = stamped(of(group("a", 1)))

    assert only_grown(of(group("a", 1), group("b", 2)), known)
    assert only_grown(of(group("a", 5), group("b", 2)), known)
    assert not only_grown(of(group("a", 1)), known)
    assert not only_grown(of(group("b", 2), group("a", 1)), known)
    assert not only_grown(of(group("a", 1), group("b", 2), rayVersion="2.47.0"), known)
    assert not only_grown(of(), known)


@pytest.mark.parametrize("count", ["", "many", "-1", "٣"])
def test_a_count_that_is_no_number_proves_nothing(count: str) -> None:
    known = {**stamped(of()), GROUPS: count}

    assert not only_grown(of(group("a", 1)), known)
