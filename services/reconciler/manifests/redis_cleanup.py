"""The Job that removes a deleted cluster's data from Redis.

It is the head pod once more, so that whatever let the head reach Redis lets the Job reach it too:
same image, variables, volumes, account. Only the Ray container is left of it, and what it runs is
a few lines of Python that call Ray's own clean-up.
"""

from typing import cast

from services.reconciler.manifests.names import check_label
from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.pods.draft import Part, parts
from services.reconciler.manifests.pods.environment import append, literal
from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import entries_at, labels_of, mapping_at, named, thawed
from shared.resources.labels import CREATED_BY, CREATOR, NODE_TYPE, REDIS_CLEANUP
from shared.resources.raycluster import RayCluster

DEADLINE_SECONDS = 300

_USERNAME = "REDIS_USERNAME"
_WAITS_FOR_TLS = "wait-for-tls-ip-san"
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_AMOUNTS = {"cpu": "200m", "memory": "256Mi"}
_GUIDE = "https://docs.ray.io/en/master/cluster/kubernetes/user-guides/kuberay-gcs-ft.html"
_SCRIPT = """\
echo "Removing the data of a deleted Ray cluster from Redis. If this fails, see {guide}"
python -c '
import os
import sys
from urllib.parse import urlparse

from ray._private.gcs_utils import cleanup_redis_storage

address = os.environ["RAY_REDIS_ADDRESS"].split(",")[0].strip()
url = urlparse(address if "://" in address else "redis://" + address)
options = dict(
    host=url.hostname,
    port=url.port or 6379,
    password=os.environ.get("REDIS_PASSWORD") or url.password or "",
    use_ssl=url.scheme == "rediss",
    storage_namespace=os.environ["RAY_external_storage_namespace"],
)
{username}sys.exit(0 if cleanup_redis_storage(**options) else 1)
'
"""
_TELLS_USERNAME = 'options["username"] = os.environ.get("REDIS_USERNAME") or url.username or ""\n'


def redis_cleanup_name(cluster_name: str) -> str:
    """Return the name of the one Job that cleans up after a cluster."""
    return check_label(f"{cluster_name}-{REDIS_CLEANUP}")


def can_be_made(cluster: RayCluster) -> bool:
    """Whether there is a head to make the Job from, however invalid the rest is."""
    return bool(entries_at(cluster.head.template, "spec", "containers"))


def redis_cleanup_job(cluster: RayCluster, settings: ManifestSettings) -> dict[str, object]:
    """Return the Job's manifest, with its name."""
    pod = thawed(head_pod(cluster, settings.without_scheduler()))
    marked: Part = {
        "labels": {**labels_of(pod), NODE_TYPE: REDIS_CLEANUP, CREATED_BY: CREATOR},
        "annotations": dict(mapping_at(pod, "metadata", "annotations")),
    }
    finalizers = mapping_at(pod, "metadata").get("finalizers")
    template = {
        "metadata": {**marked, **({"finalizers": finalizers} if finalizers else {})},
        "spec": _pod_spec(cast("Part", pod["spec"]), settings),
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": redis_cleanup_name(cluster.name),
            "namespace": cluster.namespace,
            **thawed(marked),
            "ownerReferences": [owner_reference(cluster)],
        },
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": DEADLINE_SECONDS,
            "template": template,
        },
    }


def _pod_spec(spec: Part, settings: ManifestSettings) -> Part:
    """Reduce the head's spec to one container that runs to its end."""
    first = [
        container
        for container in entries_at(spec, "initContainers")
        if container.get("name") != _WAITS_FOR_TLS
    ]
    rest = {key: value for key, value in spec.items() if key != "initContainers"}
    return {
        **rest,
        **({"initContainers": first} if first else {}),
        "containers": [_container(parts(spec, "containers")[0], settings)],
        "restartPolicy": "Never",
    }


def _container(ray: Part, settings: ManifestSettings) -> Part:
    container = {key: value for key, value in ray.items() if key not in _PROBES}
    append(
        container,
        literal("RAY_redis_db_connect_retries", "120"),
        literal("RAY_redis_db_connect_wait_milliseconds", "500"),
    )
    has_username = named(entries_at(container, "env"), _USERNAME) is not None
    script = _SCRIPT.format(guide=_GUIDE, username=_TELLS_USERNAME if has_username else "")
    return container | {
        "command": settings.shell,
        "args": [script],
        "resources": {"limits": dict(_AMOUNTS), "requests": dict(_AMOUNTS)},
    }
