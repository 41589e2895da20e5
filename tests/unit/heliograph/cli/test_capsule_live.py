"""Capsules of a log on a real server: owners and what is owned come along, no secret does."""

import asyncio
import zipfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from heliograph.assembly.capsules import read_manifest
from heliograph.cli.app import main
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.events import subjects
from shared.events.envelope import Record
from shared.events.modes import ModeChosen
from shared.events.objects import ResourceSeen
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Entry
from tests.support.builders import NOON
from tests.support.history import History, message_of
from tests.support.nats import open_connection
from tests.support.planted import SECRETS, cluster_recreated, job_done, service_upgraded

Captured = pytest.CaptureFixture[str]
JOB, SERVICE = "rayjob/prod/train", "rayservice/prod/fruit"


def owned(records: Sequence[Record]) -> tuple[str, list[Record]]:
    """The cluster of a job, with records of its own."""
    seen = next(
        record
        for record in records
        if isinstance(record.envelope.body, ResourceSeen) and ".obs.raycluster." in record.subject
    )
    body = seen.envelope.body
    assert isinstance(body, ResourceSeen)
    key = ResourceKey("raycluster", body.meta.namespace, body.meta.name)
    history = History(key, body.meta.uid)
    history.append(subjects.own(key), body)
    return str(key), history.records


async def write(server: NatsServer, *histories: Sequence[Record]) -> None:
    """Write histories one after another; what they name by sequence is moved along."""
    connection = await open_connection(server)
    log = JetStreamBus(connection).log
    for number, history in enumerate(histories):
        moved = (await log.end()).last
        for record in history:
            message = message_of(_moved(record, moved))
            entry = Entry(
                subject=message.subject, id=f"{number}/{message.sequence}", data=message.data
            )
            await log.append(entry)
    await connection.close()


def _moved(record: Record, by: int) -> Record:
    return replace(record, sequence=record.sequence + by)


@pytest.fixture(scope="module")
def cluster(nats: NatsServer) -> str:
    """Write a job with its cluster, and a service; return the name of the job's cluster."""
    assert main(["init", "--nats-url", nats.url]) == 0
    job = job_done().records
    name, made = owned(job)
    shadow = History(ResourceKey("raycluster", "prod", "none"), "")
    shadow.append(subjects.MODE, ModeChosen(shadow=True))
    histories = (job, made, service_upgraded().records, cluster_recreated().records, shadow.records)
    asyncio.run(write(nats, *histories))
    return name


def saved(nats: NatsServer, path: Path, *arguments: str) -> dict[str, object]:
    command = ["capsule", "save", *arguments, "-f", str(path), "--nats-url", nats.url]
    assert main(command) == 0
    with zipfile.ZipFile(path) as archive:
        text = archive.read("records.jsonl").decode()
        page: dict[str, object] = msgspec.json.decode(archive.read("manifest.json"))
    assert [secret for secret in SECRETS if secret in text + str(page)] == []
    return page


def test_with_a_job_comes_its_cluster_and_with_a_cluster_its_job(
    nats: NatsServer, cluster: str, tmp_path: Path
) -> None:
    by_job = saved(nats, tmp_path / "job", JOB)
    by_cluster = saved(nats, tmp_path / "cluster", cluster)

    assert by_job["resources"] == by_cluster["resources"] == [cluster, JOB]


def test_everything_is_saved_and_shown_without_secrets(
    nats: NatsServer, cluster: str, tmp_path: Path, capsys: Captured
) -> None:
    page = saved(nats, tmp_path / "all", "--all")
    told = capsys.readouterr().out

    assert page["resources"] == ["raycluster/prod/demo", cluster, JOB, SERVICE]
    assert [secret for secret in SECRETS if secret in told] == []
    assert page["log"]


def test_what_differs_on_the_source_differs_in_the_capsule(
    nats: NatsServer, cluster: str, tmp_path: Path, capsys: Captured
) -> None:
    """These acts were decided at another time than the server says."""
    path = tmp_path / "job.capsule"
    page = saved(nats, path, JOB)
    capsys.readouterr()

    assert page["on_source"] == page["in_capsule"] == {"identical": 0, "different": 6, "missing": 0}
    assert main(["capsule", "replay", str(path)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == [
        "0 of 6 decisions of 1 resource are identical",
        f"first difference: {JOB}, act 4",
    ]
    assert told[3].startswith("  decided_at: '2030-01-01T12:00:00Z' then, ")


def test_a_range_that_holds_nothing_is_told(
    nats: NatsServer, cluster: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "none"
    until = NOON.replace(year=2001).isoformat()
    command = ["capsule", "save", JOB, "--until", until, "-f", str(path)]

    assert main([*command, "--nats-url", nats.url]) == 2
    assert "holds nothing of these resources in this range" in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.parametrize("command", [["replay"], ["replay", JOB, "--step"], ["rehearse"]])
def test_no_command_prints_a_planted_secret(
    command: list[str], nats: NatsServer, cluster: str, capsys: Captured
) -> None:
    main([*command, "--nats-url", nats.url])
    told = "".join(capsys.readouterr())

    assert told
    assert [secret for secret in SECRETS if secret in told] == []


@pytest.mark.parametrize("what", [["--all"], [JOB]])
def test_a_manifest_says_whether_the_log_is_of_a_shadow(
    what: list[str], nats: NatsServer, cluster: str, tmp_path: Path
) -> None:
    assert saved(nats, tmp_path / "one", *what)["shadow"] is True


def test_a_manifest_names_the_log(nats: NatsServer, cluster: str, tmp_path: Path) -> None:
    path = tmp_path / "one"
    saved(nats, path, cluster)
    first = read_manifest(path)
    saved(nats, path, JOB)

    assert first.log == read_manifest(path).log != ""
