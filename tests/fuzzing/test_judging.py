"""A resource is as wished, or says why it is not; silence and wrong words are found."""

from typing import Any

from shared.kernel.features import Features
from tests.fuzzing.bases import BASES
from tests.fuzzing.changes import Change
from tests.fuzzing.judging import judge
from tests.fuzzing.likeness import differences, portrait
from tests.fuzzing.reaching import dropped
from tests.fuzzing.resting import leftovers

UID = "uid-of-ray"
OWNED = {"ownerReferences": [{"kind": "RayCluster", "name": "ray", "uid": UID}]}
REPLICAS = ("workerGroupSpecs", 0, "replicas")
CLUSTER = {"name": "ray-bcdfg", "uid": "uid-of-cluster"}


def pod(name: str, group: str, *, ready: bool = True) -> dict[str, Any]:
    """A pod of the cluster."""
    told = {"type": "Ready", "status": "True" if ready else "False"}
    labels = {"ray.io/group": group}
    return {
        "metadata": {"name": name, "uid": f"uid-of-{name}", "labels": labels, **OWNED},
        "spec": {},
        "status": {"conditions": [told], "phase": "Running"},
    }


def world(*pods: Any, state: str = "ready", conditions: Any = (), **spec: Any) -> dict[str, Any]:
    """A RayCluster that was looked at, and its pods."""
    base = BASES["RayCluster"]["plain"]
    cluster = {
        **base,
        "metadata": {"name": "ray", "uid": UID, "generation": 2},
        "spec": {**base["spec"], **spec},
        "status": {"state": state, "observedGeneration": 2, "conditions": list(conditions)},
    }
    return {"rayclusters": [cluster], "pods": list(pods), "events": []}


WHOLE = (pod("h", "headgroup"), pod("w", "small"))


def judged(objects: Any, *changes: Change) -> Any:
    """Judge with the usual gates."""
    return judge("RayCluster", objects, Features(), changes)


def test_a_cluster_with_all_its_pods_is_fine() -> None:
    found = judged(world(*WHOLE))

    assert (found.verdict, found.findings) == ("reached", ())


def test_a_worker_that_is_missing_without_a_word_is_found() -> None:
    found = judged(world(WHOLE[0]))

    assert found.findings == ("silent: 1 pods of small are wished, 0 there, 0 ready",)


def test_a_worker_that_is_missing_for_a_reason_is_told() -> None:
    why = {"type": "Blocked", "status": "True", "reason": "Quota", "message": "exceeded quota"}

    found = judged(world(WHOLE[0], conditions=[why]))

    assert (found.verdict, found.said) == ("said why", ("Blocked Quota: exceeded quota",))


def test_a_spec_without_sense_that_nobody_tells_of_is_found() -> None:
    found = judged(world(*WHOLE, upgradeStrategy={"type": "Sideways"}))

    assert found.findings[0].startswith("silent: nobody says 'spec.upgradeStrategy")


def test_a_refusal_must_name_what_was_changed() -> None:
    message = "worker group names must be unique"
    groups = [{**world()["rayclusters"][0]["spec"]["workerGroupSpecs"][0]} for _ in range(2)]
    told = {"type": "SpecInvalid", "status": "True", "reason": "Invalid"}
    where = {**told, "message": f"spec.workerGroupSpecs[1].groupName: {message}"}
    nowhere = {**told, "message": message}
    groups_changed = Change(path=("workerGroupSpecs",), value=groups)

    named = judged(world(conditions=[where], workerGroupSpecs=groups), groups_changed)
    other = judged(
        world(conditions=[where], workerGroupSpecs=groups), Change(path=("rayVersion",), value="")
    )
    bare = judged(world(conditions=[nowhere], workerGroupSpecs=groups), groups_changed)

    assert (named.verdict, named.findings) == ("said why", ())
    assert [one.partition(":")[0] for one in other.findings] == ["unnamed"]
    assert [one.partition(":")[0] for one in bare.findings] == ["unnamed"]


def test_a_generation_that_was_not_looked_at_is_found() -> None:
    objects = world(*WHOLE)
    objects["rayclusters"][0]["metadata"]["generation"] = 3

    assert judged(objects).findings == ("silent: generation 3 is there, 2 was observed",)


def test_worlds_that_differ_by_what_was_drawn_are_alike() -> None:
    one = portrait("space-a", {"pods": [pod("ray-head-bcdfg", "headgroup")]})
    other = portrait("space-b", {"pods": [pod("ray-head-zzzzz", "headgroup")]})

    assert list(differences(one, other)) == []


def test_what_a_service_keeps_with_its_address_is_no_difference() -> None:
    def serving(policy: str) -> dict[str, list[dict[str, Any]]]:
        metadata = {"name": "ray-head-svc", "uid": "uid-of-service"}
        return {"services": [{"metadata": metadata, "spec": {"ipFamilyPolicy": policy}}]}

    one, other = (portrait("space", serving(each)) for each in ("SingleStack", "PreferDualStack"))

    assert list(differences(one, other)) == []


def test_what_a_job_tells_of_a_cluster_that_was_made_under_a_change_is_left_out() -> None:
    def told(cpu: str) -> dict[str, list[dict[str, Any]]]:
        status = {"rayClusterName": "ray-bcdfg", "rayClusterStatus": {"desiredCPU": cpu}}
        job = {"metadata": {"name": "ray", "uid": "uid-of-job"}, "status": status}
        return {"rayjobs": [job], "rayclusters": [{"metadata": CLUSTER}]}

    fresh, now = portrait("space", told("0")), told("500m")

    assert list(differences(fresh, portrait("space", now))) == [
        "rayjobs.status.rayClusterStatus.desiredCPU: '0' fresh, '500m' now"
    ]
    assert list(differences(fresh, portrait("space", now, {CLUSTER["uid"]}))) == []


def test_a_schedule_that_ran_once_is_as_one_that_never_ran() -> None:
    cron: dict[str, Any] = {
        "metadata": {"name": "ray", "uid": "uid-of-cron"},
        "spec": {"schedule": "* * * * *"},
    }
    ran = {**cron, "status": {"lastScheduleTime": "2030-01-01T00:00:00Z"}}

    fresh = portrait("space-a", {"raycronjobs": [cron]})

    assert list(differences(fresh, portrait("space-b", {"raycronjobs": [ran]}))) == []


def test_what_is_left_of_a_change_is_told_by_its_place() -> None:
    changed = {**pod("ray-head-bcdfg", "headgroup"), "spec": {"hostNetwork": True}}
    fresh = portrait("space-a", {"pods": [pod("ray-head-zzzzz", "headgroup")]})

    assert list(differences(fresh, portrait("space-b", {"pods": [changed]}))) == [
        "pods.spec: None fresh, {'hostNetwork': True} now"
    ]
    aside = {changed["metadata"]["uid"]}
    assert list(differences(fresh, portrait("space-b", {"pods": [changed]}, aside))) == []


def test_a_user_may_hold_what_is_deleted_and_nobody_else_may() -> None:
    held, left = pod("held", "small"), pod("left", "small")
    held["metadata"]["finalizers"] = ["example.com/hold"]

    assert leftovers({"pods": [held, left], "events": [left]}) == ["pods/left"]


def test_what_a_template_says_and_its_pod_has_not_is_found() -> None:
    objects = world(pod("h", "headgroup"))
    template = objects["rayclusters"][0]["spec"]["headGroupSpec"]["template"]
    ray = {**template["spec"]["containers"][0], "env": [{"name": "A", "value": "b"}]}
    wished = {"metadata": {"labels": {"team": "red"}}, "spec": {"containers": [ray]}}
    objects["rayclusters"][0]["spec"]["headGroupSpec"] = {"template": wished}
    made = objects["pods"][0]
    made["spec"] = {"containers": [{**ray, "env": [{"name": "RAY_IP"}, {"name": "A"}]}]}

    assert list(dropped(objects)) == [
        "metadata.labels.team 'red' of group headgroup is not in its pod",
        "spec.containers[0].env[0].value 'b' of group headgroup is not in its pod",
    ]
    made["metadata"]["labels"]["team"] = "red"
    made["spec"]["containers"][0]["env"][1]["value"] = "b"
    assert list(dropped(objects)) == []
