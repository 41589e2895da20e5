"""Takes out of objects what differs from one world to the next. Pure.

What is left can be compared across operators, control planes and days. Invariant: masking only
replaces what is drawn, measured or counted by the world (uids, times, addresses, drawn name parts,
hashes); whatever an operator chose stays.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.differential.collecting import told_by
from tests.differential.stories import Json, Objects

DRAWN = "[bcdfghjklmnpqrstvwxz2456789]{5}"
LETTERS = {"Job": "[a-z0-9]{5}", "RayCronJob": r"\d{8,10}"}
"""What Kubernetes itself draws for pods of a Job; the minute of a run."""
POD = re.compile(f"-(head|worker)-{DRAWN}\\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
TOLD_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(,\d+|(\.\d+)? \+0000 UTC)")
CONTAINER = re.compile(r"containerd://[0-9a-f]+")
ADDRESS = re.compile(r"\b\d{1,3}(\.\d{1,3}){3}\b")
HASHES = re.compile(r"hash", re.IGNORECASE)
OF_THE_WORLD = {
    "resourceVersion",
    "managedFields",
    "creationTimestamp",
    "selfLink",
    "uid",
    "generateName",
    "nodeName",
    "clusterIP",
    "clusterIPs",
    "batch.kubernetes.io/controller-uid",
    "controller-uid",
    "kubectl.kubernetes.io/last-applied-configuration",
    "sandbox.heliograph.dev/seen-at",
    "sandbox.heliograph.dev/submitted",
    "nodePort",
}
REPLICA = "ray.io/worker-group-replica-name"
NODE_PORT = re.compile(r"3[0-2]\d{3}")
STATUS_OF_OTHERS = {
    "pods",
    "services",
    "jobs",
    "ingresses",
    "persistentvolumeclaims",
    "gateways",
    "httproutes",
}
"""Kinds whose status others write: the kubelet, controllers of Kubernetes."""
COUNTED = "generation"
"""Of a pod it counts what others do to it, too."""
DEFAULTED = (("defaultMode", 420), ("expirationSeconds", 3600))
"""What the real API server fills in, and the sandbox does not."""
FINALIZERS = {"batch.kubernetes.io/job-tracking", "kubernetes.io/pvc-protection"}
"""Those of Kubernetes' own controllers."""
GIVEN_BY_ADMISSION = "kube-api-access-"
KEPT_ADDRESSES = {"127.0.0.1", "0.0.0.0"}


def masked(objects: Objects, drawn: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return everything of a namespace, masked, each kind in an order of its own."""
    names = longest_first(drawn)
    return {
        plural: sorted((_plain(plural, one, names) for one in found), key=repr)
        for plural, found in objects.items()
        if found and plural != "events"
    }


def events(objects: Objects, drawn: Mapping[str, str]) -> list[list[str]]:
    """Return what was told of what: each sentence once, however often it was told."""
    names = longest_first(drawn)
    told = {
        (
            str(one.get("regarding", {}).get("kind")),
            str(one.get("type")),
            str(one.get("reason")),
            text(str(one.get("note", "")), names),
            told_by(one),
        )
        for one in objects.get("events", ())
    }
    return sorted(list(each) for each in told)


def drawn_names(objects: Objects) -> dict[str, str]:
    """Return names and ids of this world with what stands for them; gone ones are still told of."""
    return dict(_drawn(objects))


def longest_first(drawn: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return names in the order in which they are to be replaced."""
    return sorted(drawn.items(), key=lambda pair: (-len(pair[0]), pair[0]))


def _drawn(objects: Objects) -> Iterator[tuple[str, str]]:
    for plural, some in objects.items():
        for one in some:
            metadata = one["metadata"]
            yield str(metadata["uid"]), f"<uid of {plural}>"
            if plural in {"pods", "rayclusters", "rayjobs"} and _is_made(metadata):
                yield metadata["name"], _stem(metadata["name"], **_owner(metadata))
    for job in objects.get("rayjobs", ()):
        if told := (job.get("status") or {}).get("jobId"):
            yield told, _stem(told)
    for event in objects.get("events", ()):
        regarding = event.get("regarding", {})
        if regarding.get("kind") == "Pod":
            yield regarding["name"], _stem(regarding["name"])


def _is_made(metadata: Json) -> bool:
    return bool(metadata.get("ownerReferences"))


def _owner(metadata: Json) -> dict[str, str]:
    return {"kind": str(metadata["ownerReferences"][0]["kind"])}


def _stem(name: str, kind: str = "") -> str:
    return re.sub(f"-{LETTERS.get(kind, DRAWN)}$", "-<drawn>", name)


def text(value: str, names: Sequence[tuple[str, str]]) -> str:
    """Return a text in which worlds do not differ."""
    for name, mask in names:
        value = value.replace(name, mask)
    value = TIME.sub("<time>", POD.sub(r"-\1-<drawn>", value))
    value = CONTAINER.sub("<container>", TOLD_TIME.sub("<time>", value))
    return ADDRESS.sub(lambda hit: hit[0] if hit[0] in KEPT_ADDRESSES else "<address>", value)


def _plain(plural: str, one: Json, names: Sequence[tuple[str, str]]) -> Any:
    kept = dict(one)
    if not plural.startswith("ray"):
        kept["metadata"] = {key: entry for key, entry in one["metadata"].items() if key != COUNTED}
    if plural == "services":
        ports = sorted(one["spec"].get("ports", ()), key=lambda port: str(port.get("name")))
        kept["spec"] = {**one["spec"], "ports": ports}  # KubeRay's order is drawn
    if plural in STATUS_OF_OTHERS:
        phase = (one.get("status") or {}).get("phase") if plural == "pods" else None
        kept["status"] = phase
    return value_of(kept, names)


def value_of(value: Any, names: Sequence[tuple[str, str]], key: str = "") -> Any:
    """Return any value, masked; empty ones are left out, as is what the world adds."""
    if isinstance(value, Mapping):
        defaulted = (*DEFAULTED, *((("apiVersion", "v1"),) if key == "fieldRef" else ()))
        value = {name: entry for name, entry in value.items() if (name, entry) not in defaulted}
        inner = "endpoint" if key == "endpoints" else ""
        entries = ((name, value_of(entry, names, inner or name)) for name, entry in value.items())
        return {
            text(name, names): entry
            for name, entry in entries
            if name not in OF_THE_WORLD and entry not in ({}, [], "", None)
        }
    if isinstance(value, list):
        kept = (each for each in value if not _from_admission(each))
        return [value_of(each, names, key) for each in kept]
    return _word(value, names, key) if isinstance(value, str) else value


def _word(value: str, names: Sequence[tuple[str, str]], key: str) -> str:
    if HASHES.search(key) and value:
        return "<hash>"
    if key == REPLICA:
        return _stem(value)
    if key == "endpoint":
        return NODE_PORT.sub("<node port>", value)
    return text(value, names)


def _from_admission(entry: Any) -> bool:
    """Tell of what Kubernetes adds to pods: a token, how long nodes may be away, a finalizer."""
    if not isinstance(entry, Mapping):
        return isinstance(entry, str) and entry in FINALIZERS
    named = str(entry.get("name", "")).startswith(GIVEN_BY_ADMISSION)
    return named or str(entry.get("key", "")).startswith("node.kubernetes.io/")
