"""Rules about a single group: containers, resources, labels, replicas, scaling.

The head is checked first, then every worker group in the user's order.
"""

from shared.kernel.manifests import entries_at
from shared.resources.groups import Group, WorkerGroup
from shared.resources.predicates import (
    autoscaler_v2_asked_by_env,
    autoscaler_version,
    autoscaling,
)
from shared.resources.raycluster import RayCluster
from shared.resources.versions import GROUP_PRIORITY, parse_ray_version
from shared.validation.findings import HEAD, Problems, groups, refused
from shared.validation.syntax import label_value, qualified_name

_RESOURCE_PARAMS = ("num-cpus", "num-gpus", "memory", "resources")


HOSTS_MAX = 1000
"""A replica is made in one act, and an act is one message."""


def group_problems(cluster: RayCluster) -> Problems:
    """Check the head, then each worker group."""
    if not entries_at(cluster.head.template, "spec", "containers"):
        message = "headGroupSpec should have at least one container"
        yield refused(f"{HEAD}.template.spec.containers", message)
    yield from _shared_rules(HEAD, "Head", cluster.head)
    seen: set[str] = set()
    for path, group in groups(cluster):
        yield from _worker_rules(cluster, path, group)
        if group.num_of_hosts > HOSTS_MAX:
            told = f"worker group {group.group_name} has more than {HOSTS_MAX} hosts in a replica"
            yield refused(f"{path}.numOfHosts", told)
        if group.group_name in seen:
            yield refused(f"{path}.groupName", "worker group names must be unique")
        seen.add(group.group_name)


def _worker_rules(cluster: RayCluster, path: str, group: WorkerGroup) -> Problems:
    if not entries_at(group.template, "spec", "containers"):
        message = "workerGroupSpec should have at least one container"
        yield refused(f"{path}.template.spec.containers", message)
    yield from _replica_rules(cluster, path, group)
    yield from _shared_rules(path, group.group_name, group)
    yield from _idle_rules(cluster, path, group)
    if group.priority:
        yield from _priority_rules(cluster, path, group)


def _shared_rules(path: str, name: str, group: Group) -> Problems:
    if group.resources and any(group.ray_start_params.get(key) for key in _RESOURCE_PARAMS):
        yield refused(
            f"{path}.resources",
            "resource fields should not be set in both rayStartParams and Resources for "
            f"{name} group; please use only one",
        )
    if "labels" in group.ray_start_params:
        yield refused(
            f"{path}.rayStartParams.labels",
            f"rayStartParams['labels'] is not supported for {name} group; please use the "
            "top-level Labels field instead",
        )
    for key in sorted(group.labels):
        yield from _label_rules(f"{path}.labels['{key}']", name, key, group.labels[key])


def _label_rules(path: str, name: str, key: str, value: str) -> Problems:
    errors = qualified_name(key)
    if errors:
        told = "; ".join(errors)
        yield refused(path, f"invalid label key for {name} group: '{key}', error: {told}")
    errors = label_value(value)
    if errors:
        told = "; ".join(errors)
        yield refused(
            path,
            f"invalid label value for key '{key}' in {name} group: '{value}', error: {told}",
        )


def _replica_rules(cluster: RayCluster, path: str, group: WorkerGroup) -> Problems:
    name, least, most = group.group_name, group.min_replicas, group.max_replicas
    if not autoscaling(cluster) and (least is None or most is None):
        yield refused(
            f"{path}.{'minReplicas' if least is None else 'maxReplicas'}",
            f"worker group {name} must set both minReplicas and maxReplicas when autoscaling is "
            "disabled",
        )
    if least is not None and least < 0:
        yield refused(
            f"{path}.minReplicas", f"worker group {name} has negative minReplicas {least}"
        )
    if most is not None and most < 0:
        yield refused(f"{path}.maxReplicas", f"worker group {name} has negative maxReplicas {most}")
    if least is not None and most is not None and least > most:
        message = f"worker group {name} has minReplicas {least} greater than maxReplicas {most}"
        yield refused(f"{path}.minReplicas", message)


def _second_autoscaler(cluster: RayCluster) -> bool:
    return autoscaler_version(cluster) == "v2" or autoscaler_v2_asked_by_env(cluster)


def _idle_rules(cluster: RayCluster, path: str, group: WorkerGroup) -> Problems:
    idle, name = group.idle_timeout_seconds, group.group_name
    if idle is not None and idle < 0:
        yield refused(
            f"{path}.idleTimeoutSeconds",
            f"worker group {name}: idleTimeoutSeconds must be non-negative, got {idle}",
        )
    if idle is not None and not _second_autoscaler(cluster):
        yield refused(
            f"{path}.idleTimeoutSeconds",
            f"worker group {name}: idleTimeoutSeconds is set, but autoscaler v2 is not enabled. "
            "Please set .spec.autoscalerOptions.version to 'v2' (or set RAY_enable_autoscaler_v2 "
            "environment variable to 'true' in the head pod if using KubeRay < 1.4.0)",
        )


def _priority_rules(cluster: RayCluster, path: str, group: WorkerGroup) -> Problems:
    written = cluster.spec.ray_version or ""
    version = parse_ray_version(written)
    field, start = f"{path}.priority", f"worker group {group.group_name}: priority is set"
    if not written:
        yield refused(
            field,
            f"{start}, but RayVersion was not specified. "
            f"Ray version {GROUP_PRIORITY} or later is required",
        )
    elif version is None:
        told = f"RayVersion format is invalid: {written}, not a version such as {GROUP_PRIORITY}"
        yield refused(field, f"{start}, but {told}")
    elif version < GROUP_PRIORITY:
        least = f"minimum Ray version is {GROUP_PRIORITY}, got {written}"
        yield refused(field, f"{start}, but {least}")
    if not _second_autoscaler(cluster):
        yield refused(
            field,
            f"{start} to {group.priority}, but autoscaler v2 is not enabled. "
            "Priority is only supported with autoscaler v2 enabled",
        )
