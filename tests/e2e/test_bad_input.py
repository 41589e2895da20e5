"""Whatever is wrong is told once, in one clear message with exit code 2, and nothing is lost."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from tests.support.fleet import manifest
from tests.support.kubes import Kube, installed
from tests.support.processes import HELIOGRAPH, Installation, Said, free_port, run

pytestmark = [pytest.mark.xdist_group("bad input"), pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    """Run NATS with streams and a Kubernetes; no services."""
    with installed(tmp_path_factory.mktemp("input"), kube) as installation:
        yield installation


def complaint(said: Said) -> str:
    """Return the one message of a command that refused; nothing else was said."""
    assert (said.returncode, said.stdout) == (2, ""), said
    [line] = said.stderr.splitlines()
    assert line.startswith("heliograph: "), line
    return line.removeprefix("heliograph: ")


def nobody() -> str:
    """Return an address where nobody listens."""
    return f"127.0.0.1:{free_port()}"


def test_an_unreachable_nats_is_named_by_every_command() -> None:
    commands = ["run all", "run scheduler", "init", "replay", "timeline raycluster/default/first"]
    url = f"nats://{nobody()}"

    def asked(command: str) -> Said:
        return run(*HELIOGRAPH, *command.split(), environment={"NATS_URL": url})

    with ThreadPoolExecutor() as side_by_side:
        told = {complaint(said) for said in side_by_side.map(asked, commands)}

    [message] = told
    assert message.startswith(f"NATS cannot be reached at {url}")
    assert "Connect call failed" in message
    assert "NATS_URL" in message


@pytest.mark.parametrize("service", ["watcher", "executor", "status"])
def test_an_unreachable_api_server_is_named(
    here: Installation, tmp_path: Path, service: str
) -> None:
    address = nobody()
    config = yaml.safe_load(here.kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = f"http://{address}"
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))

    told = complaint(here.heliograph("run", service, KUBECONFIG=str(tmp_path / "kubeconfig")))

    assert told.startswith(f"Kubernetes cannot be reached at http://{address}")
    assert "--kubeconfig" in told


def test_a_missing_kubeconfig_is_named(here: Installation, tmp_path: Path) -> None:
    told = complaint(here.heliograph("run", "watcher", KUBECONFIG=str(tmp_path / "absent")))

    assert str(tmp_path / "absent") in told
    assert "--kubeconfig" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "watcher", "--nats-urll", "x"), ("--nats-urll", "did you mean --nats-url?")),
        (("run", "wacher"), ("'wacher'", "watcher")),
        (("rnu",), ("'rnu'", "did you mean run?")),
        (("run", "watcher", "--http-port", "99999"), ("--http-port", "65535")),
        (("run", "watcher", "--http-port", "many"), ("--http-port", "many")),
        (("run", "watcher", "--log-level", "loud"), ("--log-level", "loud", "debug")),
        (("run", "watcher", "--relist-every", "soon"), ("--relist-every", "soon")),
        (("run", "reconciler", "--feature-gates", "Nope=true"), ("--feature-gates", "Nope")),
        (("timeline", "raycluster/default"), ("raycluster/default",)),
        (("timeline", "rayclutser/default/first"), ("rayclutser",)),
        (("timeline", "raycluster/default/nobody"), ("raycluster/default/nobody",)),
        (("replay", "raycluster"), ("raycluster",)),
        (("up", "--nats-port", "no"), ("--nats-port", "no")),
        (("demo", "--fodler", "x"), ("--fodler", "--folder")),
    ],
    ids=" ".join,
)
def test_a_wrong_word_is_named(
    here: Installation, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    told = complaint(here.heliograph(*arguments))

    assert [word for word in words if word not in told] == []


def test_a_wrong_variable_is_named(here: Installation) -> None:
    told = complaint(here.heliograph("run", "watcher", HELIOGRAPH_QPS="fast"))

    assert told.startswith("HELIOGRAPH_QPS: ")
    assert "fast" in told


def test_a_taken_port_is_named(here: Installation) -> None:
    taken = here.nats.url.rpartition(":")[2]

    told = complaint(here.heliograph("run", "scheduler", HELIOGRAPH_HTTP_PORT=taken))

    assert told.startswith(f"port {taken} is taken by another process")


def test_a_server_without_our_streams_is_told_before_anything_starts(tmp_path: Path) -> None:
    bare = Installation(tmp_path)
    bare.nats.start()
    try:
        told = complaint(bare.heliograph("run", "scheduler"))
    finally:
        bare.close()

    assert told.startswith(f"the log is not there on {bare.nats.url}")
    assert "heliograph init" in told


def test_init_again_changes_nothing_and_does_not_drop_history(here: Installation) -> None:
    again = here.heliograph("init")
    shrinking = here.heliograph("init", "--log-retention", "1h")
    after = here.heliograph("init")

    assert again.returncode == after.returncode == 0
    assert {line.split()[1] for line in again.stdout.splitlines()} == {"unchanged"}
    assert after.stdout == again.stdout
    told = complaint(shrinking)
    assert "RAYLOG" in told
    assert "--allow-shrink" in told


def test_a_manifest_that_breaks_the_schema_is_refused_with_the_path(here: Installation) -> None:
    wrong = manifest("wrong", 1)
    wrong["spec"]["workerGroupSpecs"][0]["replicas"] = "three"

    refused = here.kubectl("apply", "-f", "-", given=yaml.safe_dump(wrong))

    assert refused.returncode == 1
    assert re.search(r"spec\.workerGroupSpecs\[0\]\.replicas: Invalid value", refused.stderr)


def test_an_unknown_field_is_refused_with_the_path(here: Installation) -> None:
    wrong = manifest("wrong", 1)
    wrong["spec"]["workerGroupSpecs"][0]["replics"] = 3

    refused = here.kubectl("apply", "-f", "-", given=yaml.safe_dump(wrong))

    assert refused.returncode == 1
    assert 'unknown field "spec.workerGroupSpecs[0].replics"' in refused.stderr


def test_an_unknown_value_is_refused_with_the_choices(here: Installation) -> None:
    wrong = manifest("wrong", 1)
    wrong["spec"]["autoscalerOptions"] = {"upscalingMode": "Reckless"}
    wrong["spec"]["enableInTreeAutoscaling"] = True

    refused = here.kubectl("apply", "-f", "-", given=yaml.safe_dump(wrong))

    assert refused.returncode == 1
    assert 'Unsupported value: "Reckless"' in refused.stderr
