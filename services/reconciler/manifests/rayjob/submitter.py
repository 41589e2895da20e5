"""Whoever submits: the Kubernetes Job of K8sJobMode, the container beside the head of SidecarMode.

A template that the user wrote is taken as it is, but for the command where there is none, the
variables that every submitter gets, and the labels that say whose it is.
"""

from msgspec import Struct

from services.reconciler.manifests.names import auth_secret_name
from services.reconciler.manifests.rayjob.command import Submission, submit_command
from services.reconciler.manifests.rayjob.scheduling import SUBMITTER_GROUP, Marks, marks
from services.reconciler.manifests.rayjob.wished import cluster_as_wished
from services.reconciler.manifests.rayjob.words import (
    SUBMITTER_RESOURCES,
    origin,
    owner_reference,
)
from services.reconciler.manifests.services import head_ports
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import entries_at, mapping_at, text_at, texts_at, thawed
from shared.resources import labels as words
from shared.resources.predicates import kubernetes_token_auth, ray_container, token_auth
from shared.resources.raycluster import RayCluster
from shared.resources.rayjob import RayJob

CONTAINER = "ray-job-submitter"
BACKOFF_LIMIT = 2
DASHBOARD_PORT = 8265
TOKEN_KEY = "auth_token"  # noqa: S105 - the name of a key, not a secret
_TOKEN_VOLUME = "ray-token"  # noqa: S105 - the name of a volume, not a secret
_TOKEN_FOLDER = "/var/run/secrets/ray.io/serviceaccount"  # noqa: S105 - a folder


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt at a RayJob: the cluster it runs on, the id of its Ray job, its dashboard."""

    job: RayJob
    cluster: RayCluster
    job_id: str
    address: str = ""


def submitter_job(attempt: Attempt, settings: ManifestSettings) -> dict[str, object]:
    """Return the Kubernetes Job that submits."""
    job = attempt.job
    labels = origin(job) | {words.CREATED_BY: words.CREATOR}
    wished = cluster_as_wished(job, attempt.cluster.name)
    scheduled = marks(job, wished, settings.scheduler, SUBMITTER_GROUP)
    given = job.spec.submitter_config
    limit = given.backoff_limit if given else None
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": job.name,
            "namespace": job.namespace,
            "labels": labels,
            "ownerReferences": [owner_reference(job)],
        },
        "spec": {
            "backoffLimit": BACKOFF_LIMIT if limit is None else limit,
            "template": _scheduled(_template(attempt, settings, labels), scheduled),
        },
    }


def sidecar(attempt: Attempt, settings: ManifestSettings, *, restarts: bool) -> dict[str, object]:
    """Return the container that submits from beside the head."""
    port = head_ports(attempt.cluster).get("dashboard", DASHBOARD_PORT)
    submission = Submission(
        address=f"http://127.0.0.1:{port}",
        health=f"http://localhost:{port}/api/gcs_healthz",
        job_id=attempt.job_id,
        checks=restarts,
    )
    container = _default_container(attempt.cluster)
    _command(container, attempt.job, submission, settings)
    _environment(container, attempt)
    _authorise(container, {}, attempt.cluster)
    return container | ({"restartPolicy": "OnFailure"} if restarts else {})


def _template(
    attempt: Attempt, settings: ManifestSettings, labels: dict[str, str]
) -> dict[str, object]:
    given = attempt.job.spec.submitter_pod_template
    template = thawed(given) if given is not None else _default_template(attempt.cluster)
    metadata = dict(mapping_at(template, "metadata"))
    metadata["labels"] = texts_at(metadata, "labels") | labels
    spec = dict(mapping_at(template, "spec"))
    containers = [dict(one) for one in entries_at(spec, "containers")]
    if containers:
        first = containers[0]
        address = http_address(attempt.address)
        submission = Submission(
            address=address,
            health=f"{address}/api/gcs_healthz",
            job_id=attempt.job_id,
            checks=True,
        )
        if not first.get("command"):
            _command(first, attempt.job, submission, settings)
        _environment(first, attempt)
        _authorise(first, spec, attempt.cluster)
        spec["containers"] = containers
    return {**template, "metadata": metadata, "spec": spec}


def _scheduled(template: dict[str, object], scheduled: Marks) -> dict[str, object]:
    """Give a pod template to the batch scheduler in use, if there is one."""
    if not scheduled.scheduler:
        return template
    metadata = dict(mapping_at(template, "metadata"))
    metadata["labels"] = texts_at(metadata, "labels") | scheduled.labels
    metadata["annotations"] = texts_at(metadata, "annotations") | scheduled.annotations
    spec = {**mapping_at(template, "spec"), "schedulerName": scheduled.scheduler}
    return {**template, "metadata": metadata, "spec": spec}


def _default_template(cluster: RayCluster) -> dict[str, object]:
    return {"spec": {"containers": [_default_container(cluster)], "restartPolicy": "Never"}}


def _default_container(cluster: RayCluster) -> dict[str, object]:
    image = text_at(ray_container(cluster.head), "image")
    return {"name": CONTAINER, "image": image, "resources": thawed(SUBMITTER_RESOURCES)}


def http_address(address: str) -> str:
    """Return a dashboard's address with its scheme."""
    return address if address.startswith(("http://", "https://")) else f"http://{address}"


def _command(
    container: dict[str, object], job: RayJob, submission: Submission, settings: ManifestSettings
) -> None:
    flags = "-cel" if settings.login_shell else "-ce"
    container["command"] = ["/bin/bash", flags, "--"]
    container["args"] = [submit_command(job, submission)]


def _environment(container: dict[str, object], attempt: Attempt) -> None:
    container["env"] = [
        *(dict(one) for one in entries_at(container, "env")),
        {"name": "PYTHONUNBUFFERED", "value": "1"},
        {"name": "RAY_DASHBOARD_ADDRESS", "value": attempt.address},
        {"name": "RAY_JOB_SUBMISSION_ID", "value": attempt.job_id},
    ]


def _authorise(
    container: dict[str, object], pod_spec: dict[str, object], cluster: RayCluster
) -> None:
    """Give a submitter what a cluster with token authentication asks for."""
    if not token_auth(cluster):
        return
    env = [dict(one) for one in entries_at(container, "env")]
    present = {text_at(one, "name") for one in env}
    wanted: list[dict[str, object]] = [{"name": "RAY_AUTH_MODE", "value": "token"}]
    if kubernetes_token_auth(cluster):
        wanted.append({"name": "RAY_ENABLE_K8S_TOKEN_AUTH", "value": "true"})
        _mount_token(container, pod_spec)
    else:
        key = {"name": auth_secret_name(cluster), "key": TOKEN_KEY}
        wanted.append({"name": "RAY_AUTH_TOKEN", "valueFrom": {"secretKeyRef": key}})
    container["env"] = [*env, *(one for one in wanted if one["name"] not in present)]


def _mount_token(container: dict[str, object], pod_spec: dict[str, object]) -> None:
    mount = {"name": _TOKEN_VOLUME, "mountPath": _TOKEN_FOLDER, "readOnly": True}
    source = {"serviceAccountToken": {"path": "token"}}
    volume = {"name": _TOKEN_VOLUME, "projected": {"sources": [source]}}
    container["volumeMounts"] = [*entries_at(container, "volumeMounts"), mount]
    pod_spec["volumes"] = [*entries_at(pod_spec, "volumes"), volume]
