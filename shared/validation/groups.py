"""Rules about a single group: containers, resources, labels, replicas.

The head is checked first, then every worker group in the user's order. What a group may ask of the
autoscaler is in `shared.validation.group_scaling`.
"""

from shared.kernel.manifests import entries_at
from shared.resources.groups import Group, WorkerGroup
from shared.resources.labels import HEAD_GROUP
from shared.resources.predicates import autoscaling
from shared.resources.raycluster import RayCluster
from shared.validation.findings import GROUP, HEAD, Problems, group_path, groups
from shared.validation.group_scaling import idle_problems, priority_problems
from shared.validation.rule import Rule
from shared.validation.syntax import label_value, qualified_name

_RESOURCE_PARAMS = ("num-cpus", "num-gpus", "memory", "resources")
_A_CONTAINER = "add a container that runs Ray, first in the list"

HOSTS_MAX = 1000
"""A replica is made in one act, and an act is one message."""

HEAD_CONTAINERS = Rule(
    id="RayCluster.head-container",
    path=f"{HEAD}.template.spec.containers",
    text="headGroupSpec should have at least one container",
    hint=_A_CONTAINER,
)
RESOURCES_TWICE = Rule(
    id="RayCluster.resources-once",
    path="{place}.resources",
    text=(
        "resource fields should not be set in both rayStartParams and Resources for {group} group; "
        "please use only one"
    ),
    hint="keep resources and remove num-cpus, num-gpus, memory and resources from rayStartParams",
)
LABELS_PARAM = Rule(
    id="RayCluster.labels-param",
    path="{place}.rayStartParams.labels",
    text=(
        "rayStartParams['labels'] is not supported for {group} group; please use the top-level "
        "Labels field instead"
    ),
    hint="move the labels to the field labels of the group",
)
LABEL_KEY = Rule(
    id="RayCluster.label-key",
    path="{place}.labels['{key}']",
    text="invalid label key for {group} group: '{key}', error: {errors}",
    hint="write a key that Kubernetes takes for a label, such as ray.io/zone",
)
LABEL_VALUE = Rule(
    id="RayCluster.label-value",
    path="{place}.labels['{key}']",
    text="invalid label value for key '{key}' in {group} group: '{value}', error: {errors}",
    hint="write a value that Kubernetes takes for a label, such as zone-a",
)
WORKER_CONTAINERS = Rule(
    id="RayCluster.worker-container",
    path=f"{GROUP}.template.spec.containers",
    text="workerGroupSpec should have at least one container",
    hint=_A_CONTAINER,
)
BOUNDS_MISSING = Rule(
    id="RayCluster.replica-bounds",
    path=f"{GROUP}.{{field}}",
    text=(
        "worker group {group} must set both minReplicas and maxReplicas when autoscaling is "
        "disabled"
    ),
    hint="write both, or set enableInTreeAutoscaling: true",
)
MIN_NEGATIVE = Rule(
    id="RayCluster.min-replicas",
    path=f"{GROUP}.minReplicas",
    text="worker group {group} has negative minReplicas {least}",
    hint="write 0 or more",
)
MAX_NEGATIVE = Rule(
    id="RayCluster.max-replicas",
    path=f"{GROUP}.maxReplicas",
    text="worker group {group} has negative maxReplicas {most}",
    hint="write 0 or more",
)
BOUNDS_CROSSED = Rule(
    id="RayCluster.replica-order",
    path=f"{GROUP}.minReplicas",
    text="worker group {group} has minReplicas {least} greater than maxReplicas {most}",
    hint="raise maxReplicas or lower minReplicas",
)
HOSTS_TOO_MANY = Rule(
    id="RayCluster.hosts-limit",
    path=f"{GROUP}.numOfHosts",
    text=f"worker group {{group}} has more than {HOSTS_MAX} hosts in a replica",
    hint="a replica is made in one decision: use more replicas of fewer hosts",
    own=True,
)
HOSTS_NEGATIVE = Rule(
    id="RayCluster.hosts-negative",
    path=f"{GROUP}.numOfHosts",
    text="worker group {group} has negative numOfHosts {hosts}",
    hint="write 1 or more",
    own=True,
)
HEADS_NAME = Rule(
    id="RayCluster.group-name-of-head",
    path=f"{GROUP}.groupName",
    text="worker group {group} has the name of the group of the head",
    hint="pods belong to a group by its name, and the head would be a worker: rename the group",
    own=True,
)
GROUP_TWICE = Rule(
    id="RayCluster.group-names",
    path=f"{GROUP}.groupName",
    text="worker group names must be unique",
    hint="pods belong to a group by its name: rename one of the groups",
)


def group_problems(cluster: RayCluster) -> Problems:
    """Check the head, then each worker group."""
    if not entries_at(cluster.head.template, "spec", "containers"):
        yield HEAD_CONTAINERS.found()
    yield from _shared_rules(HEAD, "Head", cluster.head)
    seen: set[str] = set()
    for index, group in groups(cluster):
        yield from _worker_rules(cluster, index, group)
        if group.num_of_hosts > HOSTS_MAX:
            yield HOSTS_TOO_MANY.found(index=index, group=group.group_name)
        if group.num_of_hosts < 0:
            hosts = group.num_of_hosts
            yield HOSTS_NEGATIVE.found(index=index, group=group.group_name, hosts=hosts)
        if group.group_name == HEAD_GROUP:
            yield HEADS_NAME.found(index=index, group=group.group_name)
        if group.group_name in seen:
            yield GROUP_TWICE.found(index=index)
        seen.add(group.group_name)


def _worker_rules(cluster: RayCluster, index: int, group: WorkerGroup) -> Problems:
    if not entries_at(group.template, "spec", "containers"):
        yield WORKER_CONTAINERS.found(index=index)
    yield from _replica_rules(cluster, index, group)
    yield from _shared_rules(group_path(index), group.group_name, group)
    yield from idle_problems(cluster, index, group)
    yield from priority_problems(cluster, index, group)


def _shared_rules(place: str, name: str, group: Group) -> Problems:
    if group.resources and any(group.ray_start_params.get(key) for key in _RESOURCE_PARAMS):
        yield RESOURCES_TWICE.found(place=place, group=name)
    if "labels" in group.ray_start_params:
        yield LABELS_PARAM.found(place=place, group=name)
    for key in sorted(group.labels):
        value = group.labels[key]
        errors = qualified_name(key)
        if errors:
            yield LABEL_KEY.found(place=place, group=name, key=key, errors="; ".join(errors))
        errors = label_value(value)
        if errors:
            told = "; ".join(errors)
            yield LABEL_VALUE.found(place=place, group=name, key=key, value=value, errors=told)


def _replica_rules(cluster: RayCluster, index: int, group: WorkerGroup) -> Problems:
    name, least, most = group.group_name, group.min_replicas, group.max_replicas
    if not autoscaling(cluster) and (least is None or most is None):
        field = "minReplicas" if least is None else "maxReplicas"
        yield BOUNDS_MISSING.found(index=index, group=name, field=field)
    if least is not None and least < 0:
        yield MIN_NEGATIVE.found(index=index, group=name, least=least)
    if most is not None and most < 0:
        yield MAX_NEGATIVE.found(index=index, group=name, most=most)
    if least is not None and most is not None and least > most:
        yield BOUNDS_CROSSED.found(index=index, group=name, least=least, most=most)
