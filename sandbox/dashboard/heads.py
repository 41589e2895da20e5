"""What of Ray runs in a pod, read off the pod itself. Pure.

A head has a dashboard, an agent and a Serve proxy, a worker the latter two; all of them answer from
a while after the Ray container (the first one) has started. Which start that was is part of what is
known: a head that was started again is another one. Read next: answering.py.
"""

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, TypeAlias

from msgspec import Struct

from sandbox.controllers.rayrules import HeadRule
from sandbox.objects import Object, dig, metadata, moment, name_of, namespace_of, rows

CLUSTER = "ray.io/cluster"
NODE_TYPE = "ray.io/node-type"
DURABLE = "ray.io/ft-enabled"
Part: TypeAlias = Literal["dashboard", "serve", "dashboard-agent"]
Secrets: TypeAlias = Callable[[str], Object | None]
PORTS: Mapping[Part, int] = {"dashboard": 8265, "serve": 8000, "dashboard-agent": 52365}


class RayNode(Struct, frozen=True, kw_only=True):
    """One running pod of a RayCluster."""

    namespace: str
    cluster: str
    pod: str
    uid: str
    address: str
    head: bool
    incarnation: str
    started_at: datetime

    @property
    def node_id(self) -> str:
        """The id that Ray would give this node: another one after each start."""
        return sha256(f"{self.uid}/{self.incarnation}".encode()).hexdigest()[:56]


class Head(Struct, frozen=True, kw_only=True):
    """A head that runs: where, since when, what it lets in, whether it outlives its pod."""

    node: RayNode
    up_at: datetime
    token: str | None = None
    durable: bool = False
    ray_version: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name of the RayCluster."""
        return self.node.namespace, self.node.cluster


def is_ray(pod: Object) -> bool:
    """Tell whether a pod belongs to a RayCluster."""
    labels = metadata(pod).get("labels") or {}
    return CLUSTER in labels and labels.get(NODE_TYPE) in {"head", "worker"}


def node_of(pod: Object) -> RayNode | None:
    """Read a running Ray pod; None if its Ray container does not run."""
    first = next(rows(pod, "spec.containers"), None)
    if first is None or not is_ray(pod):
        return None
    statuses = {each.get("name"): each for each in rows(pod, "status.containerStatuses")}
    status = statuses.get(first.get("name"))
    started = dig(status, "state.running.startedAt")
    if status is None or started is None:
        return None
    labels = metadata(pod)["labels"]
    return RayNode(
        namespace=namespace_of(pod),
        cluster=str(labels[CLUSTER]),
        pod=name_of(pod),
        uid=str(metadata(pod).get("uid", "")),
        address=str(dig(pod, "status.podIP") or ""),
        head=labels[NODE_TYPE] == "head",
        incarnation=str(status.get("containerID") or status.get("restartCount", 0)),
        started_at=moment(started),
    )


def head_of(pod: Object, rule: HeadRule, secrets: Secrets) -> Head | None:
    """Read a running head; `secrets` finds one of its namespace, for its token."""
    node = node_of(pod)
    if node is None or not node.head:
        return None
    return Head(
        node=node,
        up_at=node.started_at + timedelta(seconds=rule.up_after),
        token=_token(pod, secrets),
        durable=_annotation(pod, DURABLE).lower() == "true",
        ray_version=rule.ray_version,
    )


def part_at(pod: Object, port: int | str) -> Part | None:
    """Name the part of Ray behind a port's number or name; None if nothing listens there."""
    declared = _declared(pod)
    ports = {part: declared.get(part, default) for part, default in PORTS.items()}
    fitting = (part for part, number in ports.items() if port in {part, number, str(number)})
    return next(fitting, None)


def container_env(pod: Object, container: str = "") -> dict[str, Object]:
    """Return the environment of a container (none named: of the first), by name."""
    for each in rows(pod, "spec.containers"):
        if not container or each.get("name") == container:
            return {str(item.get("name")): item for item in rows(each, "env")}
    return {}


def env_value(entry: Object | None, secrets: Secrets) -> str:
    """Read one variable, also from a Secret; empty if it cannot be known."""
    if entry is None:
        return ""
    if "value" in entry:
        return str(entry["value"])
    return secret_value(
        secrets(str(dig(entry, "valueFrom.secretKeyRef.name"))),
        str(dig(entry, "valueFrom.secretKeyRef.key")),
    )


def secret_value(secret: Object | None, key: str) -> str:
    """Read one value of a Secret."""
    encoded = dig(secret, "data") or {}
    if key in encoded:
        return b64decode(str(encoded[key])).decode()
    return str((dig(secret, "stringData") or {}).get(key, ""))


def _token(pod: Object, secrets: Secrets) -> str | None:
    """Return the token a head asks for; None if it asks for none."""
    env = container_env(pod)
    if env_value(env.get("RAY_AUTH_MODE"), secrets) != "token":
        return None
    return env_value(env.get("RAY_AUTH_TOKEN"), secrets)


def _declared(pod: Object) -> dict[str, int]:
    first = next(rows(pod, "spec.containers"), {})
    return {
        str(port["name"]): int(port["containerPort"])
        for port in rows(first, "ports")
        if port.get("name") in PORTS
    }


def _annotation(pod: Object, key: str) -> str:
    return str((metadata(pod).get("annotations") or {}).get(key, ""))
