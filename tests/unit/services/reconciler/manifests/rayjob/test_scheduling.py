"""Marks and PodGroups of RayJobs for batch schedulers."""

import json

from msgspec.structs import replace

from services.reconciler.manifests.rayjob.cluster import raycluster_manifest
from services.reconciler.manifests.rayjob.scheduling import job_pod_group
from services.reconciler.manifests.rayjob.submitter import submitter_job
from services.reconciler.manifests.rayjob.wished import cluster_as_wished
from shared.kernel.manifests import entries_at, mapping_at
from shared.kernel.schedulers import VOLCANO, YUNIKORN
from shared.resources.rayjob import RayJob
from tests.support.builders import Raw, cluster_spec, group
from tests.support.rayjobs import UID
from tests.unit.services.reconciler.manifests.rayjob.attempts import (
    SETTINGS,
    attempt_at,
    job_of,
)

GANG = "ray.io/gang-scheduling-enabled"
TASK_GROUPS = "yunikorn.apache.org/task-groups"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def cluster_of(job: RayJob, scheduler: str) -> Raw:
    settings = replace(SETTINGS, batch_scheduler=scheduler)
    return dict(
        mapping_at(raycluster_manifest(attempt_at(job), settings, restarts=False), "metadata")
    )


def template_of(job: RayJob, scheduler: str, cluster: Raw | None = None) -> Raw:
    settings = replace(SETTINGS, batch_scheduler=scheduler)
    whole = submitter_job(attempt_at(job, cluster=cluster), settings)
    return dict(mapping_at(whole, "spec", "template"))


def test_volcanos_pod_group() -> None:
    """RayJob checklist 94: named, owned and described as the RayJob; queue and priority."""
    job = job_of(
        labels={"volcano.sh/queue-name": "q", "ray.io/priority-class-name": "high"},
        annotations={"team": "red", LAST_APPLIED: "{}"},
        rayClusterSpec=cluster_spec(group("small", 2, numOfHosts=2)),
    )
    wished = cluster_as_wished(job, "rj-b5d7k")
    assert wished is not None
    made = job_pod_group(job, wished)
    metadata, spec = mapping_at(made, "metadata"), mapping_at(made, "spec")

    assert (metadata["name"], metadata["annotations"]) == ("ray-rj-pg", {"team": "red"})
    (owner,) = entries_at(metadata, "ownerReferences")
    assert (owner["kind"], owner["uid"], owner["controller"]) == ("RayJob", UID, True)
    assert (spec["minMember"], spec["queue"], spec["priorityClassName"]) == (5, "q", "high")
    assert spec["minResources"] == {"cpu": "500m", "memory": "200Mi"}


def test_volcanos_gang_of_an_autoscaled_cluster_is_the_smallest() -> None:
    spec = cluster_spec(group("small", 3, minReplicas=1), enableInTreeAutoscaling=True)
    job = job_of(rayClusterSpec=spec)
    wished = cluster_as_wished(job, "rj-b5d7k")
    assert wished is not None

    assert mapping_at(job_pod_group(job, wished), "spec")["minMember"] == 2


def test_volcanos_marks() -> None:
    job = job_of(labels={"volcano.sh/queue-name": "q", "ray.io/priority-class-name": "high"})
    template = template_of(job, VOLCANO)
    metadata = mapping_at(template, "metadata")

    assert cluster_of(job, VOLCANO)["annotations"] == {
        "scheduling.k8s.io/group-name": "ray-rj-pg",
        "volcano.sh/task-spec": "",
    }
    assert metadata["annotations"] == {
        "scheduling.k8s.io/group-name": "ray-rj-pg",
        "volcano.sh/task-spec": "submittergroup",
    }
    labels = mapping_at(metadata, "labels")
    assert (labels["volcano.sh/queue-name"], labels["ray.io/priority-class-name"]) == ("q", "high")
    assert mapping_at(template, "spec")["schedulerName"] == "volcano"


def test_yunikorns_marks_and_gang() -> None:
    job = job_of(
        labels={
            "yunikorn.apache.org/app-id": "app",
            "yunikorn.apache.org/queue": "root.a",
            GANG: "true",
        },
        rayClusterSpec=cluster_spec(group("small", 2, minReplicas=2)),
    )
    template, cluster = template_of(job, YUNIKORN), cluster_of(job, YUNIKORN)
    metadata = mapping_at(template, "metadata")
    described = json.loads(str(mapping_at(metadata, "annotations")[TASK_GROUPS]))

    assert [(one["name"], one["minMember"]) for one in described] == [
        ("headgroup", 1),
        ("small", 2),
        ("submittergroup", 1),
    ]
    assert described[-1]["minResource"] == {"cpu": "500m", "memory": "200Mi"}
    assert mapping_at(metadata, "annotations")["yunikorn.apache.org/task-group-name"] == (
        "submittergroup"
    )
    assert mapping_at(cluster, "annotations") == {
        TASK_GROUPS: mapping_at(metadata, "annotations")[TASK_GROUPS]
    }
    for labels in (mapping_at(metadata, "labels"), mapping_at(cluster, "labels")):
        assert (labels["applicationId"], labels["queue"]) == ("app", "root.a")
    assert mapping_at(template, "spec")["schedulerName"] == "yunikorn"


def test_the_users_own_gang_wins() -> None:
    job = job_of(labels={GANG: ""}, annotations={TASK_GROUPS: "[]"})

    assert mapping_at(cluster_of(job, YUNIKORN), "annotations")[TASK_GROUPS] == "[]"


def test_a_selected_cluster_of_which_nothing_is_known_is_no_gang() -> None:
    job = job_of(
        labels={GANG: "true"}, rayClusterSpec=None, clusterSelector={"ray.io/cluster": "mine"}
    )
    other: Raw = {"metadata": {"name": "mine", "namespace": "ns"}, "spec": cluster_spec(group())}
    template = template_of(job, YUNIKORN, other)

    assert mapping_at(template, "metadata", "annotations") == {}
    assert mapping_at(template, "spec")["schedulerName"] == "yunikorn"


def test_without_a_scheduler_and_without_a_submitter_there_are_no_marks() -> None:
    job = job_of("HTTPMode", labels={GANG: "true"})

    assert "annotations" not in cluster_of(job, VOLCANO)
    assert "annotations" not in cluster_of(job_of(labels={GANG: "true"}), "")
    assert "schedulerName" not in mapping_at(template_of(job_of(), ""), "spec")
