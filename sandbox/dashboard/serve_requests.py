"""The declarative Serve API and the proxies that carry its traffic. Pure.

A PUT names all applications: what it leaves out is gone, what it repeats unchanged goes on as it
is, what it changes is deployed anew. Read next: serve.py.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from sandbox.dashboard import serve
from sandbox.dashboard.heads import RayNode
from sandbox.dashboard.job_requests import Answered, Desk
from sandbox.dashboard.memory import App, Memory
from sandbox.dashboard.replies import (
    BAD,
    BROKEN,
    EMPTY,
    MISSING,
    REFUSED,
    TEXT,
    Reply,
    document,
    sentence,
    traceback,
)
from sandbox.dashboard.serve_schema import complaint


def put(memory: Memory, body: bytes, desk: Desk) -> Answered:
    """Deploy what the configuration says."""
    try:
        config = json.loads(body)
    except ValueError as error:
        return memory, traceback(BROKEN, f"json.decoder.JSONDecodeError: {error}")
    told = complaint(config)
    if told:
        return memory, Reply(status=BAD, content_type=TEXT, body=told.encode())
    capacity = config.get("target_capacity")
    apps = {
        name: _deployed(memory.apps.get(name), {"name": name, **app}, desk)
        for app in config["applications"]
        for name in (str(app.get("name", "default")),)
    }
    changed = replace(
        memory,
        apps=apps,
        serve_since=memory.serve_since or desk.now,
        target_capacity=None if capacity is None else float(capacity),
        http_port=int((config.get("http_options") or {}).get("port") or memory.http_port),
    )
    return changed, EMPTY


def shut_down(memory: Memory) -> Answered:
    """End Serve and all applications."""
    return replace(memory, apps={}, serve_since=None, target_capacity=None), EMPTY


def show(memory: Memory, nodes: Sequence[RayNode], desk: Desk) -> Answered:
    """Tell everything about Serve."""
    placed = placed_apps(memory, nodes, desk)
    return memory, document(serve.shown(memory, nodes, placed, desk.now))


def proxied(
    memory: Memory, path: str, node: RayNode, nodes: Sequence[RayNode], desk: Desk
) -> Reply:
    """Answer what came to the Serve proxy of one node."""
    placed = placed_apps(memory, nodes, desk)
    here = {each.node_id for each in serve.nodes_with_proxy(memory, nodes, placed)}
    if node.node_id not in here or not serve.proxies_run(memory, desk.now):
        return REFUSED
    routes = {
        each.app.config.get("route_prefix", "/"): each.app.config["name"]
        for each in placed
        if each.step.status in serve.DEPLOYMENT_STATES
    }
    if path == "/-/healthz":
        return sentence(200, "success")
    if path == "/-/routes":
        return Reply(content_type="application/json", body=msgspec.json.encode(routes))
    fitting = [prefix for prefix in routes if prefix is not None and _below(path, str(prefix))]
    if not fitting:
        told = f"Path '{path}' not found. Ping http://.../-/routes for available routes."
        return sentence(MISSING, told)
    app = routes[max(fitting, key=len)]
    return Reply(content_type="application/json", body=msgspec.json.encode({"app": app}))


def placed_apps(memory: Memory, nodes: Sequence[RayNode], desk: Desk) -> list[serve.Placed]:
    """Return every application as it is now, on the nodes that take replicas."""
    workers = tuple(node for node in nodes if not node.head) or tuple(nodes)
    return [
        serve.Placed(
            app=app,
            step=serve.step_at(app, desk.script.app_rule(*desk.head.key, name), desk.now),
            nodes=workers,
        )
        for name, app in memory.apps.items()
    ]


def _deployed(before: App | None, config: dict[str, Any], desk: Desk) -> App:
    if before is not None and before.config == config:
        return before
    return App(config=config, deployed_at=desk.now)


def _below(path: str, prefix: str) -> bool:
    return prefix in {"/", path} or path.startswith(f"{prefix}/")
