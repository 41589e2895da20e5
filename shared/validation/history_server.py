"""Rules about the collector that feeds the history server."""

from collections.abc import Mapping
from types import MappingProxyType

from shared.kernel.features import HISTORY_SERVER, Features
from shared.kernel.manifests import entries_at, named, text_at
from shared.resources.options import CollectorOptions
from shared.resources.raycluster import RayCluster
from shared.validation.findings import GROUP, HEAD, Problems, groups, opened, shut
from shared.validation.rule import Rule

_OPTIONS = "spec.historyServerOptions"
_COLLECTOR = f"{_OPTIONS}.collectorOptions"
_ENV = f"{_COLLECTOR}.env"
_CONTAINER = "ray-history-collector"
_MANAGED = (
    "POD_IP",
    "FQ_RAY_IP",
    "RAY_CLUSTER_NAME",
    "RAY_CLUSTER_NAMESPACE",
    "RAY_ROLE",
    "OWNER_KIND",
    "OWNER_NAME",
    "EVENTS_PORT",
)
_NEEDED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "GCS": ("GCS_BUCKET",),
        "S3": ("S3_REGION",),
        "ALIYUNOSS": ("OSS_BUCKET", "OSS_ENDPOINT", "OSS_REGION"),
    }
)
_AZURE = "AZUREBLOB"
_AZURE_NEEDED: Mapping[str, str] = MappingProxyType(
    {
        "connection_string": "AZURE_STORAGE_CONNECTION_STRING",
        "workload_identity": "AZURE_STORAGE_ACCOUNT_URL",
        "default": "AZURE_STORAGE_ACCOUNT_URL",
    }
)
_TAKEN = (
    f"pod template must not define a container with name '{_CONTAINER}' when history server "
    "collector options are enabled"
)
_RENAME = "the operator adds a container of this name: rename yours"

GATED = Rule(
    id="RayCluster.history-gate",
    path=_OPTIONS,
    text=f"{HISTORY_SERVER} feature gate is not enabled",
    hint=opened(HISTORY_SERVER),
)
COLLECTOR_MISSING = Rule(
    id="RayCluster.history-collector",
    path=_COLLECTOR,
    text="historyServerOptions.collectorOptions must be set",
    hint="say which image collects, and where to",
)
IMAGE_MISSING = Rule(
    id="RayCluster.history-image",
    path=f"{_COLLECTOR}.image",
    text="historyServerOptions.collectorOptions.image must be set",
    hint="name the image of the collector",
)
ENV_MANAGED = Rule(
    id="RayCluster.history-env",
    path=_ENV,
    text=(
        "historyServerOptions.collectorOptions.env must not contain {name}: it is managed by "
        "KubeRay and injected automatically into the collector container"
    ),
    hint="remove the variable",
)
BACKEND_MISSING = Rule(
    id="RayCluster.history-backend",
    path=_ENV,
    text=(
        "STORAGE_BACKEND environment variable must be set with a literal string value in "
        "historyServerOptions.collectorOptions.env"
    ),
    hint="add STORAGE_BACKEND with a value such as S3, GCS, AZUREBLOB or ALIYUNOSS",
)
BACKEND_NEEDS = Rule(
    id="RayCluster.history-backend-env",
    path=_ENV,
    text="{name} environment variable must be set when STORAGE_BACKEND is {backend}",
    hint="add the variable, with a value or valueFrom",
)
AZURE_NEEDS = Rule(
    id="RayCluster.history-azure-env",
    path=_ENV,
    text=(
        f"{{name}} environment variable must be set when STORAGE_BACKEND is {_AZURE} and "
        "AZURE_STORAGE_AUTH_MODE is {mode}"
    ),
    hint="add the variable, with a value or valueFrom",
)
AZURE_NEEDS_EITHER = Rule(
    id="RayCluster.history-azure-either",
    path=_ENV,
    text=(
        "either AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT_URL environment variable "
        f"must be set when STORAGE_BACKEND is {_AZURE}"
    ),
    hint="add one of the two variables",
)
HEAD_NAME_TAKEN = Rule(
    id="RayCluster.history-head-container",
    path=f"{HEAD}.template.spec.containers",
    text=f"head {_TAKEN}",
    hint=_RENAME,
)
WORKER_NAME_TAKEN = Rule(
    id="RayCluster.history-worker-container",
    path=f"{GROUP}.template.spec.containers",
    text=f"worker group {{group}} {_TAKEN}",
    hint=_RENAME,
)


def history_server_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check the collector; a shut gate or a missing block ends the search."""
    options = cluster.spec.history_server_options
    if options is None:
        return
    if shut(features, HISTORY_SERVER):
        yield GATED.found()
        return
    collector = options.collector_options
    if collector is None:
        yield COLLECTOR_MISSING.found()
        return
    if not collector.image:
        yield IMAGE_MISSING.found()
    for name in _MANAGED:
        if named(collector.env, name) is not None:
            yield ENV_MANAGED.found(name=name)
    yield from _storage_rules(collector)
    yield from _container_names(cluster)


def _storage_rules(collector: CollectorOptions) -> Problems:
    backend = _value(collector, "STORAGE_BACKEND").upper()
    if not backend:
        yield BACKEND_MISSING.found()
    for name in _NEEDED.get(backend, ()):
        if not _is_set(collector, name):
            yield BACKEND_NEEDS.found(name=name, backend=backend)
    if backend == _AZURE:
        yield from _azure_rules(collector)


def _azure_rules(collector: CollectorOptions) -> Problems:
    mode = _value(collector, "AZURE_STORAGE_AUTH_MODE")
    needed = _AZURE_NEEDED.get(mode)
    if needed is not None:
        if not _is_set(collector, needed):
            yield AZURE_NEEDS.found(name=needed, mode=mode)
    elif not any(_is_set(collector, name) for name in _AZURE_NEEDED.values()):
        yield AZURE_NEEDS_EITHER.found()


def _container_names(cluster: RayCluster) -> Problems:
    if named(entries_at(cluster.head.template, "spec", "containers"), _CONTAINER) is not None:
        yield HEAD_NAME_TAKEN.found()
    for index, group in groups(cluster):
        if named(entries_at(group.template, "spec", "containers"), _CONTAINER) is not None:
            yield WORKER_NAME_TAKEN.found(index=index, group=group.group_name)


def _value(collector: CollectorOptions, name: str) -> str:
    return text_at(named(collector.env, name), "value")


def _is_set(collector: CollectorOptions, name: str) -> bool:
    found = named(collector.env, name)
    return found is not None and bool(found.get("value") or found.get("valueFrom"))
