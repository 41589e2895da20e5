"""The scripted dashboard answers in the shape of a recorded real one: code, type, fields, kinds."""

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.controllers.rayrules import AppRule, AppStep, JobRule, RayScript
from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import Ask
from tests.unit.sandbox.dashboard.ray_pods import RayCluster, ray_pod, up

DATA = Path(__file__).resolve().parents[5] / "shared" / "data" / "ray-dashboard"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data/ray-dashboard")

SCRIPT = RayScript(
    jobs=(
        JobRule(job="lab-exit3", exit_code=3),
        JobRule(job="lab-long", runs_for=None),
        JobRule(job="lab-inf*", pending_for=None),
    ),
    apps=(
        AppRule(app="bad", steps=(AppStep(status="DEPLOY_FAILED", message="no module"),)),
        AppRule(steps=(AppStep(status="DEPLOYING"), AppStep(after=1, status="RUNNING"))),
    ),
)
STORY: tuple[str | float, ...] = (
    "version",
    "gcs_healthz",
    "authentication_mode",
    "unknown_route",
    "dashboard_local_raylet_healthz",
    "agent_local_raylet_healthz",
    "agent_healthz",
    "component_activities_idle",
    "state_nodes",
    "jobs_list_empty",
    "jobs_list_no_slash",
    "job_submit_ok",
    "job_get_just_submitted",
    "job_submit_exit3",
    "job_submit_long",
    "job_submit_infeasible",
    "job_submit_generated_id",
    "job_submit_empty_entrypoint",
    "job_submit_missing_entrypoint",
    "job_submit_unknown_field",
    "job_submit_bad_type",
    "job_submit_not_json",
    "job_submit_duplicate",
    "job_submit_bad_id",
    5.0,
    "job_get_succeeded",
    "job_get_failed_exit3",
    "job_get_running",
    "job_get_pending_infeasible",
    "job_logs_succeeded",
    "job_logs_unknown",
    "job_get_unknown",
    "job_stop_unknown",
    "job_delete_unknown",
    "job_delete_running",
    "job_stop_running",
    "job_get_right_after_stop",
    "job_stop_pending",
    5.0,
    "job_get_stopped",
    "job_stop_again",
    "job_get_stopped_pending",
    "job_delete_terminal",
    "job_get_deleted",
    "serve_get_not_started",
    "serve_proxy_healthz_not_started",
    "serve_put_not_json",
    "serve_put_empty_object",
    "serve_put_bad_schema",
    "serve_put_duplicate_names",
    "serve_put_duplicate_routes",
    "serve_put_target_capacity_101",
    "serve_put_ok",
    "serve_get_deploying",
    5.0,
    "serve_get_running",
    "serve_proxy_healthz",
    "serve_proxy_routes",
    "serve_proxy_unknown_route",
    "serve_put_same",
    "serve_put_unknown_field",
    "serve_put_target_capacity_50",
    5.0,
    "serve_get_target_capacity_50",
    "serve_put_no_apps",
    "serve_get_no_apps",
    "serve_proxy_healthz_no_apps",
    "serve_delete",
    "serve_get_after_delete",
    "serve_proxy_healthz_after_delete",
)
TOKEN_STORY = (
    "auth_missing",
    "auth_missing_jobs",
    "auth_missing_serve_put",
    "auth_wrong",
    "auth_no_bearer_prefix",
    "auth_mode",
    "auth_gcs_healthz_open",
    "auth_agent_raylet_healthz_open",
    "auth_agent_jobs_missing",
)
PORTS = {"dashboard": 8265, "agent": 52365, "serve-proxy": 8000}
FREE = frozenset(
    ("metadata", "runtime_env", "deployed_app_config", "deployment_config", "resources_total")
)
BY_NAME = frozenset(("applications", "deployments", "proxies", "nodes"))


def recorded(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text())


def played(cluster: RayCluster, name: str) -> tuple[Any, Any]:
    """Ask what was asked then; return then and now."""
    told = recorded(name)
    asked = told["request"]
    body = asked.get("raw", "").encode() or (
        json.dumps(asked["json"]).encode() if "json" in asked else b""
    )
    headers = {key.lower(): value for key, value in asked.get("headers", {}).items()}
    ask = Ask(method=asked["method"], path=asked["path"], body=body, headers=headers)
    at = Backend(pod=cluster.pod("head"), port=PORTS[asked["port"]])
    reply = cluster.put(at, ask)
    now: dict[str, Any] = {"status": reply.status, "content_type": reply.content_type}
    then = {"status": told["response"]["status"], "content_type": None}
    if reply.status:
        then["content_type"] = told["response"]["content_type"]
    else:
        now["content_type"] = None
    if "body" in told["response"]:
        then["body"], now["body"] = told["response"]["body"], reply.document
    else:
        then["text"], now["text"] = told["response"].get("text", ""), reply.text
    return then, now


def shape(value: Any, field: str = "") -> Any:
    """Tell the shape of a value: fields and kinds; lists by their first entry."""
    if field in FREE:
        return "anything"
    if isinstance(value, dict):
        if field in BY_NAME:
            return [shape(each) for each in list(value.values())[:1]]
        return {key: shape(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value[:1]]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return "number" if number else type(value).__name__


def last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip(". ")]
    return lines[-1] if lines else ""


@needs_data
def test_tells_the_same_story_as_a_real_dashboard() -> None:
    cluster = up(SCRIPT)
    for part in STORY:
        if isinstance(part, float):
            cluster.run(part)
            continue
        then, now = played(cluster, part)

        assert (now["status"], now["content_type"]) == (then["status"], then["content_type"]), part
        if "body" in then:
            assert shape(now["body"]) == shape(then["body"]), part
        elif then["status"] and "trimmed" not in then["text"]:
            assert last_line(now["text"]) == last_line(then["text"]), part


@needs_data
def test_lets_in_and_keeps_out_like_a_real_one() -> None:
    cluster = up(None, ray_pod("head", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="t0ken"))
    for part in TOKEN_STORY:
        then, now = played(cluster, part)

        assert (now["status"], now["content_type"]) == (then["status"], then["content_type"]), part
        if "text" in then:
            assert now["text"] == then["text"], part


@needs_data
@pytest.mark.parametrize(
    ("name", "status"),
    [("job_get_succeeded", "SUCCEEDED"), ("job_get_failed_exit3", "FAILED")],
)
def test_says_of_a_finished_job_what_ray_says(name: str, status: str) -> None:
    cluster = up(SCRIPT)
    for part in ("job_submit_ok", "job_submit_exit3"):
        played(cluster, part)
    cluster.run(5)
    then, now = played(cluster, name)

    assert now["body"]["status"] == then["body"]["status"] == status
    assert now["body"]["driver_exit_code"] == then["body"]["driver_exit_code"]
    assert now["body"]["error_type"] == then["body"]["error_type"]
    assert now["body"]["message"].split("\n")[0] == then["body"]["message"].split("\n")[0]
