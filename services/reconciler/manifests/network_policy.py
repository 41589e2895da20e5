"""Network policies: one for the head and one for each worker group.

Traffic within the cluster is always allowed, everything else only by the user's rules; names are
resolved and the API server is reached only if a rule says so. Rules are written in the form in
which the API server keeps them, so that what was stored can be compared with what is wanted.
"""

import re
from collections.abc import Mapping, Sequence

from services.reconciler.manifests.owners import metadata_of
from shared.kernel.manifests import Raw, is_raw, mapping_at, thawed, values_at
from shared.resources import labels as words
from shared.resources.options import NetworkRules
from shared.resources.raycluster import RayCluster

DASHBOARD_PORT = 8265
POLICY = "networkpolicy"
_NUMBER = re.compile(r"[0-9]{1,5}", re.ASCII)
_SUBMITTED_BY_POD = "K8sJobMode"
_AS_IS: Raw = {}
"""The shape of a value that is kept whole."""
_SELECTOR: Raw = {
    "matchLabels": _AS_IS,
    "matchExpressions": {"key": _AS_IS, "operator": _AS_IS, "values": _AS_IS},
}
_PEER: Raw = {
    "podSelector": _SELECTOR,
    "namespaceSelector": _SELECTOR,
    "ipBlock": {"cidr": _AS_IS, "except": _AS_IS},
}
_PORT: Raw = {"protocol": _AS_IS, "port": _AS_IS, "endPort": _AS_IS}
_RULE: Raw = {"ports": _PORT, "from": _PEER, "to": _PEER}
_SPEC: Raw = {
    "podSelector": _SELECTOR,
    "policyTypes": _AS_IS,
    "ingress": _RULE,
    "egress": _RULE,
}


def network_policies(cluster: RayCluster, rayjob: str = "") -> dict[str, dict[str, object]]:
    """Return every policy that the cluster wants, by name; `rayjob` is the RayJob that owns it."""
    options = cluster.spec.network_policy
    if options is None:
        return {}
    head = f"{cluster.name}-head"
    submitter = _submitter(cluster, rayjob)
    found = {head: _policy(cluster, head, _pods(cluster, words.HEAD), options.head, submitter)}
    single = {rules.group_name: rules for rules in options.worker_groups}
    for group in cluster.groups:
        name = f"{cluster.name}-workers-{group.group_name}"
        rules = single.get(group.group_name, options.worker)
        pods = _pods(cluster, words.WORKER) | {words.GROUP: group.group_name}
        found[name] = _policy(cluster, name, pods, rules)
    return found


def policy_manifest(name: str) -> str:
    """Return the name, within an act, of a policy's manifest."""
    return f"{POLICY}/{name}"


def as_stored(spec: Raw) -> dict[str, object]:
    """Return a policy's spec as the API server keeps it: known fields, no blanks, TCP said."""
    return _fields(spec, _SPEC)


def _policy(
    cluster: RayCluster,
    name: str,
    pods: Mapping[str, str],
    rules: NetworkRules | None,
    submitter: Sequence[Raw] = (),
) -> dict[str, object]:
    options = cluster.spec.network_policy
    mode = options.mode if options else ""
    peers = [{"podSelector": {"matchLabels": {words.CLUSTER: cluster.name}}}]
    ingress = [{"from": peers}, *submitter, *(rules.ingress_rules if rules else ())]
    egress = [{"to": peers}, *(rules.egress_rules if rules else ())]
    spec: dict[str, object] = {"podSelector": {"matchLabels": dict(pods)}, "policyTypes": []}
    if mode != "DenyAllEgress":
        spec |= {"policyTypes": ["Ingress"], "ingress": ingress}
    if mode != "DenyAllIngress":
        spec |= {"policyTypes": [*values_at(spec, "policyTypes"), "Egress"], "egress": egress}
    labels = {
        words.CLUSTER: cluster.name,
        words.GROUP: pods.get(words.GROUP, words.HEAD_GROUP),
        words.APP_NAME: words.APP,
        words.CREATED_BY: words.CREATOR,
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata_of(cluster, name, labels),
        "spec": as_stored(spec),
    }


def _pods(cluster: RayCluster, node_type: str) -> dict[str, str]:
    return {words.CLUSTER: cluster.name, words.NODE_TYPE: node_type}


def _submitter(cluster: RayCluster, rayjob: str) -> tuple[Raw, ...]:
    """Let the pod that submits a RayJob reach the dashboard."""
    if not rayjob or cluster.labels.get(words.JOB_SUBMISSION_MODE) != _SUBMITTED_BY_POD:
        return ()
    pods = {words.ORIGINATED_FROM_NAME: rayjob, words.ORIGINATED_FROM_CRD: "RayJob"}
    port = {"protocol": "TCP", "port": _dashboard_port(cluster)}
    return ({"from": [{"podSelector": {"matchLabels": pods}}], "ports": [port]},)


def _dashboard_port(cluster: RayCluster) -> int:
    text = cluster.head.ray_start_params.get("dashboard-port", "")
    return int(text) if _NUMBER.fullmatch(text) else DASHBOARD_PORT


def _fields(raw: Raw, shape: Raw) -> dict[str, object]:
    given = {key: raw[key] for key in shape if raw.get(key) is not None}
    kept = {key: _kept(value, mapping_at(shape, key)) for key, value in given.items()}
    usual = {"protocol": "TCP"} if shape is _PORT else {}
    return usual | {key: value for key, value in kept.items() if not _blank(key, value)}


def _kept(value: object, shape: Raw) -> object:
    if not shape:
        return thawed({"": value})[""]
    if isinstance(value, list | tuple):
        return [_kept(entry, shape) for entry in value]
    return _fields(value, shape) if is_raw(value) else value


def _blank(key: str, value: object) -> bool:
    """Whether the API server drops this; an empty selector, which means all, it keeps."""
    return value == [] or (key == "matchLabels" and value == {})
