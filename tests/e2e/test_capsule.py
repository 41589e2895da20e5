"""An incident with secrets in it, saved from a real server, decided again where there is none."""

import asyncio
import base64
import json
import socket
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import Struct

from shared.bus.connection import Connection, Endpoint
from shared.bus.jetstream import JetStreamBus
from shared.ports.event_log import EventLog, FromSequence
from tests.e2e.jobs.manifests import rayjob
from tests.support.fleet import Json
from tests.support.kubes import Kube, installed
from tests.support.processes import HELIOGRAPH, Installation, Said, run, wait_until

pytestmark = [pytest.mark.xdist_group("capsule"), pytest.mark.timeout(420)]

HOME = Path(__file__).parents[2]
SPOKEN = ("literal-4711", "token-4712", "parole-4713", "start-4714", "noted-4715", "runtime-4716")
"""Secrets in the manifest itself: desired state, which the log holds and nobody else tells."""
KEPT = ("vault-4717", "redis-4718")
"""Secrets in a Secret: they are nowhere."""
SECRETS = (*SPOKEN, *KEPT, *(base64.b64encode(one.encode()).decode() for one in KEPT))
NOWHERE = {"NATS_URL": "nats://127.0.0.1:1", "KUBECONFIG": "/nowhere"}


class Lived(Struct, frozen=True, kw_only=True):
    """What is left of the incident when everything has ended."""

    path: Path
    saved: Said
    logs: str
    """What our processes wrote."""
    said: dict[str, str]
    """What each command said."""
    streams: dict[str, list[tuple[str, str]]]
    """Subject and message of everything in each stream."""
    port: int
    """Where NATS was."""


def incident() -> Json:
    """A job with secrets everywhere, whose head will be lost."""
    literal, token, parole, start, noted, runtime = SPOKEN
    job = rayjob(
        "train",
        entrypoint=f"HF_TOKEN={token} python train.py --password {parole}",
        runtimeEnvYAML=f"env_vars:\n  DATABASE: {runtime}\n",
    )
    job["metadata"]["annotations"] = {"team/api-key": noted}
    spec = job["spec"]["rayClusterSpec"]
    spec["headGroupSpec"]["rayStartParams"] = {"redis-password": start}
    kept = [{"name": name, "valueFrom": _from_vault(name)} for name in ("DATABASE", "REDIS")]
    for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
        container = group["template"]["spec"]["containers"][0]
        container["env"] = [{"name": "DB", "value": literal}, *kept]
    return job


def _from_vault(name: str) -> Json:
    return {"secretKeyRef": {"name": "vault", "key": name}}


def vault() -> Json:
    """The Secret that the pods' environment names."""
    data = dict(zip(("DATABASE", "REDIS"), KEPT, strict=True))
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "vault"}, "stringData": data}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Lived:
    """Live through it, ask everything, save it, and end everything."""
    folder = tmp_path_factory.mktemp("capsule")
    path = folder / "incident.capsule"
    with installed(folder, kube) as here:
        service = here.start_service("all-1", "all")
        service.wait_ready()
        _applied(here, vault(), incident())
        head = _lose_the_head(here)
        resource = f"rayjob/{here.namespace}/train"
        saved = here.heliograph("capsule", "save", resource, "-f", str(path))
        said = {" ".join(words): _asked(here, *words) for words in _questions(here, head)}
        streams = asyncio.run(_everything(here.environment["NATS_URL"]))
        port = int(here.environment["NATS_URL"].rpartition(":")[2])
        logs = service.said()
    return Lived(path=path, saved=saved, logs=logs, said=said, streams=streams, port=port)


def _questions(here: Installation, head: str) -> Iterator[tuple[str, ...]]:
    job, pod = f"rayjob/{here.namespace}/train", f"pod/{here.namespace}/{head}"
    for words in (
        ("timeline", job, "--pods"),
        ("why", job),
        ("why", pod),
        ("get", job),
        ("diff", job, "--from", "1"),
        ("replay",),
        ("rehearse", "--from", "1d"),
    ):
        yield words
        yield (*words, "-o", "json")


def _asked(here: Installation, *words: str) -> str:
    said = here.heliograph(*words)
    assert (said.returncode, said.stderr) == (0, ""), said.stdout
    return said.stdout


async def _everything(url: str) -> dict[str, list[tuple[str, str]]]:
    async def read(log: EventLog, filters: str) -> list[tuple[str, str]]:
        found = log.read((filters,), FromSequence(1))
        return [(one.subject, f"{dict(one.headers)}{one.data!r}") async for one in found]

    connection = Connection(Endpoint(servers=(url,), name="scan"))
    await connection.open()
    try:
        bus = JetStreamBus(connection)
        return {
            "RAYLOG": await read(bus.log, "ray.>"),
            "RAYPUB": await read(bus.news, "pub.>"),
            "RAYTIME": await read(bus.time, ">"),
        }
    finally:
        await connection.close()


def _applied(here: Installation, *manifests: Json) -> None:
    given = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(manifests)})
    said = here.kubectl("apply", "-n", here.namespace, "-f", "-", given=given)
    assert said.returncode == 0, said.stderr


def _lose_the_head(here: Installation) -> str:
    """Wait for a ready head, delete it, and wait for the next; return its name."""
    first = _ready_head(here, "")
    here.kubectl("delete", "pod", "-n", here.namespace, first, "--wait=false")
    return _ready_head(here, first)


def _ready_head(here: Installation, other_than: str) -> str:
    """Return the uid-less name of a ready head pod once there is one of another creation."""
    found: list[str] = []
    before = _heads(here).get(other_than, "")

    def there() -> bool:
        found[:] = [name for name, uid in _heads(here).items() if uid != before]
        return bool(found)

    wait_until(there, "there is a ready head")
    return found[0]


def _heads(here: Installation) -> dict[str, str]:
    said = here.kubectl(
        "get", "pods", "-n", here.namespace, "-l", "ray.io/node-type=head", "-o", "json"
    )
    pods = json.loads(said.stdout)["items"] if said.returncode == 0 else []
    return {
        one["metadata"]["name"]: one["metadata"]["uid"]
        for one in pods
        if any(
            c["type"] == "Ready" and c["status"] == "True"
            for c in one["status"].get("conditions", ())
        )
    }


def test_the_job_and_its_cluster_are_saved_and_were_decided_the_same(
    lived: Lived,
) -> None:
    path, said = lived.path, lived.saved

    assert (said.returncode, said.stderr) == (0, "")
    assert "rayjob/" in said.stdout
    assert "raycluster/" in said.stdout
    with zipfile.ZipFile(path) as archive:
        page = json.loads(archive.read("manifest.json"))
    assert page["altered"] == []
    assert page["on_source"] == page["in_capsule"]
    assert page["in_capsule"]["identical"] == sum(page["in_capsule"].values()) > 2


def test_no_secret_is_in_it(lived: Lived) -> None:
    with zipfile.ZipFile(lived.path) as archive:
        text = "".join(archive.read(name).decode() for name in archive.namelist())

    assert "redacted-1" in text
    assert planted_in(text + lived.saved.stdout) == []


def planted_in(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


def test_no_command_and_no_line_of_a_service_tells_a_secret(lived: Lived) -> None:
    told = {words: planted_in(text) for words, text in lived.said.items()}

    assert all(lived.said.values())
    assert {words: found for words, found in told.items() if found} == {}
    assert "status written" in lived.logs
    assert planted_in(lived.logs) == []


def test_the_log_holds_what_was_wished_and_no_value_of_a_secret(lived: Lived) -> None:
    """What others listen to holds neither; nor does what is seen of pods."""
    held = "".join(text for _, text in lived.streams["RAYLOG"])
    pods = "".join(text for subject, text in lived.streams["RAYLOG"] if ".obs.pod." in subject)
    others = "".join(text for name in ("RAYPUB", "RAYTIME") for _, text in lived.streams[name])

    assert SPOKEN[0] in held
    assert set(planted_in(held)) <= set(SPOKEN)
    assert "last-applied-configuration" not in held
    assert pods
    assert others
    assert planted_in(pods + others) == []


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a virtual environment with this product built and installed; return its programs."""
    folder = tmp_path_factory.mktemp("fresh")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
    offline = ("--no-deps", "--no-index")
    _done(*pip, "wheel", *offline, "--no-build-isolation", "-w", str(folder), str(HOME))
    _done(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"))
    python = folder / "venv" / "bin" / "python"
    (wheel,) = folder.glob("heliograph-*.whl")
    _done(*pip, "--python", str(python), "install", *offline, str(wheel))
    ours = Path(_done(str(python), "-c", "import sysconfig as s; print(s.get_path('purelib'))"))
    (ours / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


def _done(*words: str, cwd: Path = Path("/")) -> str:
    said = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=200, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout.strip()


@contextmanager
def nobody_listens(port: int) -> Iterator[None]:
    """Hold the place where NATS was, so that nobody can answer there."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        yield


def test_a_fresh_environment_with_no_nats_decides_it_the_same(
    lived: Lived, fresh: Path, tmp_path: Path
) -> None:
    with nobody_listens(lived.port):
        where = "import heliograph; print(heliograph.__file__)"
        place = _done(str(fresh / "python"), "-c", where, cwd=tmp_path)
        told = _done(str(fresh / "heliograph"), "capsule", "replay", str(lived.path), cwd=tmp_path)

    assert Path(place).is_relative_to(fresh.parent), "not the one that is developed here"
    assert told.splitlines()[-1] == "identical"


@pytest.mark.parametrize(
    "command", [("capsule", "replay"), ("replay", "--capsule"), ("rehearse", "--capsule")]
)
def test_a_process_with_no_server_decides_it_the_same(
    lived: Lived, command: tuple[str, ...]
) -> None:
    said = run(*HELIOGRAPH, *command, str(lived.path), environment=NOWHERE)

    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.splitlines()[-1] == "identical"


def test_it_becomes_a_regression_test(lived: Lived, tmp_path: Path) -> None:
    written = run(*HELIOGRAPH, "capsule", "test", str(lived.path), "-o", str(tmp_path))
    assert written.returncode == 0, written.stderr

    said = run(
        *(HELIOGRAPH[0], "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("--rootdir", str(tmp_path), str(tmp_path / "test_incident.py")),
        environment=NOWHERE,
    )

    assert said.returncode == 0, said.stdout + said.stderr
