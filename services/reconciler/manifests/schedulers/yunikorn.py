"""YuniKorn: pods name an application and a queue; a gang is described on each of its pods.

The description is a list of task groups as JSON, the user's own if the cluster carries one. Its
fields stand in the order in which KubeRay writes them, so that both write the same text.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType

from services.reconciler.manifests.pods.draft import PodDraft
from services.reconciler.manifests.schedulers import words
from shared.kernel.manifests import Raw, is_raw, mapping_at, values_at
from shared.kernel.schedulers import YUNIKORN
from shared.resources.labels import HEAD_GROUP
from shared.resources.raycluster import RayCluster
from shared.resources.totals import pod_resources

_ORDER = (
    "nodeAffinity",
    "podAffinity",
    "podAntiAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
    "weight",
    "preference",
    "podAffinityTerm",
    "nodeSelectorTerms",
    "labelSelector",
    "matchLabels",
    "matchExpressions",
    "matchFields",
    "key",
    "operator",
    "value",
    "values",
    "effect",
    "tolerationSeconds",
    "namespaces",
    "topologyKey",
    "namespaceSelector",
    "matchLabelKeys",
    "mismatchLabelKeys",
)
"""Fields of affinities and tolerations, in one order that holds for each of their types."""
NO_OTHERS: Mapping[str, Raw] = MappingProxyType({})
_RANKS: Mapping[str, int] = MappingProxyType({name: rank for rank, name in enumerate(_ORDER)})


def mark_for_yunikorn(draft: PodDraft, group: str) -> None:
    """Name application and queue, and the pod's place in the gang if the cluster is one."""
    cluster = draft.cluster
    named = {
        words.YUNIKORN_POD_APP: cluster.labels.get(words.YUNIKORN_APP),
        words.YUNIKORN_POD_QUEUE: cluster.labels.get(words.YUNIKORN_QUEUE),
    }
    draft.labels |= {key: value for key, value in named.items() if value}
    draft.spec["schedulerName"] = YUNIKORN
    if words.gang_named(cluster):
        own = cluster.annotations.get(words.YUNIKORN_TASK_GROUPS)
        draft.annotations[words.YUNIKORN_TASK_GROUPS] = own or task_groups(cluster)
        draft.annotations[words.YUNIKORN_TASK_GROUP] = group


def task_groups(cluster: RayCluster, others: Mapping[str, Raw] = NO_OTHERS) -> str:
    """Describe the gang: the head, and of each group as many pods as it has at least.

    `others` are pods beside the cluster, one for each name.
    """
    groups = [_task_group(cluster.head.template, HEAD_GROUP, 1)]
    for group in cluster.groups:
        members = (group.min_replicas or 0) * group.num_of_hosts
        groups.append(_task_group(group.template, group.group_name, members))
    groups.extend(_task_group(template, name, 1) for name, template in others.items())
    return json.dumps(groups, ensure_ascii=False, separators=(",", ":"))


def _task_group(template: Raw, name: str, members: int) -> dict[str, object]:
    spec = mapping_at(template, "spec")
    asked = sorted(pod_resources(template).items())
    described: dict[str, object] = {"minResource": {key: str(value) for key, value in asked}}
    if selector := mapping_at(spec, "nodeSelector"):
        described["nodeSelector"] = dict(sorted(selector.items()))
    if is_raw(spec.get("affinity")):
        described["affinity"] = _ordered(spec["affinity"])
    described["name"] = name
    if tolerations := values_at(spec, "tolerations"):
        described["tolerations"] = [_ordered(one) for one in tolerations]
    return described | {"minMember": members}


def _ordered(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_ordered(one) for one in value]
    return _fields(value) if is_raw(value) else value


def _fields(raw: Raw) -> dict[str, object]:
    """Return the fields in the known order, unknown ones last; of labels the order is theirs."""
    names = sorted(raw, key=lambda name: (_RANKS.get(name, len(_ORDER)), name))
    return {
        name: dict(sorted(mapping_at(raw, name).items()))
        if name == "matchLabels"
        else _ordered(raw[name])
        for name in names
        if raw[name] is not None
    }
