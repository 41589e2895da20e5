"""What a newcomer meets: the demo, `heliograph up` with kubectl, and how everything ends."""

import os
import pty
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from shared.runtime.options import SERVICES
from tests.support.fleet import Json, manifest, told_of, truth
from tests.support.kubes import Sandboxes, installed
from tests.support.processes import (
    HELIOGRAPH,
    PATIENCE,
    Installation,
    Process,
    ending,
    free_port,
    run,
    wait_until,
)

pytestmark = [pytest.mark.xdist_group("front door"), pytest.mark.timeout(120)]

EXAMPLE = Path(__file__).parents[2] / "examples" / "01-minimal.yaml"
EXPORT = re.compile(r"^  export (\w+)=(\S+)$", re.MULTILINE)


def start_up(here: Installation) -> Process:
    """Start `heliograph up` and wait for its welcome."""
    port = free_port()
    folder = here.folder / "up"
    command = (*HELIOGRAPH, "up", "--folder", str(folder), "--http-port", str(port))
    process = here.add("up", command, {})
    process.port = port
    wait_until(lambda: "Log lines:" in process.said() or not process.alive, "it is up")
    assert process.alive, process.said()
    return process


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Run `heliograph up`; its user has exported what it said."""
    with ending(tmp_path_factory.mktemp("up")) as here:
        process = start_up(here)
        exported = dict(EXPORT.findall(process.said()))
        here.kubeconfig = Path(exported["KUBECONFIG"])
        here.nats_url = exported["NATS_URL"]
        wait_until(lambda: process.ready, "it is ready")
        yield here


def cluster_of(here: Installation, name: str) -> Json:
    """Return a RayCluster as kubectl shows it."""
    shown = here.kubectl("get", "raycluster", name, "-o", "yaml")
    found: Json = yaml.safe_load(shown.stdout) or {"metadata": {"generation": 0}}
    return found


def wait_for_truth(here: Installation, name: str, workers: int) -> None:
    """Wait until a cluster says that it is ready with so many workers."""

    def holds() -> bool:
        cluster = cluster_of(here, name)
        return told_of(cluster) == truth(cluster, workers)

    wait_until(holds, f"{name} is ready")


def test_the_demo_tells_everything_in_plain_lines(tmp_path: Path) -> None:
    said = run(*HELIOGRAPH, "demo", "--folder", str(tmp_path))

    assert (said.returncode, said.stderr) == (0, "")
    assert "\x1b" not in said.stdout
    lines = said.stdout.splitlines()
    assert lines[-1] == "everything went as it should"
    assert "identical" in lines
    assert any(line.strip().startswith("because") for line in lines)


def test_the_demo_is_coloured_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen([*HELIOGRAPH, "demo"], stdout=theirs, env=environment) as process:
        os.close(theirs)
        shown = bytearray()
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:
            os.close(ours)
        assert process.wait(PATIENCE) == 0
    text = shown.decode()
    assert "\x1b[32m" in text
    assert "everything went as it should" in text


def test_up_works_with_kubectl_as_it_says(up: Installation) -> None:
    applied = up.kubectl("apply", "-f", str(EXAMPLE))
    wait_for_truth(up, "first", 3)
    shown = up.kubectl("get", "rayclusters,pods", "--no-headers")
    described = up.kubectl("describe", "raycluster", "first")
    told = up.heliograph("timeline", "raycluster/default/first")
    up.kubectl("delete", "raycluster", "first")

    assert applied.stdout == "raycluster.ray.io/first created\n"
    rows = [line.split() for line in shown.stdout.splitlines() if line]
    ready = [
        row for row in rows if row[0].startswith("pod/first-") and row[1:3] == ["1/1", "Running"]
    ]
    assert len(ready) == 4
    assert any(row[0] == "raycluster.ray.io/first" and "ready" in row for row in rows)
    assert "CreatedHeadPod" in described.stdout
    assert "because the cluster has no head pod" in told.stdout


def test_an_invalid_spec_is_told_to_its_user_and_others_go_on(up: Installation) -> None:
    broken = manifest("broken", 1)
    broken["spec"]["workerGroupSpecs"] *= 2
    given = yaml.safe_dump_all([broken, manifest("fine", 1)])
    assert up.kubectl("apply", "-f", "-", given=given).returncode == 0
    wait_for_truth(up, "fine", 1)

    def invalid() -> list[Json]:
        conditions = cluster_of(up, "broken").get("status", {}).get("conditions", [])
        return [one for one in conditions if one["type"] == "SpecInvalid"]

    wait_until(lambda: bool(invalid()), "the condition is there")
    status = cluster_of(up, "broken")["status"]
    assert (invalid()[0]["status"], status["observedGeneration"]) == ("True", 1)
    assert "worker group names must be unique" in invalid()[0]["message"]
    described = up.kubectl("describe", "raycluster", "broken").stdout
    assert re.search(r"Warning .*unique", described)
    assert up.kubectl("get", "pods", "-l", "ray.io/cluster=broken", "-o", "name").stdout == ""

    up.kubectl("apply", "-f", "-", given=yaml.safe_dump(manifest("broken", 1)))
    wait_for_truth(up, "broken", 1)
    assert [one["status"] for one in invalid()] in ([], ["False"])


def test_health_and_metrics_answer(up: Installation) -> None:
    process = up.processes["up"]
    answers = {path: process.asked(path) for path in ("/healthz", "/readyz", "/metrics", "/other")}

    assert [status for status, _ in answers.values()] == [200, 200, 200, 404]
    assert '"ok":true' in answers["/readyz"][1]
    assert "heliograph_decisions_committed_total" in answers["/metrics"][1]


def test_ctrl_c_stops_up_and_leaves_nothing_running(tmp_path: Path) -> None:
    with ending(tmp_path) as here:
        process = start_up(here)
        [ports] = (tmp_path / "up" / "nats").glob("nats-server_*.ports")
        server = Path("/proc") / ports.stem.rpartition("_")[2]
        assert server.exists()
        wait_until(lambda: process.asked("/healthz")[0] == 200, "it answers")

        code = process.interrupt()

        assert code == 0
        assert process.said().splitlines()[-1] == "stopped"
        assert not server.exists()


def test_every_service_drains_when_it_is_asked_to_stop(tmp_path: Path) -> None:
    with installed(tmp_path, Sandboxes()) as here:
        processes = [here.start_service(service, service) for service in SERVICES]
        for process in processes:
            wait_until(lambda one=process: one.asked("/healthz")[0] == 200, process.name)  # type: ignore[misc]  # bound at once

        codes = {process.name: process.end() for process in processes}

        assert codes == dict.fromkeys(SERVICES, 0)
        levels = {name: set(re.findall(r'"level":"(\w+)"', text)) for name, text in here.told()}
        assert {name: levels[name] for name in SERVICES} == {name: {"info"} for name in SERVICES}
