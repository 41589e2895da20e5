"""How Kubernetes finds out whether a Ray node lives and may be used.

Newer Ray answers for all of a node under one address; older Ray is asked part by part with a
shell. A worker of a service is ready only when its Serve proxy is. A probe that the user wrote
stays as it is.
"""

from collections.abc import Mapping

from services.reconciler.manifests.pods.draft import Part, PodDraft
from services.reconciler.manifests.pods.start_params import AGENT_PORT, AGENT_PORT_DEFAULT
from shared.kernel.manifests import Raw, entries_at, integer_at, named
from shared.resources.predicates import creator
from shared.resources.versions import HTTP_PROBES, at_least

_DASHBOARD_PORT = "dashboard-port"
_DASHBOARD_PORT_DEFAULT = "8265"
_SERVE_PORT_DEFAULT = 8000
_PERIOD = 5
_TIMEOUT_HEAD = 5
_TIMEOUT_WORKER = 2
_LIVENESS = {"initialDelaySeconds": 30, "failureThreshold": 120}
_READINESS = {"initialDelaySeconds": 10, "failureThreshold": 10}


def add_probes(draft: PodDraft, *, head: bool) -> None:
    """Add the probes that the user left out."""
    if not draft.settings.injects_probes:
        return
    serves = creator(draft.cluster) == "RayService" and not head
    times = {
        "timeoutSeconds": _TIMEOUT_HEAD if head else _TIMEOUT_WORKER,
        "periodSeconds": _PERIOD,
        "successThreshold": 1,
    }
    if draft.ray.get("livenessProbe") is None:
        draft.ray["livenessProbe"] = {**_check(draft, head=head), **times, **_LIVENESS}
    if draft.ray.get("readinessProbe") is None:
        check = _serve_check(draft) if serves else _check(draft, head=head)
        threshold = {"failureThreshold": 1} if serves else {}
        draft.ray["readinessProbe"] = {**check, **times, **_READINESS, **threshold}


def _check(draft: PodDraft, *, head: bool) -> Part:
    if at_least(draft.cluster.spec.ray_version, HTTP_PROBES):
        port = _port(draft.start, AGENT_PORT, AGENT_PORT_DEFAULT)
        return {"httpGet": {"path": "/api/healthz", "port": port}}
    dashboard = _port(draft.start, _DASHBOARD_PORT, _DASHBOARD_PORT_DEFAULT)
    store = [_asked(dashboard, "api/gcs_healthz", patience=10)]
    return _shell([_raylet_answers(draft), *(store if head else [])])


def _serve_check(draft: PodDraft) -> Part:
    port = _serve_port(draft.ray)
    return _shell([_raylet_answers(draft), _asked(port, "-/healthz", patience=10)])


def _raylet_answers(draft: PodDraft) -> str:
    agent = _port(draft.start, AGENT_PORT, AGENT_PORT_DEFAULT)
    return _asked(agent, "api/local_raylet_healthz", patience=2)


def _asked(port: int, path: str, *, patience: int) -> str:
    return f"wget --tries 1 -T {patience} -q -O- http://localhost:{port}/{path} | grep success"


def _shell(checks: list[str]) -> Part:
    return {"exec": {"command": ["bash", "-c", " && ".join(checks)]}}


def _port(params: Mapping[str, str], name: str, default: str) -> int:
    written = params.get(name, default)
    return int(written) if written.isdecimal() and written.isascii() else int(default)


def _serve_port(container: Raw) -> int:
    declared = named(entries_at(container, "ports"), "serve")
    return integer_at(declared, "containerPort") or _SERVE_PORT_DEFAULT
