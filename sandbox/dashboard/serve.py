"""Serve as the API shows it: controller, proxies, applications, deployments, replicas. Pure.

What an application is at a moment follows from when it was deployed and from its rule. Replicas
stand on workers where there are any, else on the head; a node without one has no proxy, except the
head. Read next: serve_requests.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from math import ceil
from typing import Any

from msgspec import Struct

from sandbox.controllers.rayrules import AppRule, AppStep
from sandbox.dashboard.heads import RayNode
from sandbox.dashboard.memory import App, Memory
from sandbox.dashboard.serve_shapes import (
    DEPLOYMENT_DEFAULTS,
    GRPC_OPTIONS,
    HTTP_OPTIONS,
    health_metrics,
)

NOT_STARTED: Mapping[str, Any] = {
    "controller_info": {},
    "proxies": {},
    "applications": {},
    "target_capacity": None,
}
PROXIES_START_IN = timedelta(seconds=0.5)
DEPLOYMENT_STATES: Mapping[str, tuple[str, str]] = {
    "RUNNING": ("HEALTHY", "CONFIG_UPDATE_COMPLETED"),
    "UNHEALTHY": ("UNHEALTHY", "HEALTH_CHECK_FAILED"),
}


class Placed(Struct, frozen=True, kw_only=True):
    """An application at one moment, with the nodes its replicas stand on."""

    app: App
    step: AppStep
    nodes: tuple[RayNode, ...]


def step_at(app: App, rule: AppRule, now: datetime) -> AppStep:
    """Return where an application has got to."""
    age = (now - app.deployed_at).total_seconds()
    reached = [step for step in rule.steps if step.after <= age]
    return reached[-1] if reached else AppStep(status="DEPLOYING")


def next_step_at(app: App, rule: AppRule, now: datetime) -> datetime | None:
    """Say when an application changes by itself."""
    moments = (app.deployed_at + timedelta(seconds=step.after) for step in rule.steps)
    return min((moment for moment in moments if moment > now), default=None)


def proxies_run(memory: Memory, now: datetime) -> bool:
    """Tell whether proxies listen: they take a moment after Serve was started."""
    return memory.serve_since is not None and memory.serve_since + PROXIES_START_IN <= now


def nodes_with_proxy(
    memory: Memory, nodes: Sequence[RayNode], placed: Sequence[Placed]
) -> list[RayNode]:
    """Return the nodes whose proxy runs: the head, and whoever has a replica."""
    if memory.serve_since is None:
        return []
    busy = {
        node.node_id
        for each in placed
        for deployment in _deployments(each)
        for node in _replica_nodes(each, deployment, memory)
    }
    return [node for node in nodes if node.head or node.node_id in busy]


def shown(
    memory: Memory, nodes: Sequence[RayNode], placed: Sequence[Placed], now: datetime
) -> Mapping[str, Any]:
    """Write everything about Serve as the API shows it."""
    since = memory.serve_since
    head = next((node for node in nodes if node.head), None)
    if since is None or head is None:
        return NOT_STARTED
    proxied = nodes_with_proxy(memory, nodes, placed)
    running = proxies_run(memory, now)
    return {
        "controller_info": {
            **_actor(head, "controller"),
            "actor_name": "SERVE_CONTROLLER_ACTOR",
            "worker_id": _id(56, head.node_id, "controller"),
            "log_file_path": "/serve/controller_4242.log",
        },
        "proxy_location": "EveryNode",
        "http_options": {**HTTP_OPTIONS, "port": memory.http_port},
        "grpc_options": GRPC_OPTIONS,
        "proxies": {node.node_id: _proxy(node, running=running) for node in proxied},
        "applications": {str(each.app.config["name"]): _app(each, memory) for each in placed},
        "target_capacity": memory.target_capacity,
        "target_groups": [_targets(proxied if running else (), memory.http_port)],
        "controller_health_metrics": health_metrics(since, now),
        "restores_unset_config_options": True,
    }


def _app(each: Placed, memory: Memory) -> dict[str, Any]:
    config, step = each.app.config, each.step
    built = step.status in DEPLOYMENT_STATES
    names = [str(item["name"]) for item in _deployments(each)]
    topology = {
        "app_name": config["name"],
        "nodes": {name: _in_topology(name, str(config["name"])) for name in names},
        "ingress_deployment": names[0] if names else None,
    }
    return {
        "name": config["name"],
        "route_prefix": config.get("route_prefix", "/") if built else None,
        "docs_path": None,
        "status": step.status,
        "message": step.message,
        "last_deployed_time_s": each.app.deployed_at.timestamp(),
        "deployed_app_config": config,
        "source": "declarative",
        "deployments": {
            str(item["name"]): _deployment(each, item, memory) for item in _deployments(each)
        }
        if built
        else {},
        "external_scaler_enabled": False,
        "deployment_topology": topology if built else None,
    }


def _in_topology(name: str, app: str) -> dict[str, Any]:
    return {"name": name, "app_name": app, "outbound_deployments": [], "is_ingress": True}


def _deployment(each: Placed, item: Mapping[str, Any], memory: Memory) -> dict[str, Any]:
    status, trigger = DEPLOYMENT_STATES[each.step.status]
    nodes = list(_replica_nodes(each, item, memory))
    return {
        "name": item["name"],
        "status": status,
        "status_trigger": trigger,
        "message": each.step.message,
        "deployment_config": {**DEPLOYMENT_DEFAULTS, **item},
        "target_num_replicas": len(nodes),
        "required_resources": {"CPU": 0.1},
        "replicas": [_replica(each, item, number, node) for number, node in enumerate(nodes)],
        "recent_dead_replicas": [],
    }


def _replica(each: Placed, item: Mapping[str, Any], number: int, node: RayNode) -> dict[str, Any]:
    app, name = each.app.config["name"], item["name"]
    short = _id(8, each.app.deployed_at.isoformat(), str(app), str(name), str(number))
    return {
        **_actor(node, short),
        "actor_name": f"SERVE_REPLICA::{app}#{name}#{short}",
        "worker_id": _id(56, node.node_id, short),
        "log_file_path": f"/serve/replica_{app}_{name}_{short}.log",
        "replica_id": short,
        "state": "RUNNING",
        "pid": 4242,
        "start_time_s": each.app.deployed_at.timestamp(),
    }


def _deployments(each: Placed) -> Sequence[Mapping[str, Any]]:
    return each.app.config.get("deployments") or ({"name": "App", "num_replicas": 1},)


def _replica_nodes(each: Placed, item: Mapping[str, Any], memory: Memory) -> Iterator[RayNode]:
    """Deal the replicas of a deployment out over the nodes."""
    if each.step.status not in DEPLOYMENT_STATES or not each.nodes:
        return
    asked = item.get("num_replicas", 1)
    count = asked if isinstance(asked, int) else 1
    if memory.target_capacity is not None:
        count = ceil(count * memory.target_capacity / 100)
    for number in range(count):
        yield each.nodes[number % len(each.nodes)]


def _proxy(node: RayNode, *, running: bool) -> dict[str, Any]:
    begun = {**_actor(node, "proxy"), "actor_name": f"SERVE_PROXY_ACTOR-{node.node_id}"}
    if not running:
        return {**begun, "status": "STARTING"}
    return {
        **begun,
        "worker_id": _id(56, node.node_id, "proxy"),
        "log_file_path": f"/serve/proxy_{node.address}.log",
        "status": "HEALTHY",
    }


def _actor(node: RayNode, role: str) -> dict[str, Any]:
    return {
        "node_id": node.node_id,
        "node_ip": node.address,
        "node_instance_id": "",
        "actor_id": _id(32, node.node_id, role),
    }


def _targets(nodes: Sequence[RayNode], port: int) -> dict[str, Any]:
    targets = [
        {
            "ip": node.address,
            "port": port,
            "instance_id": "",
            "name": f"SERVE_PROXY_ACTOR-{node.node_id}",
        }
        for node in nodes
    ]
    return {
        "targets": targets,
        "route_prefix": "/",
        "protocol": "HTTP",
        "app_name": "",
        "ingress_request_router_targets": [],
        "ingress_deployment_name": "",
    }


def _id(length: int, *parts: str) -> str:
    return sha256("/".join(parts).encode()).hexdigest()[:length]
