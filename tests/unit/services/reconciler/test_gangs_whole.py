"""Gangs from end to end: every service, a cluster that serves the scheduler's kinds or does not."""

from collections.abc import Mapping
from copy import deepcopy

from sandbox.objects import Object
from shared.kernel.features import WORKLOAD_AWARE_SCHEDULING, Features
from shared.kernel.manifests import entries_at, text_at
from shared.runtime.settings import RuleSettings
from tests.support.builders import cluster_spec, group
from tests.support.whole import Whole, whole

VOLCANO = RuleSettings(batch_scheduler="volcano")
PLUGINS = RuleSettings(batch_scheduler="scheduler-plugins")
KUBERNETES = RuleSettings(
    feature_gates=Features(enabled=Features().enabled | {WORKLOAD_AWARE_SCHEDULING})
)
VOLCANOS = "podgroups.scheduling.volcano.sh"
GANG = {"ray.io/gang-scheduling-enabled": "true"}


def definition(api: str, version: str, kind: str) -> Object:
    """Return a definition that takes anything, as other projects' are to us."""
    plural = f"{kind.lower()}s"
    shape = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = {"name": version, "served": True, "storage": True}
    return {
        "metadata": {"name": f"{plural}.{api}", "annotations": {"api-approved.kubernetes.io": "x"}},
        "spec": {
            "group": api,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [{**served, "schema": {"openAPIV3Schema": shape}}],
        },
    }


def serve(here: Whole, api: str, version: str, *kinds: str) -> None:
    for kind in kinds:
        here.cluster.create("customresourcedefinitions", definition(api, version, kind))


def make(here: Whole, replicas: int) -> None:
    here.cluster.create(
        "rayclusters",
        {
            "metadata": {"name": "demo", "namespace": "default", "labels": GANG},
            "spec": cluster_spec(group("small", replicas)),
        },
    )


def scale(here: Whole, replicas: int) -> None:
    seen = deepcopy(here.cluster.get("rayclusters", "default", "demo"))
    seen["spec"]["workerGroupSpecs"][0]["replicas"] = replicas
    here.cluster.update("rayclusters", seen)


def version(raw: Object) -> int:
    return int(text_at(raw, "metadata", "resourceVersion"))


def ready(here: Whole, pods: int) -> bool:
    return here.state("demo") == "ready" and len(here.left("pods")) == pods


def condition(here: Whole, word: str) -> Mapping[str, object]:
    seen = here.cluster.get("rayclusters", "default", "demo")
    conditions = entries_at(seen, "status", "conditions")
    return next((one for one in conditions if one["type"] == word), {})


async def test_volcano_has_its_group_before_the_pods_and_in_step_with_them() -> None:
    async with whole(rules=VOLCANO) as here:
        serve(here, "scheduling.volcano.sh", "v1beta1", "PodGroup")
        make(here, 2)
        await here.until(lambda: bool(here.left(VOLCANOS)))
        [made] = here.left(VOLCANOS)
        assert made["spec"]["minMember"] == 3
        assert here.left("pods") == ()
        await here.until(lambda: ready(here, 3))

        assert {pod["spec"]["schedulerName"] for pod in here.left("pods")} == {"volcano"}
        scale(here, 3)
        await here.until(lambda: ready(here, 4))
        [changed] = here.left(VOLCANOS)

    assert changed["spec"]["minMember"] == 4
    assert changed["metadata"]["uid"] == made["metadata"]["uid"]
    assert here.asked[f"create {VOLCANOS}"] == 1
    assert here.asked[f"patch {VOLCANOS}"] == 1


async def test_a_scheduler_that_is_not_installed_blocks_its_clusters_and_says_so() -> None:
    async with whole(rules=VOLCANO) as here:
        make(here, 1)
        await here.until(lambda: bool(condition(here, "Blocked")))
        told, failed = condition(here, "Blocked"), condition(here, "ReplicaFailure")
        await here.until(lambda: bool(here.left("services")))
        assert here.left("pods") == ()

        serve(here, "scheduling.volcano.sh", "v1beta1", "PodGroup")
        await here.until(lambda: ready(here, 2))
        await here.until(lambda: not condition(here, "Blocked"))

    assert (failed["status"], failed["reason"]) == ("True", "FailedCreatePodGroup")
    assert told["message"] == (
        "volcanopodgroup ray-demo-pg: the cluster serves no podgroups of "
        "scheduling.volcano.sh/v1beta1: is its definition installed, in this version?"
    )


async def test_plugins_have_a_group_of_the_clusters_name() -> None:
    async with whole(rules=PLUGINS) as here:
        serve(here, "scheduling.x-k8s.io", "v1alpha1", "PodGroup")
        make(here, 1)
        await here.until(lambda: ready(here, 2))
        [made] = here.left("podgroups.scheduling.x-k8s.io")

    assert (made["metadata"]["name"], made["spec"]["minMember"]) == ("demo", 2)


async def test_kubernetes_gang_is_replaced_when_its_size_changes() -> None:
    async with whole(rules=KUBERNETES) as here:
        serve(here, "scheduling.k8s.io", "v1alpha2", "Workload", "PodGroup")
        make(here, 1)
        await here.until(lambda: ready(here, 2))
        groups, workloads = "podgroups.scheduling.k8s.io", "workloads.scheduling.k8s.io"
        [before] = here.left(groups)
        protected = deepcopy(before)
        protected["metadata"]["finalizers"] = ["scheduling.k8s.io/podgroup-protection"]
        here.cluster.update(groups, protected)

        scale(here, 2)
        await here.until(lambda: ready(here, 3))
        [after], [workload] = here.left(groups), here.left(workloads)

    assert after["spec"]["schedulingPolicy"] == {"gang": {"minCount": 3}}
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert version(workload) < version(after)
    for pod in here.left("pods"):
        assert pod["spec"]["schedulingGroup"] == {"podGroupName": "demo-cluster"}
