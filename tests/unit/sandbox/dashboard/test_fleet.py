"""Heads that come, go and remember; who is behind a name; answers by script."""

import pytest

from sandbox.controllers.rayrules import AnswerRule, AppRule, AppStep, RayScript
from sandbox.controllers.told import with_exit
from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import Ask
from tests.unit.sandbox.dashboard.ray_pods import RayCluster, ray_pod, up

SUBMIT = b'{"submission_id": "one", "entrypoint": "true"}'
DEPLOY = (
    b'{"applications": [{"name": "a", "import_path": "a:app", "route_prefix": "/a",'
    b' "deployments": [{"name": "D", "num_replicas": 2}]}]}'
)


def restarted(cluster: RayCluster) -> RayCluster:
    cluster.sandbox.update("pods", with_exit(cluster.pod("head"), "ray-head", cluster.now, 1))
    cluster.run(5)
    return cluster


def test_a_restarted_head_has_forgotten_its_jobs() -> None:
    cluster = up()
    cluster.ask("POST", "/api/jobs/", SUBMIT)

    assert restarted(cluster).ask("GET", "/api/jobs/one").status == 404


def test_a_durable_head_remembers_but_the_driver_is_dead() -> None:
    cluster = up(None, ray_pod("head", durable=True))
    cluster.ask("POST", "/api/jobs/", SUBMIT)
    shown = restarted(cluster).ask("GET", "/api/jobs/one").document

    assert (shown["status"], shown["error_type"]) == ("FAILED", "JOB_SUPERVISOR_ACTOR_DIED")


def test_a_durable_head_keeps_what_had_ended() -> None:
    cluster = up(None, ray_pod("head", durable=True))
    cluster.ask("POST", "/api/jobs/", SUBMIT)
    cluster.run(5)

    assert restarted(cluster).ask("GET", "/api/jobs/one").document["status"] == "SUCCEEDED"


def test_another_head_pod_begins_anew() -> None:
    cluster = up()
    cluster.ask("POST", "/api/jobs/", SUBMIT)
    cluster.sandbox.delete("pods", "default", "head")
    cluster.run(5)
    cluster.sandbox.create("pods", ray_pod("other"))
    cluster.run(2)

    assert cluster.ask("GET", "/api/jobs/").document == []


@pytest.mark.parametrize(
    "host", ["first-head-svc", "first-head-svc.default", "first-head-svc.default.svc.example"]
)
def test_a_service_is_found_by_every_form_of_its_name(host: str) -> None:
    cluster = up()
    at = cluster.fleet.find(host, 8265, "default")

    assert isinstance(at, Backend)
    assert cluster.put(at, Ask(method="GET", path="/api/version")).status == 200


def test_a_pod_is_found_by_its_address() -> None:
    cluster = up()
    address = cluster.pod("head")["status"]["podIP"]

    assert cluster.fleet.find(address, 8265, "other").pod["metadata"]["name"] == "head"
    assert cluster.fleet.find("nobody.default.svc", 8265, "default") is None


def test_nobody_listens_on_other_ports() -> None:
    cluster = up()

    assert cluster.ask_pod("head", 1234, "/").refused
    assert up(None, ray_pod("w", "worker")).ask_pod("w", 8265, "/api/version").refused


def test_a_script_takes_answers_over_for_a_while() -> None:
    garbage = AnswerRule(path="/api/jobs/*", after=5, until=8, status=200, body="<html>")
    cluster = up(RayScript(answers=(garbage,)))
    early = cluster.ask("GET", "/api/jobs/").text
    cluster.run(4)
    meanwhile = cluster.ask("GET", "/api/jobs/").text
    cluster.run(5)

    assert (early, meanwhile, cluster.ask("GET", "/api/jobs/").text) == ("[]", "<html>", "[]")


def test_a_script_refuses_and_delays() -> None:
    rules = (AnswerRule(path="/api/version", refuse=True), AnswerRule(delay=3))
    cluster = up(RayScript(answers=rules))

    assert cluster.ask("GET", "/api/version").refused
    assert cluster.ask("GET", "/api/gcs_healthz").delay == 3


def test_an_application_goes_through_its_script() -> None:
    steps = (
        AppStep(status="DEPLOYING"),
        AppStep(after=2, status="RUNNING"),
        AppStep(after=4, status="UNHEALTHY", message="replicas died"),
    )
    cluster = up(RayScript(apps=(AppRule(steps=steps),)))
    cluster.ask("PUT", "/api/serve/applications/", DEPLOY)
    seen = []
    for _ in range(3):
        app = cluster.ask("GET", "/api/serve/applications/").document["applications"]["a"]
        seen.append((app["status"], app["message"]))
        cluster.run(2)

    assert seen == [("DEPLOYING", ""), ("RUNNING", ""), ("UNHEALTHY", "replicas died")]


def test_proxies_run_where_replicas_are() -> None:
    cluster = up(None, ray_pod("head"), *(ray_pod(f"w{n}", "worker") for n in range(3)))
    cluster.ask("PUT", "/api/serve/applications/", DEPLOY)
    cluster.run(3)

    codes = [cluster.ask_pod(name, 8000, "/-/healthz").status for name in ("head", "w0", "w2")]
    assert codes == [200, 200, 0]
    assert cluster.ask_pod("w0", 8000, "/a/b").document == {"app": "a"}


def test_an_unchanged_application_is_not_deployed_again() -> None:
    cluster = up()
    cluster.ask("PUT", "/api/serve/applications/", DEPLOY)
    cluster.run(5)
    cluster.ask("PUT", "/api/serve/applications/", DEPLOY)

    app = cluster.ask("GET", "/api/serve/applications/").document["applications"]["a"]
    assert app["status"] == "RUNNING"
