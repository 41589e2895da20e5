"""What befell a RayCluster or its pods, staged on the whole system: `why` names the true cause."""

from copy import deepcopy
from typing import Any

import pytest

from heliograph.views.findings import Why
from sandbox.controllers.scenario import ContainerExit, PodRule
from sandbox.errors import ApiError
from shared.runtime.settings import BudgetSettings
from tests.support.builders import cluster_spec, group
from tests.support.incidents import CLUSTER, NAME, PLACE, Scene, scene
from tests.support.whole import whole

QUOTA = "exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1"
WEBHOOK = 'admission webhook "pods.corp.example" denied the request: no owner label'


def pod(name: str) -> str:
    return f"pod/{PLACE}/{name}"


def sized(replicas: int, **more: object) -> Any:
    return lambda spec: spec["workerGroupSpecs"][0].update(replicas=replicas, **more)


def rules_of(found: Why) -> list[str]:
    return [link.rule for link in found.links if link.rule]


async def test_a_head_that_ran_out_of_memory() -> None:
    async with scene() as staged:
        now = staged.here.server.clock.now()
        killed = ContainerExit(at=now, exit_code=137, reason="OOMKilled")
        staged.suffers(PodRule(name="*head*", exits=(killed,)))
        await staged.settle()
        head = staged.pods("head")[0]
        cluster, itself = await staged.why(CLUSTER), await staged.why(pod(head))

    clause = f"container ray of pod {head} ran out of memory (OOMKilled)"
    assert (cluster.cause, itself.cause) == ("OutOfMemory", "OutOfMemory")
    assert cluster.sentence == f"raycluster demo is ready; the last that befell it: {clause}"
    assert itself.sentence == f"pod {head} is ready again: {clause}"
    assert rules_of(itself) == ["head"]


async def test_an_image_that_cannot_be_pulled() -> None:
    async with scene(rule=PodRule(image_pull_error="manifest unknown")) as staged:
        head = staged.pods("head")[0]
        cluster, itself = await staged.why(CLUSTER), await staged.why(pod(head))

    assert (cluster.cause, itself.cause) == ("ImagePull", "ImagePull")
    assert cluster.sentence.startswith(f"raycluster demo is not ready yet and waits for pod {head}")
    assert "manifest unknown" in cluster.sentence
    assert "manifest unknown" in itself.sentence
    assert [wait.cause for wait in cluster.waits] == ["ImagePull"] * 3


async def test_a_quota_that_is_used_up() -> None:
    async with scene(group("small", 0)) as staged:
        staged.refuse(QUOTA, "worker")
        staged.edit(sized(2), by="kubectl-edit")
        await staged.settle(30)
        found = await staged.why(CLUSTER)

    assert found.cause == "Quota"
    assert QUOTA in found.sentence
    assert "kubectl-edit" in found.links[-1].text, "the chain goes on to who wanted more"
    assert found.waits[0].text.endswith("for 30 s now")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ApiError.internal("etcdserver: mvcc: database space exceeded"), "Unavailable"),
        (ApiError.internal('failed calling webhook "x": no route to host'), "Webhook"),
        (ApiError.too_many_requests(), "Unavailable"),
    ],
)
async def test_an_api_server_that_does_not_manage(error: ApiError, cause: str) -> None:
    async with scene(group("small", 0)) as staged:
        staged.fail(error)
        staged.edit(sized(2), by="kubectl-edit")
        await staged.settle(600)
        found, records = await staged.why(CLUSTER), len(await staged.records())
        staged.relent()
        await staged.settle(120)
        workers = staged.pods("worker")
        warned = [one["reason"] for one in staged.here.left("events") if one["type"] == "Warning"]

    assert found.cause == cause
    assert str(error) in found.sentence
    assert [wait.cause for wait in found.waits] == [cause]
    assert records < 200, "ten minutes of one error do not fill the log"
    assert warned == [], "the condition tells it; nobody is told at every try"
    assert len(workers) == 2


async def test_a_pod_that_somebody_deleted() -> None:
    async with scene() as staged:
        lost, kept = staged.pods("worker")
        staged.here.cluster.delete("pods", PLACE, lost)
        await staged.settle()
        (other,) = set(staged.pods("worker")) - {kept}
        gone, instead = await staged.why(pod(lost)), await staged.why(pod(other))

    assert (gone.cause, instead.cause) == ("SomebodyDeleted", "SomebodyDeleted")
    assert gone.sentence == (
        f"pod {lost} is gone because somebody else deleted pod {lost}: "
        "no act of ours names it and nothing was wrong with it"
    )
    assert gone.hints
    assert instead.sentence.startswith(f"pod {other} is ready, made because somebody else deleted")
    assert rules_of(instead) == ["worker_groups"]


async def test_a_cluster_that_somebody_deleted() -> None:
    async with scene() as staged:
        worker = staged.pods("worker")[0]
        staged.here.cluster.delete("rayclusters", PLACE, NAME, propagation="Background")
        await staged.settle()
        cluster, below = await staged.why(CLUSTER), await staged.why(pod(worker))

    assert (cluster.cause, below.cause) == ("SomebodyDeleted", "OwnerGone")
    assert cluster.sentence.startswith("raycluster demo is gone because somebody deleted")
    assert below.sentence.startswith(f"pod {worker} is gone because somebody deleted raycluster")


async def test_a_worker_that_the_autoscaler_sent_away() -> None:
    async with scene(enableInTreeAutoscaling=True) as staged:
        idle = staged.pods("worker")[0]
        staged.edit(sized(1, scaleStrategy={"workersToDelete": [idle]}), by="python-requests")
        await staged.settle()
        found = await staged.why(pod(idle))

    assert found.cause == "Autoscaler"
    assert "the Ray autoscaler (python-requests) changed demo" in found.sentence
    assert rules_of(found) == ["workers_to_delete"]


async def test_a_size_that_a_person_changed() -> None:
    async with scene() as staged:
        before = set(staged.pods("worker"))
        staged.edit(sized(1), by="kubectl-edit")
        await staged.settle()
        (gone,) = before - set(staged.pods("worker"))
        found = await staged.why(pod(gone))

    assert found.cause == "SpecEdit"
    assert found.sentence == (
        f"pod {gone} is gone because kubectl-edit changed demo: "
        "spec.workerGroupSpecs[0].replicas: 2 -> 1"
    )
    assert [link.what for link in found.links] == ["seen", "done", "decided", "seen"]


async def test_a_node_that_was_lost() -> None:
    async with scene() as staged:
        lost = staged.pods("worker")[0]
        staged.suffers(PodRule(name=lost, lost_node=True))
        await staged.settle()
        silent = await staged.why(CLUSTER)
        sent_away(staged, lost, "DeletionByTaintManager", "deleting due to NoExecute taint")
        staged.here.cluster.delete("pods", PLACE, lost)
        await staged.settle(5)
        staged.here.cluster.delete("pods", PLACE, lost, grace_seconds=0)
        await staged.settle()
        gone = await staged.why(pod(lost))

    assert (silent.cause, gone.cause) == ("NotReady", "NodeLost")
    assert "its node sandbox may be lost" in silent.sentence
    assert f"pod {lost} lost its node sandbox" in gone.sentence


def sent_away(staged: Scene, name: str, reason: str, message: str) -> None:
    """Kubernetes says on a pod why it sends it away."""
    seen = deepcopy(staged.here.cluster.get("pods", PLACE, name))
    told = {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": message}
    status = {"conditions": [*seen["status"]["conditions"], told]}
    staged.here.cluster.patch("pods", PLACE, name, {"status": status}, subresource="status")


async def test_a_pod_that_its_node_evicted() -> None:
    async with scene() as staged:
        evicted = staged.pods("worker")[0]
        staged.suffers(PodRule(name=evicted, evicted_at=staged.here.server.clock.now()))
        await staged.settle()
        found = await staged.why(pod(evicted))

    assert found.cause == "Evicted"
    assert "The node was low on resource: memory." in found.sentence
    assert rules_of(found) == ["unhealthy"]


@pytest.mark.parametrize(
    ("reason", "cause", "words"),
    [
        ("EvictionByEvictionAPI", "Evicted", "through the eviction API"),
        ("PreemptionByScheduler", "Preempted", "for a pod of higher priority"),
    ],
)
async def test_a_pod_that_kubernetes_sent_away(reason: str, cause: str, words: str) -> None:
    async with scene() as staged:
        name = staged.pods("worker")[0]
        sent_away(staged, name, reason, "make room")
        staged.here.cluster.delete("pods", PLACE, name)
        await staged.settle()
        found = await staged.why(pod(name))

    assert found.cause == cause
    assert words in found.sentence


async def test_a_cluster_that_was_suspended() -> None:
    async with scene() as staged:
        worker = staged.pods("worker")[0]
        staged.edit(lambda spec: spec.update(suspend=True), by="kueue-manager")
        await staged.settle()
        cluster, below = await staged.why(CLUSTER), await staged.why(pod(worker))

    clause = "because kueue-manager changed demo: spec.suspend: none -> True"
    assert (cluster.cause, below.cause) == ("Suspended", "Suspended")
    assert cluster.sentence == f"raycluster demo is suspended {clause}"
    assert below.sentence == f"pod {worker} is gone {clause}"
    assert [link.what for link in below.links] == ["seen", "done", "decided", "told", "seen"]


async def test_a_webhook_that_refuses_and_relents() -> None:
    async with scene() as staged:
        staged.refuse(WEBHOOK, "head")
        staged.here.cluster.delete("pods", PLACE, staged.pods("head")[0])
        await staged.settle()
        during = await staged.why(CLUSTER)
        staged.relent()
        await staged.settle(200)
        after = await staged.why(CLUSTER)

    assert (during.cause, after.cause) == ("Webhook", "Webhook")
    assert WEBHOOK in during.sentence
    assert during.waits
    assert after.sentence.startswith("raycluster demo is ready; the last that befell it: the API")
    assert not after.waits


async def test_a_finalizer_of_somebody_else() -> None:
    async with scene() as staged:
        held = {"metadata": {"finalizers": ["corp.example/audit"]}}
        staged.here.cluster.patch("rayclusters", PLACE, NAME, held)
        staged.here.cluster.delete("rayclusters", PLACE, NAME, propagation="Background")
        await staged.settle()
        found = await staged.why(CLUSTER)

    assert found.cause == "Finalizer"
    assert found.sentence == (
        "raycluster demo is being deleted and waits for finalizer corp.example/audit: "
        "it is somebody else's, who has to take it away"
    )


async def test_an_upgrade_by_recreation() -> None:
    async with scene(upgradeStrategy={"type": "Recreate"}) as staged:
        head, worker = staged.pods("head")[0], staged.pods("worker")[0]
        staged.edit(_newer, by="argocd-controller")
        await staged.settle()
        old, new = await staged.why(pod(worker)), await staged.why(pod(head))

    assert (old.cause, new.cause) == ("Upgrade", "Upgrade")
    assert "argocd-controller changed demo" in old.sentence
    assert "ray:2.46.0 -> rayproject/ray:2.47.0" in new.sentence
    assert rules_of(old) == ["recreate"]


def _newer(spec: Any) -> None:
    containers = spec["headGroupSpec"]["template"]["spec"]["containers"]
    containers[0]["image"] = "rayproject/ray:2.47.0"


async def test_a_name_that_is_somebody_elses() -> None:
    async with whole() as here:
        staged = Scene(here)
        taken = {"metadata": {"name": "demo-head-svc"}, "spec": {"ports": [{"port": 1}]}}
        here.cluster.create("services", taken)
        staged.create(cluster_spec())
        await staged.settle()
        cluster = await staged.why(CLUSTER)
        service = await staged.why(f"service/{PLACE}/demo-head-svc")

    assert (cluster.cause, service.cause) == ("Occupied", "Occupied")
    assert "service demo-head-svc exists and belongs to something else" in cluster.sentence
    assert service.sentence.startswith("service demo-head-svc was never made because the name is")


async def test_deletions_beyond_the_budget() -> None:
    """The breaker: what was wished waits for people, and the cluster says so itself."""
    async with whole(budgets=BudgetSettings(budget_resource=1)) as here:
        staged = Scene(here)
        staged.create(cluster_spec(group("small", 3)))
        await staged.settle()
        staged.edit(sized(0), by="kubectl-edit")
        await staged.settle(30)
        found = await staged.why(CLUSTER)
        status = here.cluster.get("rayclusters", PLACE, NAME)["status"]
        left = staged.pods("worker")

    (told,) = [one for one in status["conditions"] if one["type"] == "Blocked"]
    assert len(left) == 2
    assert found.cause == told["reason"] == "Breaker"
    assert "held back: 1 deletions" in found.sentence
    assert "held back: 1 deletions" in told["message"]
    assert "kubectl-edit" in found.links[-1].text


async def test_an_edit_that_somebody_else_takes_back() -> None:
    """A conflict of two writers: the last one is named, and what it undid."""
    async with scene() as staged:
        staged.edit(sized(3), by="kubectl-edit")
        await staged.settle()
        before = set(staged.pods("worker"))
        staged.edit(sized(2), by="argocd-controller")
        await staged.settle()
        (gone,) = before - set(staged.pods("worker"))
        found = await staged.why(pod(gone))

    assert found.cause == "SpecEdit"
    assert "argocd-controller changed demo" in found.sentence
    assert found.sentence.endswith("replicas: 3 -> 2")


async def test_a_cluster_that_simply_came_up() -> None:
    async with scene() as staged:
        found = await staged.why(CLUSTER)
        service = await staged.why(f"service/{PLACE}/demo-head-svc")

    assert found.cause == service.cause == "Created"
    assert found.sentence.endswith("kubectl-create created raycluster demo")
    assert service.sentence.endswith("made because kubectl-create created raycluster demo")
    assert not found.waits
