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
    refused,
    status,
)
from tests.e2e.jobs.samples import SAMPLES
from tests.support.fleet import manifest

FAMILY = "samples"
PLURALS = {
    "RayCluster": "rayclusters",
    "RayJob": "rayjobs",
    "RayService": "rayservices",
    "RayCronJob": "raycronjobs",
}
BESIDE = {"ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding", "PersistentVolumeClaim"}
ENDS = {"Complete", "Failed", "Waiting", "Suspended", "ValidationFailed"}
REFUSED = {"ray-cluster.mtls.yaml"}
"""Without cert-manager there are no certificates, and both say so."""
FILLED_IN = re.compile(r"\$(KSA_NAME|VLLM_IMAGE|GSBUCKET)")
"""What a sample leaves to its reader."""
ENDS_ALONE = {"ray-job.deletion-rules.yaml"}
"""Those whose own rules delete them."""
LONG = 200.0
SOON = 60


def samples() -> list[Story]:
    """Return a story for each sample; none where the samples are not at hand."""
    return list(_stories()) if SAMPLES.is_dir() else []


def _stories() -> Iterator[Story]:
    for path in sorted(SAMPLES.rglob("*.yaml")):
        text = FILLED_IN.sub("filled-in", path.read_text())
        documents = [each for each in yaml.safe_load_all(text) if each]
        ours = [each for each in documents if each["kind"] in PLURALS]
        if ours:
            [body] = ours
            beside = [each for each in documents if each["kind"] in BESIDE]
            beside += [*_accounts(text, beside), *_selected(body)]
            yield _story(path, _named(body), beside)


def _named(body: Any) -> Any:
    """Return a manifest with a name; a drawn one is as good as any."""
    metadata = dict(body["metadata"])
    drawn = metadata.pop("generateName", "").rstrip("-")
    return {**body, "metadata": {"name": drawn, **metadata}}


def _selected(body: Any) -> Iterator[Json]:
    """Yield the cluster that a job expects to be there."""
    for name in (body["spec"].get("clusterSelector") or {}).values():
        yield manifest(name, 1)


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
        until=refused if path.name in REFUSED else rests(plural, named, cleans_up(body["spec"])),
        patience=LONG,
    )
    made = [
        (PLURALS[each["kind"]], each["metadata"]["name"])
        for each in (body, *beside)
        if each["kind"] in PLURALS
    ]
    delete = Step(
        name="delete",
        deeds=()
        if path.name in ENDS_ALONE
        else tuple(Delete(plural=kind, name=one) for kind, one in made),
        until=lambda objects: not any(objects.get(kind) for kind in ("pods", *PLURALS.values())),
        patience=LONG,
    )
    return Story(name=name[:60].rstrip("-"), family=FAMILY, steps=(create, delete))


def cleans_up(spec: Json) -> bool:
    """Tell whether a job's cluster goes so soon that we wait for it."""
    lasts = spec.get("ttlSecondsAfterFinished", 0)
    return bool(spec.get("shutdownAfterJobFinishes")) and lasts <= SOON


def rests(plural: str, name: str, gone: bool) -> Goal:
    """Wait until a resource is where it wants to be, by its status and what is gone."""

    def holds(objects: Objects) -> bool:
        if gone and objects.get("rayclusters"):
            return False
        told = status(objects, plural, name)
        if plural == "rayclusters":
            return told.get("state") == "ready"
        if plural == "rayjobs":
            return told.get("jobDeploymentStatus") in ENDS
        if plural == "raycronjobs":
            return ran_once(objects)
        conditions = told.get("conditions", ())
        ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
        return ready and len(live(objects.get("rayclusters", ()))) == 1

    return holds


def ran_once(objects: Objects) -> bool:
    """Tell whether a schedule has made a job, and that one has ended."""
    jobs = objects.get("rayjobs", ())
    ended = (one.get("status", {}).get("jobDeploymentStatus") in ENDS for one in jobs)
    return bool(jobs) and all(ended)
