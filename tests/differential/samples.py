"""KubeRay's own samples, as they stand in their files: made, brought to rest, deleted."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.differential.stories import (
    Create,
    Delete,
    Goal,
    Json,
    Objects,
    Step,
    Story,
    live,
    status,
)
from tests.e2e.jobs.samples import SAMPLES

FAMILY = "samples"
PLURALS = {
    "RayCluster": "rayclusters",
    "RayJob": "rayjobs",
    "RayService": "rayservices",
    "RayCronJob": "raycronjobs",
}
BESIDE = {"ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding", "PersistentVolumeClaim"}
ENDS = {"Complete", "Failed", "Waiting", "Suspended", "ValidationFailed"}
LEFT_OUT = {
    "ray-job.tpu-v6e-256-multihost.yaml": "KubeRay cannot read its resources, and never gets on",
    "ray-service.vllm-tpu-v6e-singlehost.yaml": "a template: an account is to be filled in",
    "ray-cluster.historyserver.yaml": "new in KubeRay 1.7",
    "ray-job.deletion-rules.yaml": "its rules take longer than a story",
    "ray-job.use-existing-raycluster.yaml": "told as job-selecting",
    "ray-job.yunikorn-scheduler.yaml": "needs that scheduler",
    "ray-cluster.yunikorn-scheduler.yaml": "needs that scheduler",
    "ray-cluster.volcano-scheduler.yaml": "needs that scheduler",
    "ray-cluster.kai-scheduler.yaml": "needs that scheduler",
    "ray-cluster.scheduler-plugins.yaml": "needs that scheduler",
    "ray-service.incremental-upgrade.yaml": "needs a Gateway",
    "ray-cronjob.sample.yaml": "its runs depend on the minute",
    "ray-cluster.mtls.yaml": "new in KubeRay 1.7",
    "ray-cluster.network-policy-deny-all.yaml": "new in KubeRay 1.7",
    "ray-cluster.embedded-gcs-ft.yaml": "new in KubeRay 1.7",
}


def samples() -> list[Story]:
    """Return a story for each sample; none where the samples are not at hand."""
    return list(_stories()) if SAMPLES.is_dir() else []


def _stories() -> Iterator[Story]:
    for path in sorted(SAMPLES.rglob("*.yaml")):
        if path.name in LEFT_OUT:
            continue
        documents = [each for each in yaml.safe_load_all(path.read_text()) if each]
        ours = [each for each in documents if each["kind"] in PLURALS]
        if len(ours) == 1 and "name" in ours[0]["metadata"]:
            beside = [each for each in documents if each["kind"] in BESIDE]
            yield _story(path, ours[0], [*_accounts(path.read_text(), beside), *beside])


def node_labels() -> list[dict[str, str]]:
    """Return what nodes must be called for the pods of all samples to find a place."""
    templates = [
        group["template"]["spec"].get("nodeSelector") or {}
        for story in samples()
        for deed in story.steps[0].deeds
        if isinstance(deed, Create)
        for group in _groups(deed.manifest.get("spec") or {})
    ]
    return [labels for number, labels in enumerate(templates) if labels not in templates[:number]]


def _groups(spec: Json) -> Iterator[Any]:
    cluster = spec.get("rayClusterSpec") or spec.get("rayClusterConfig") or spec
    if "headGroupSpec" in cluster:
        yield from (cluster["headGroupSpec"], *cluster.get("workerGroupSpecs", ()))


def _accounts(text: str, beside: list[Any]) -> list[Any]:
    """Return the accounts that a sample names and leaves to its reader: pods need them."""
    there = {one["metadata"]["name"] for one in beside if one["kind"] == "ServiceAccount"}
    named = set(re.findall(r"serviceAccountName: ([a-z0-9-]+)", text))
    body = {"apiVersion": "v1", "kind": "ServiceAccount"}
    return [{**body, "metadata": {"name": name}} for name in sorted(named - there)]


def _story(path: Path, body: Any, beside: list[Any]) -> Story:
    stem = path.name.removesuffix(".yaml").lower()
    name = "sample-" + "".join(letter if letter.isalnum() else "-" for letter in stem)
    plural, named = PLURALS[body["kind"]], body["metadata"]["name"]
    create = Step(
        name="create",
        deeds=tuple(Create(manifest=each) for each in (*beside, body)),
        until=rests(plural, named),
    )
    delete = Step(
        name="delete",
        deeds=(Delete(plural=plural, name=named),),
        until=lambda objects: not any(objects.get(kind) for kind in ("pods", *PLURALS.values())),
    )
    return Story(name=name[:60].rstrip("-"), family=FAMILY, steps=(create, delete))


def rests(plural: str, name: str) -> Goal:
    """Wait until a resource is where it wants to be, by what its status says."""

    def holds(objects: Objects) -> bool:
        told = status(objects, plural, name)
        if plural == "rayclusters":
            return told.get("state") == "ready"
        if plural == "rayjobs":
            return told.get("jobDeploymentStatus") in ENDS
        conditions = told.get("conditions", ())
        ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
        return ready and len(live(objects.get("rayclusters", ()))) == 1

    return holds
