"""Rules about the collector that feeds the history server."""

from collections.abc import Mapping
from types import MappingProxyType

from shared.kernel.features import HISTORY_SERVER, Features
from shared.kernel.manifests import entries_at, named, text_at
from shared.resources.options import CollectorOptions
from shared.resources.raycluster import RayCluster
from shared.validation.findings import HEAD, Problems, groups, refused, shut

_OPTIONS = "spec.historyServerOptions"
_COLLECTOR = f"{_OPTIONS}.collectorOptions"
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


def history_server_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check the collector; a shut gate or a missing block ends the search."""
    options = cluster.spec.history_server_options
    if options is None:
        return
    if shut(features, HISTORY_SERVER):
        yield refused(_OPTIONS, f"{HISTORY_SERVER} feature gate is not enabled")
        return
    collector = options.collector_options
    if collector is None:
        yield refused(_COLLECTOR, "historyServerOptions.collectorOptions must be set")
        return
    if not collector.image:
        message = "historyServerOptions.collectorOptions.image must be set"
        yield refused(f"{_COLLECTOR}.image", message)
    yield from _managed_variables(collector)
    yield from _storage_rules(collector)
    yield from _container_names(cluster)


def _managed_variables(collector: CollectorOptions) -> Problems:
    for name in _MANAGED:
        if named(collector.env, name) is not None:
            yield refused(
                f"{_COLLECTOR}.env",
                f"historyServerOptions.collectorOptions.env must not contain {name}: it is "
                "managed by KubeRay and injected automatically into the collector container",
            )


def _storage_rules(collector: CollectorOptions) -> Problems:
    backend = _value(collector, "STORAGE_BACKEND").upper()
    if not backend:
        yield refused(
            f"{_COLLECTOR}.env",
            "STORAGE_BACKEND environment variable must be set with a literal string value in "
            "historyServerOptions.collectorOptions.env",
        )
    for name in _NEEDED.get(backend, ()):
        if not _is_set(collector, name):
            yield refused(
                f"{_COLLECTOR}.env",
                f"{name} environment variable must be set when STORAGE_BACKEND is {backend}",
            )
    if backend == _AZURE:
        yield from _azure_rules(collector)


def _azure_rules(collector: CollectorOptions) -> Problems:
    mode = _value(collector, "AZURE_STORAGE_AUTH_MODE")
    needed = _AZURE_NEEDED.get(mode)
    if needed is not None:
        if not _is_set(collector, needed):
            yield refused(
                f"{_COLLECTOR}.env",
                f"{needed} environment variable must be set when STORAGE_BACKEND is {_AZURE} and "
                f"AZURE_STORAGE_AUTH_MODE is {mode}",
            )
    elif not any(_is_set(collector, name) for name in _AZURE_NEEDED.values()):
        yield refused(
            f"{_COLLECTOR}.env",
            "either AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT_URL environment "
            f"variable must be set when STORAGE_BACKEND is {_AZURE}",
        )


def _container_names(cluster: RayCluster) -> Problems:
    told = (
        f"pod template must not define a container with name '{_CONTAINER}' when history server "
        "collector options are enabled"
    )
    if named(entries_at(cluster.head.template, "spec", "containers"), _CONTAINER) is not None:
        yield refused(f"{HEAD}.template.spec.containers", f"head {told}")
    for path, group in groups(cluster):
        if named(entries_at(group.template, "spec", "containers"), _CONTAINER) is not None:
            message = f"worker group {group.group_name} {told}"
            yield refused(f"{path}.template.spec.containers", message)


def _value(collector: CollectorOptions, name: str) -> str:
    return text_at(named(collector.env, name), "value")


def _is_set(collector: CollectorOptions, name: str) -> bool:
    found = named(collector.env, name)
    return found is not None and bool(found.get("value") or found.get("valueFrom"))
