"""What changed between two sightings, in words; silence where nobody would notice."""

import pytest
from msgspec.structs import replace

from heliograph.views.sightings import sighting
from shared.events.objects import Container, Meta, ObjectGone, Observation, PodSeen, ResourceSeen
from tests.support.builders import (
    FORMER_UID,
    being_deleted,
    cluster_spec,
    deleting,
    failed,
    gone,
    group,
    resource,
    service,
    with_status,
    worker,
)

POD = worker("w1")
STARTING = worker("w1", ready=False)


def by(seen: ResourceSeen, who: str) -> ResourceSeen:
    return replace(seen, meta=replace(seen.meta, changed_by=who))


def spec_of(replicas: int, generation: int, **more: object) -> ResourceSeen:
    return resource(cluster_spec(group(replicas=replicas), **more), generation=generation)


def with_container(pod: PodSeen, **fields: object) -> PodSeen:
    return replace(pod, containers=(Container(name="ray", **fields),))  # type: ignore[arg-type] # passed through


def as_of(seen: PodSeen, uid: str) -> PodSeen:
    meta: Meta = replace(seen.meta, uid=uid)
    return replace(seen, meta=meta)


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (None, resource(), "demo appeared"),
        (None, by(resource(), "kubectl"), "demo appeared, written by kubectl"),
        (resource(), resource(uid=FORMER_UID), "demo appeared"),
        (resource(), being_deleted(resource()), "demo is being deleted"),
        (being_deleted(resource()), being_deleted(resource(version=2)), ""),
        (resource(), with_status(resource(version=2), {"state": "ready"}), ""),
        (
            spec_of(1, 1),
            by(spec_of(3, 2), "kubectl-edit"),
            "demo was changed by kubectl-edit: spec.workerGroupSpecs[0].replicas: 1 -> 3",
        ),
        (
            spec_of(1, 1),
            spec_of(1, 2, suspend=True),
            "demo was changed: spec.suspend: none -> True",
        ),
        (
            spec_of(1, 1, suspend=True),
            spec_of(1, 2),
            "demo was changed: spec.suspend: True -> none",
        ),
        (
            spec_of(1, 1),
            resource(cluster_spec(), generation=2),
            "demo was changed: spec.workerGroupSpecs[small] removed",
        ),
    ],
)
def test_a_resource(before: Observation | None, now: Observation, told: str) -> None:
    assert sighting(before, now) == told


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (None, POD, "pod w1 appeared"),
        (gone(POD), as_of(POD, "another"), "pod w1 appeared"),
        (as_of(POD, "former"), POD, "pod w1 appeared"),
        (POD, replace(POD, ip="10.0.0.1"), ""),
        (POD, deleting(POD), "pod w1 is ending"),
        (deleting(POD), failed(deleting(POD)), ""),
        (POD, gone(POD), "pod w1 is gone"),
        (gone(POD), gone(POD), ""),
        (STARTING, POD, "pod w1 is Running"),
        (POD, failed(POD), "pod w1 is Failed"),
        (POD, failed(POD, "Evicted"), "pod w1 is Failed (Evicted)"),
        (replace(POD, conditions=()), POD, "pod w1 is ready"),
        (POD, replace(POD, conditions=()), "pod w1 is no longer ready"),
    ],
)
def test_a_pod(before: Observation | None, now: Observation, told: str) -> None:
    assert sighting(before, now) == told


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (
            with_container(STARTING, state="waiting", reason="ContainerCreating"),
            with_container(STARTING, state="waiting", reason="ErrImagePull"),
            "container ray of pod w1 waits: ErrImagePull",
        ),
        (
            with_container(STARTING, state="waiting", reason="ErrImagePull"),
            with_container(STARTING, state="waiting", reason="ErrImagePull", message="again"),
            "",
        ),
        (
            with_container(STARTING, state="waiting"),
            with_container(STARTING, state="waiting", reason="PodInitializing"),
            "",
        ),
        (
            with_container(POD, restarts=1),
            with_container(POD, restarts=2),
            "container ray of pod w1 was restarted",
        ),
        (
            replace(STARTING, containers=()),
            with_container(STARTING, state="waiting", reason="CrashLoopBackOff"),
            "container ray of pod w1 waits: CrashLoopBackOff",
        ),
    ],
)
def test_a_container(before: PodSeen, now: PodSeen, told: str) -> None:
    assert sighting(before, now) == told


def test_a_service_appears_once_and_goes() -> None:
    assert sighting(None, service()) == "service demo-head-svc appeared"
    assert sighting(service(), service(version=11)) == ""
    assert sighting(service(), gone(service())) == "service demo-head-svc is gone"


def test_a_resource_goes() -> None:
    tombstone = ObjectGone(kind="raycluster", name="demo", uid="x", resource_version=9)

    assert sighting(resource(), tombstone) == "raycluster demo is gone"
