"""One raw object, every fact it makes."""

from datetime import UTC, datetime

from services.watcher.translate.facts import Fact, Unusable, facts_of, tombstone
from shared.events.objects import Meta, ObjectGone, Owner, PodSeen
from shared.events.subjects import act, observed
from shared.kernel.keys import ResourceKey
from shared.kube.kinds import POD, RAYCLUSTER

DEMO = ResourceKey(kind="raycluster", namespace="prod", name="demo")
REFERENCE = {
    "apiVersion": "ray.io/v1",
    "kind": "RayCluster",
    "name": "demo",
    "uid": "u-0",
    "controller": True,
}


def pod(**metadata: object) -> dict[str, object]:
    usual = {
        "name": "demo-head",
        "namespace": "prod",
        "uid": "u-1",
        "resourceVersion": "42",
        "ownerReferences": [REFERENCE],
    }
    return {"metadata": {**usual, **metadata}}


def test_a_pod_is_told_under_its_cluster() -> None:
    meta = Meta(
        name="demo-head",
        namespace="prod",
        uid="u-1",
        resource_version=42,
        owners=(Owner(kind="RayCluster", name="demo", uid="u-0", controller=True),),
    )

    assert facts_of(POD, pod()) == (
        Fact(subject=observed(DEMO, "pod", "demo-head"), key=DEMO, body=PodSeen(meta=meta)),
    )


def test_a_deleted_pod_is_a_tombstone_with_the_version_of_its_deletion() -> None:
    made_at = datetime(2030, 1, 1, 11, 59, tzinfo=UTC)
    gone = ObjectGone(
        kind="pod", name="demo-head", uid="u-1", resource_version=42, created_at=made_at
    )

    assert facts_of(POD, pod(creationTimestamp="2030-01-01T11:59:00Z"), gone=True) == (
        Fact(subject=observed(DEMO, "pod", "demo-head"), key=DEMO, body=gone),
    )


def test_what_concerns_nobody_makes_no_fact() -> None:
    assert facts_of(POD, pod(ownerReferences=[])) == ()


def test_an_object_without_uid_or_version_is_unusable() -> None:
    because = "it has no name, no uid or no resourceVersion"

    assert facts_of(POD, pod(uid="")) == Unusable(name="demo-head", because=because)
    assert facts_of(RAYCLUSTER, pod(resourceVersion=None)) == Unusable(
        name="demo-head", because=because
    )


def test_a_tombstone_can_be_made_from_a_subject_alone() -> None:
    subject = observed(DEMO, "pod", "demo.head")

    assert tombstone(subject, uid="u-1", resource_version=7) == Fact(
        subject=subject,
        key=DEMO,
        body=ObjectGone(kind="pod", name="demo.head", uid="u-1", resource_version=7),
    )


def test_a_subject_that_tells_of_no_object_has_no_tombstone() -> None:
    assert tombstone(act(DEMO), uid="u-1", resource_version=7) is None
