"""What a user may ask of a RayCluster beside its size, one thing at a time.

Most of it is what the operators are compared in (`tests/differential/features.py`); what needs a
gate, a neighbour or a label is here. Each feature changes a manifest in place.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tests.differential import features as compared

Manifest: TypeAlias = dict[str, Any]
Feature: TypeAlias = Callable[[Manifest], object]


def _head(manifest: Manifest) -> Any:
    return manifest["spec"]["headGroupSpec"]


def _ray(group: Any) -> Any:
    return group["template"]["spec"]["containers"][0]


def _groups(manifest: Manifest) -> Any:
    return [_head(manifest), *manifest["spec"]["workerGroupSpecs"]]


def _label(manifest: Manifest, **labels: str) -> None:
    manifest["metadata"].setdefault("labels", {}).update(labels)


def _annotate(manifest: Manifest, **notes: str) -> None:
    manifest["metadata"].setdefault("annotations", {}).update(notes)


def _tls(manifest: Manifest) -> None:
    manifest["spec"]["tlsOptions"] = {"enabled": True}


def _token(manifest: Manifest) -> None:
    manifest["spec"] |= {"rayVersion": "2.52.0", "authOptions": {"mode": "token"}}


def _gang(manifest: Manifest) -> None:
    _label(manifest, **{"ray.io/gang-scheduling-enabled": "true"})


def _queues(manifest: Manifest) -> None:
    """Words for every scheduler, each of which reads its own."""
    _label(
        manifest,
        **{
            "ray.io/priority-class-name": "high",
            "volcano.sh/queue-name": "mine",
            "volcano.sh/network-topology-mode": "hard",
            "volcano.sh/network-topology-highest-tier-allowed": "2",
            "yunikorn.apache.org/app-id": "app",
            "yunikorn.apache.org/queue": "root.mine",
            "kai.scheduler/queue": "mine",
        },
    )


def _placed(manifest: Manifest) -> None:
    """Wishes about nodes, which gangs repeat."""
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
    near = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    for group in _groups(manifest):
        group["template"]["spec"] |= {
            "nodeSelector": {"zone": "a"},
            "tolerations": [{"key": "gpu", "operator": "Exists"}],
            "affinity": {"nodeAffinity": near},
        }


def _redis_by_note(manifest: Manifest) -> None:
    """Fault tolerance as it was asked for in old days."""
    _annotate(
        manifest,
        **{"ray.io/ft-enabled": "true", "ray.io/external-storage-namespace": "old"},
    )
    _ray(_head(manifest))["env"] = [{"name": "RAY_REDIS_ADDRESS", "value": "redis:6379"}]
    _head(manifest).setdefault("rayStartParams", {})["redis-password"] = "a word"


def _redis_user(manifest: Manifest) -> None:
    source = {"secretKeyRef": {"name": "redis", "key": "password"}}
    manifest["spec"]["gcsFaultToleranceOptions"] = {
        "redisAddress": "redis:6379",
        "redisUsername": {"value": "me"},
        "redisPassword": {"valueFrom": source},
    }
    _annotate(manifest, **{"ray.io/gcs-ft-deletion-timeout": "20"})


def _own_claim(manifest: Manifest) -> None:
    storage = {"claimName": "mine"}
    manifest["spec"]["gcsFaultToleranceOptions"] = {"backend": "rocksdb", "storage": storage}


def _kept_claim(manifest: Manifest) -> None:
    storage = {"deletionPolicy": "Retain", "storageClassName": "fast"}
    manifest["spec"]["gcsFaultToleranceOptions"] = {"backend": "rocksdb", "storage": storage}


def _large_claim(manifest: Manifest) -> None:
    storage = {"size": "7Gi", "storageClassName": "slow", "accessModes": ["ReadWriteMany"]}
    manifest["spec"]["gcsFaultToleranceOptions"] = {"backend": "rocksdb", "storage": storage}


def _bare_claim(manifest: Manifest) -> None:
    manifest["spec"]["gcsFaultToleranceOptions"] = {"backend": "rocksdb"}


def _closed(mode: str) -> Feature:
    def change(manifest: Manifest) -> None:
        friends = {"podSelector": {"matchLabels": {"team": "red"}}}
        rules: dict[str, object] = {"ingressRules": [{"from": [friends]}]}
        if mode == "DenyAllEgress":
            rules = {"egressRules": [{"to": [friends]}]}
        policy = {"mode": mode, "workerGroups": [{"groupName": "small", **rules}]}
        manifest["spec"]["networkPolicy"] = policy

    return change


def _own_start(manifest: Manifest) -> None:
    """A user who starts Ray without us."""
    _annotate(manifest, **{"ray.io/overwrite-container-cmd": "true"})
    for group in _groups(manifest):
        _ray(group).update(command=["ray"], args=["start"])


def _amounts(manifest: Manifest) -> None:
    """Accelerators, of the container and of the group."""
    limits = {"cpu": "1500m", "memory": "1.5Gi", "google.com/tpu": "4", "amd.com/gpu": "0"}
    for group in _groups(manifest):
        _ray(group)["resources"] = {"limits": limits, "requests": {"cpu": "1e0"}}
    manifest["spec"]["workerGroupSpecs"][0]["resources"] = {
        "CPU": "2",
        "GPU": "1",
        "memory": "2G",
        "fruit": "0.5",
        "dust": "0.0000001",
        "odd": "many",
    }


def _odd_params(manifest: Manifest) -> None:
    limits = {"cpu": "2", "aws.amazon.com/neuroncore": "2", "nvidia.com/gpu": "1"}
    for text, group in zip(("nonsense", "[1]"), _groups(manifest), strict=False):
        group["rayStartParams"] = {"resources": text, "dashboard-agent-listen-port": "52366"}
        _ray(group)["resources"] = {"limits": limits}


def _details(manifest: Manifest) -> None:
    """Small things that hardly anybody writes."""
    head = _head(manifest)
    head["serviceType"] = "NodePort"
    head["template"]["metadata"] = {"name": f"{manifest['metadata']['name']}-first"}
    head["resources"] = {"CPU": "0", "nothing": "0"}
    for group in _groups(manifest):
        group.setdefault("rayStartParams", {})["plasma-directory"] = "/plasma"
        _ray(group)["readinessProbe"] = {"exec": {"command": ["true"]}}


def topology(tier: str | None) -> Feature:
    """A network topology of Volcano's, whose tier may be no number, or missing."""
    labels = {"volcano.sh/network-topology-mode": "hard"}
    if tier is not None:
        labels["volcano.sh/network-topology-highest-tier-allowed"] = tier
    return lambda manifest: _label(manifest, **labels)


def _collects(manifest: Manifest) -> None:
    """A history collector that is told what it needs."""
    compared.FEATURES["history"](manifest["spec"])
    options = manifest["spec"]["historyServerOptions"]["collectorOptions"]
    options["resources"] = {"limits": {"cpu": "100m"}}


def _serves(manifest: Manifest) -> None:
    _annotate(manifest, **{"ray.io/enable-serve-service": "true"})


def _ingress_class(manifest: Manifest) -> None:
    _annotate(manifest, **{"kubernetes.io/ingress.class": "nginx", "a": "b"})
    _head(manifest)["enableIngress"] = True


def _own_account(manifest: Manifest) -> None:
    manifest["spec"]["enableInTreeAutoscaling"] = True
    _head(manifest)["template"]["spec"]["serviceAccountName"] = "mine"


def _restarting(manifest: Manifest) -> None:
    """Workers that the first autoscaler would see restarted: a warning."""
    manifest["spec"]["enableInTreeAutoscaling"] = True
    manifest["spec"]["autoscalerOptions"] = {"version": "v1"}
    for group in manifest["spec"]["workerGroupSpecs"]:
        group["template"]["spec"]["restartPolicy"] = "Always"


def _of_spec(change: Callable[[Any], int]) -> Feature:
    return lambda manifest: change(manifest["spec"])


FEATURES: Mapping[str, Feature] = {
    **{name: _of_spec(change) for name, change in compared.FEATURES.items()},
    "token": _token,
    "tls": _tls,
    "gang": _gang,
    "queues": _queues,
    "placed": _placed,
    "oldredis": _redis_by_note,
    "redisuser": _redis_user,
    "ownclaim": _own_claim,
    "keptclaim": _kept_claim,
    "bareclaim": _bare_claim,
    "largeclaim": _large_claim,
    "closedin": _closed("DenyAllIngress"),
    "closedout": _closed("DenyAllEgress"),
    "ownstart": _own_start,
    "amounts": _amounts,
    "oddparams": _odd_params,
    "serves": _serves,
    "ingressclass": _ingress_class,
    "ownaccount": _own_account,
    "restarting": _restarting,
    "details": _details,
    "topology": topology(None),
    "collects": _collects,
}
ONE_OF: tuple[frozenset[str], ...] = (
    frozenset(
        {
            "redis",
            "rocks",
            "oldredis",
            "redisuser",
            "ownclaim",
            "keptclaim",
            "bareclaim",
            "largeclaim",
        }
    ),
    frozenset({"params", "words", "amounts", "oddparams", "quantities"}),
    frozenset({"autoscale", "autoscale2", "scaler", "resting", "ownaccount", "restarting"}),
    frozenset({"token", "kubetoken", "oldray"}),
    frozenset({"scaler", "oldray"}),
    frozenset({"policy", "closedin", "closedout"}),
    frozenset({"ingress", "route", "ingressclass"}),
    frozenset({"probes", "restarting", "details"}),
    frozenset({"queues", "topology"}),
    frozenset({"history", "collects"}),
    frozenset({"details", "params", "words", "amounts", "oddparams", "quantities", "dressed"}),
    frozenset({"oldredis", "params", "oddparams", "dressed"}),
)
"""Of each of these a cluster has one at most: they say one thing twice, or exclude each other."""
WITH_WORKERS = frozenset({"none"})
"""What comes last: it takes the first group away."""
BY_HOLDERS = frozenset(FEATURES) - {"headsvc", "recreate", "kubetoken", "restarting"}
"""What the cluster of a RayJob or RayService may have as well."""


def agreeing(names: list[str]) -> list[str]:
    """Leave those out that do not go with an earlier one; who takes groups away comes last."""
    kept: list[str] = []
    for name in names:
        if not any(name in few and few & set(kept) for few in ONE_OF) and name not in kept:
            kept.append(name)
    return sorted(kept, key=lambda name: name in WITH_WORKERS)
