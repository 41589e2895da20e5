"""Submitters: wait for the head, submit once, follow, and end with the code the real one gives."""

from typing import Any

from sandbox.controllers.rayrules import AnswerRule, HeadRule, JobRule, RayScript
from sandbox.controllers.told import with_exit
from sandbox.dashboard.submitters import Submitters
from sandbox.objects import Object, dig, rows
from tests.unit.sandbox.dashboard.ray_pods import RayCluster, ray_pod, up

NAME = "first-head-svc.default.svc.cluster.local:8265"
ONE_FAILS = RayScript(jobs=(JobRule(exit_code=1),))


def health(address: str) -> str:
    url = f"'http://{address}/api/gcs_healthz'"
    program = f"import urllib.request; r=urllib.request.urlopen({url}, timeout=10); exit(0)"
    return f'until python -c "{program}" >/dev/null 2>&1 ; do echo "Waiting" ; sleep 2 ; done ;'


def checked(address: str = NAME) -> str:
    """Write the command of a submitter Job."""
    at = f"--address http://{address}"
    return (
        f"{health(address)} if ! ray job status {at} rj-x2x4z >/dev/null 2>&1 ; then "
        f"ray job submit {at} --no-wait "
        '--runtime-env-json "{\\"env_vars\\":{\\"A\\":\\"1\\"}}" '
        "--submission-id rj-x2x4z --entrypoint-num-cpus 1.000000 -- python -c 'print(1)' ; fi ; "
        f"ray job logs {at} --follow rj-x2x4z"
    )


def job(command: str, **spec: Any) -> Object:
    container = {
        "name": "ray-job-submitter",
        "image": "ray:2.60",
        "command": ["/bin/bash", "-ce", "--"],
        "args": [command],
    }
    return {
        "metadata": {"name": "rj", "namespace": "default"},
        "spec": {
            "backoffLimit": 2,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
            **spec,
        },
    }


def submitted(cluster: RayCluster, command: str = "", **spec: Any) -> RayCluster:
    cluster.sandbox.create("jobs", job(command or checked(), **spec))
    return cluster


def conditions(cluster: RayCluster) -> list[str]:
    found = cluster.sandbox.get("jobs", "default", "rj")
    return [entry["type"] for entry in rows(found, "status.conditions")]


def pods_of_job(cluster: RayCluster) -> list[Object]:
    return [
        pod
        for pod in cluster.sandbox.list("pods", "default").items
        if "job-name" in pod["metadata"].get("labels", {})
    ]


def exit_code(pod: Object, container: str = "ray-job-submitter") -> int | None:
    status = next(s for s in rows(pod, "status.containerStatuses") if s["name"] == container)
    found = dig(status, "state.terminated.exitCode")
    return None if found is None else int(found)


def test_a_submitter_job_submits_what_its_command_says_and_completes() -> None:
    cluster = submitted(up())
    cluster.run(10)

    shown = cluster.ask("GET", "/api/jobs/rj-x2x4z").document
    assert shown["entrypoint"] == "python -c 'print(1)'"
    assert (shown["status"], shown["runtime_env"]) == ("SUCCEEDED", {"env_vars": {"A": "1"}})
    assert conditions(cluster) == ["SuccessCriteriaMet", "Complete"]


def test_one_that_follows_logs_ends_well_though_the_job_failed() -> None:
    cluster = submitted(up(ONE_FAILS))
    cluster.run(10)

    assert cluster.ask("GET", "/api/jobs/rj-x2x4z").document["status"] == "FAILED"
    assert [exit_code(pod) for pod in pods_of_job(cluster)] == [0]


def test_one_that_waits_itself_fails_with_the_job() -> None:
    command = f"ray job submit --address http://{NAME} --submission-id rj -- false ;"
    cluster = submitted(up(ONE_FAILS), command, backoffLimit=0)
    cluster.run(10)

    assert [exit_code(pod) for pod in pods_of_job(cluster)] == [1]
    assert conditions(cluster) == ["FailureTarget", "Failed"]


def test_a_second_pod_follows_the_job_that_is_there() -> None:
    cluster = submitted(up(RayScript(jobs=(JobRule(runs_for=20),))))
    cluster.run(3)
    [first] = pods_of_job(cluster)
    cluster.sandbox.delete("pods", "default", first["metadata"]["name"])
    cluster.run(30)

    assert len(cluster.ask("GET", "/api/jobs/").document) == 1
    assert conditions(cluster) == ["SuccessCriteriaMet", "Complete"]


def test_waits_until_the_head_is_well() -> None:
    script = RayScript(heads=(HeadRule(up_after=30),))
    cluster = submitted(RayCluster(script))
    cluster.run(25)
    early = cluster.fleet.job(("default", "first"), "rj-x2x4z", cluster.now, script)
    cluster.run(15)

    assert early is None
    assert conditions(cluster) == ["SuccessCriteriaMet", "Complete"]


def test_a_head_that_dies_under_a_submitter_breaks_its_connection() -> None:
    cluster = submitted(up(RayScript(jobs=(JobRule(runs_for=None),))), backoffLimit=0)
    cluster.run(3)
    cluster.sandbox.update("pods", with_exit(cluster.pod("head"), "ray-head", cluster.now, 1))
    cluster.run(5)

    assert [exit_code(pod) for pod in pods_of_job(cluster)] == [1]


def test_a_stopped_job_ends_its_submitter_at_once() -> None:
    cluster = submitted(up(RayScript(jobs=(JobRule(runs_for=None),))))
    cluster.run(3)
    cluster.ask("POST", "/api/jobs/rj-x2x4z/stop")
    cluster.run(1)

    assert conditions(cluster) == ["SuccessCriteriaMet", "Complete"]


def test_a_refused_submission_fails_the_pod() -> None:
    script = RayScript(answers=(AnswerRule(method="POST", path="/api/jobs/", status=500),))
    cluster = submitted(up(script))
    cluster.run(10)

    assert [exit_code(pod) for pod in pods_of_job(cluster)] == [1, 1, 1]
    assert conditions(cluster) == ["FailureTarget", "Failed"]


def test_a_sidecar_submits_to_the_head_it_stands_beside() -> None:
    command = f"{health('localhost:8265')} ray job submit --address http://127.0.0.1:8265 "
    sidecar = {
        "name": "ray-job-submitter",
        "image": "ray:2.60",
        "args": [f"{command}--submission-id side -- python main.py ;"],
    }
    head = ray_pod("head", containers=[sidecar])
    head["spec"]["restartPolicy"] = "Never"
    cluster = up(None, head)
    cluster.run(10)

    pod = cluster.pod("head")
    assert cluster.ask_pod("head", 8265, "/api/jobs/side").document["status"] == "SUCCEEDED"
    assert (exit_code(pod), exit_code(pod, "ray-head")) == (0, None)


def test_the_small_program_reads_its_environment() -> None:
    env = {"RAY_DASHBOARD_ADDRESS": NAME, "RAY_JOB_SUBMISSION_ID": "small"}
    made = job("")
    made["spec"]["template"]["spec"]["containers"][0] |= {
        "command": ["/submitter", "--metadata-json", '{"k":"v"}', "--", "python", "main.py"],
        "args": [],
        "env": [{"name": key, "value": value} for key, value in env.items()],
    }
    cluster = up()
    cluster.sandbox.create("jobs", made)
    cluster.run(10)

    shown = cluster.ask("GET", "/api/jobs/small").document
    assert (shown["entrypoint"], shown["metadata"]) == ("python main.py", {"k": "v"})
    assert conditions(cluster) == ["SuccessCriteriaMet", "Complete"]


def test_the_small_program_fails_on_resources_it_cannot_read() -> None:
    made = job("")
    made["spec"]["template"]["spec"]["containers"][0] |= {
        "command": ["/submitter", "--entrypoint-resources", "{bad", "--", "python"],
        "args": [],
    }
    cluster = up()
    cluster.sandbox.create("jobs", made)
    cluster.run(10)

    assert [exit_code(pod) for pod in pods_of_job(cluster)] == [1, 1, 1]


def test_submits_once_though_its_note_was_refused() -> None:
    cluster = up()
    command = f"ray job submit --address http://{NAME} --submission-id once -- true ;"
    made = job(command)["spec"]["template"]
    pod = cluster.sandbox.create("pods", {"metadata": {"name": "sub"}, **made})
    running = {"name": "ray-job-submitter", "restartCount": 0}
    running["state"] = {"running": {"startedAt": "2026-01-01T12:00:00Z"}}
    pod = {**pod, "status": {"phase": "Running", "containerStatuses": [running]}}
    look = Submitters(cluster.fleet).look
    first = look(pod, cluster.now, cluster.sandbox.scenario)
    second = look(pod, cluster.now, cluster.sandbox.scenario)

    assert first == second
    assert len(cluster.ask("GET", "/api/jobs/").document) == 1


def test_other_jobs_are_left_alone() -> None:
    cluster = submitted(up(), "echo hello")
    cluster.run(10)

    assert [dig(pod, "status.phase") for pod in pods_of_job(cluster)] == ["Running"]
