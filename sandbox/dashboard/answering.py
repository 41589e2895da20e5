"""Every request to a part of Ray and its answer: the list of routes. Pure.

`ask_dashboard` is what a head's dashboard port does, `ask_agent` and `ask_proxy` are the other two.
Who may ask is looked at first, then whether a rule of the script takes the answer over. Read next:
job_requests.py, serve_requests.py.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from sandbox.controllers.rayrules import AnswerRule, RayScript
from sandbox.dashboard import job_requests, serve_requests
from sandbox.dashboard.heads import Head, RayNode
from sandbox.dashboard.job_requests import Answered, Desk
from sandbox.dashboard.memory import Memory
from sandbox.dashboard.replies import (
    FORBIDDEN,
    HEALTH,
    NOT_FOUND,
    REFUSED,
    TEXT,
    UNAUTHORIZED,
    Ask,
    Reply,
    document,
    sentence,
)

API_LEVEL = "4"
OPEN = frozenset(("/api/gcs_healthz", "/api/local_raylet_healthz", "/api/authentication_mode"))
JOBS = "/api/jobs/"
SERVE = "/api/serve/applications/"
ONE_JOB: Mapping[tuple[str, str], Callable[[Memory, str, Desk], Answered]] = {
    ("GET", ""): job_requests.get,
    ("DELETE", ""): job_requests.delete,
    ("GET", "logs"): job_requests.logs,
    ("POST", "stop"): job_requests.stop,
}
HEALTHY = Reply(content_type=HEALTH, body=b"success")


def ask_dashboard(memory: Memory, ask: Ask, nodes: Sequence[RayNode], desk: Desk) -> Answered:
    """Answer a request to the dashboard of a head."""
    path = ask.path.partition("?")[0]
    refusal = None if path in OPEN else not_allowed(ask, desk.head.token)
    if refusal is not None:
        return memory, refusal
    if path.startswith(JOBS):
        return _jobs(memory, ask, path, desk)
    if path == SERVE:
        return _serve(memory, ask, nodes, desk)
    return memory, _about(path, ask.method, nodes, desk)


def ask_agent(ask: Ask, head: Head | None) -> Reply:
    """Answer a request to the agent of any node."""
    path = ask.path.partition("?")[0]
    if path == "/api/local_raylet_healthz":
        return HEALTHY
    refusal = None if head is None else not_allowed(ask, head.token)
    if refusal is not None:
        return refusal
    if path == "/api/healthz":
        gcs = "success" if head is not None else "GCS is not reachable"
        code = 200 if head is not None else 503
        told = f"raylet: success\ngcs: {gcs}"
        return Reply(status=code, content_type=HEALTH, body=told.encode())
    return NOT_FOUND


def ask_proxy(
    memory: Memory, ask: Ask, node: RayNode, nodes: Sequence[RayNode], desk: Desk
) -> Reply:
    """Answer a request to the Serve proxy of a node."""
    path = ask.path.partition("?")[0]
    return serve_requests.proxied(memory, path, node, nodes, desk)


def scripted(script: RayScript, head: Head, ask: Ask, now: datetime) -> AnswerRule | None:
    """Find the rule that takes an answer over or makes it late."""
    path = ask.path.partition("?")[0]
    age = (now - head.node.started_at).total_seconds()
    fitting = (
        rule
        for rule in script.answers
        if rule.here(*head.key) and rule.speaks_of(ask.method, path, age)
    )
    return next(fitting, None)


def overruled(rule: AnswerRule) -> Reply | None:
    """Return the answer that a rule gives itself; None if it leaves the truth alone."""
    if rule.refuse:
        return REFUSED
    if rule.status is None:
        return None
    return Reply(status=rule.status, content_type=TEXT, body=rule.body.encode(), delay=rule.delay)


def not_allowed(ask: Ask, token: str | None) -> Reply | None:
    """Refuse whoever has no token or a wrong one, in Ray's words."""
    if token is None:
        return None
    given = ask.headers.get("authorization") or ask.headers.get("x-ray-authorization")
    if not given:
        return sentence(UNAUTHORIZED, "Unauthorized: Missing authentication token")
    if given != f"Bearer {token}":
        return sentence(FORBIDDEN, "Forbidden: Invalid authentication token")
    return None


def _jobs(memory: Memory, ask: Ask, path: str, desk: Desk) -> Answered:
    name, _, verb = path.removeprefix(JOBS).partition("/")
    if not name:
        return _all_jobs(memory, ask, desk)
    call = ONE_JOB.get((ask.method, verb))
    return (memory, NOT_FOUND) if call is None else call(memory, name, desk)


def _all_jobs(memory: Memory, ask: Ask, desk: Desk) -> Answered:
    if ask.method == "POST":
        return job_requests.submit(memory, ask.body, desk)
    return job_requests.listed(memory, desk) if ask.method == "GET" else (memory, NOT_FOUND)


def _serve(memory: Memory, ask: Ask, nodes: Sequence[RayNode], desk: Desk) -> Answered:
    match ask.method:
        case "GET":
            return serve_requests.show(memory, nodes, desk)
        case "PUT":
            return serve_requests.put(memory, ask.body, desk)
        case "DELETE":
            return serve_requests.shut_down(memory)
        case _:
            return memory, NOT_FOUND


def _about(path: str, method: str, nodes: Sequence[RayNode], desk: Desk) -> Reply:
    if method != "GET":
        return NOT_FOUND
    if path == "/api/gcs_healthz":
        return HEALTHY
    mode = "disabled" if desk.head.token is None else "token"
    told: Mapping[str, Callable[[], object]] = {
        "/api/version": lambda: _version(desk.head),
        "/api/authentication_mode": lambda: {"authentication_mode": mode},
        "/api/v0/nodes": lambda: _nodes(nodes),
        "/api/component_activities": lambda: {"driver": _idle(desk.now)},
    }
    return document(told[path]()) if path in told else NOT_FOUND


def _version(head: Head) -> dict[str, str]:
    return {
        "version": API_LEVEL,
        "ray_version": head.ray_version,
        "ray_commit": "sandbox",
        "session_name": f"session_{head.node.node_id[:8]}",
    }


def _idle(now: datetime) -> dict[str, object]:
    return {
        "is_active": "INACTIVE",
        "reason": None,
        "timestamp": now.timestamp(),
        "last_activity_at": None,
    }


def _nodes(nodes: Sequence[RayNode]) -> dict[str, object]:
    rows = [
        {
            "node_id": node.node_id,
            "node_ip": node.address,
            "is_head_node": node.head,
            "state": "ALIVE",
            "state_message": None,
            "node_name": node.address,
            "resources_total": {f"node:{node.address}": 1.0},
            "labels": {"ray.io/node-id": node.node_id},
        }
        for node in nodes
    ]
    counted = {"total": len(rows), "num_after_truncation": len(rows), "num_filtered": len(rows)}
    told = {**counted, "result": rows, "partial_failure_warning": "", "warnings": None}
    return {"result": True, "msg": "", "data": {"result": told}}
