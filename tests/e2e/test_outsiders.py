"""The account for outsiders of the guide: they hear what is told, and can do nothing else."""

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error

from shared.bus.connection import Connection, Endpoint
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import find_binary
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import FromSequence, Work
from tests.support.processes import Installation, ending, free_port, wait_until
from tests.support.tellings import Telling, entry_of

pytestmark = [pytest.mark.xdist_group("outsiders"), pytest.mark.timeout(120)]

HOME = Path(__file__).resolve().parents[2]
GUIDE = HOME / "docs" / "guides" / "subscribing.md"
SCRIPT = HOME / "examples" / "subscribers" / "python" / "subscriber.py"
PASSWORDS = {"HELIOGRAPH_PASSWORD": "inside", "BILLING_PASSWORD": "outside"}
JOB = ResourceKey("rayjob", "team-a", "train")
PAST: tuple[Telling, ...] = (
    (JOB, "created", 1, "it was written", "structured"),
    (JOB, "running", 2, "it was submitted", "binary"),
)
FORBIDDEN = (
    "pub.team-a.rayjob.train.failed",
    "ray.9.rayjob.team-a.train.act",
    "$JS.API.STREAM.INFO.RAYLOG",
    "$JS.API.STREAM.MSG.GET.RAYLOG",
    "$JS.API.STREAM.INFO.RAYPUB",
    "$JS.API.STREAM.PURGE.RAYPUB",
    "$JS.API.CONSUMER.CREATE.RAYPUB.mine",
    "$JS.API.CONSUMER.MSG.NEXT.RAYLOG.executor",
    "$JS.API.CONSUMER.MSG.NEXT.RAYPUB.other",
)


def accounts() -> str:
    """Return the configuration of the guide."""
    (block,) = re.findall(r"```text\n(accounts .*?)```", GUIDE.read_text(), re.DOTALL)
    return str(block)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Run NATS as the guide says, with streams, a consumer for outsiders, and a past."""
    with ending(tmp_path_factory.mktemp("outsiders")) as installation:
        port = free_port()
        store = installation.folder / "store"
        lines = [f"listen: 127.0.0.1:{port}", f'jetstream {{ store_dir: "{store}" }}', accounts()]
        config = installation.folder / "nats.conf"
        config.write_text("\n".join(lines))
        server = installation.add("nats", (find_binary(), "-c", str(config)), PASSWORDS)
        wait_until(lambda: "Server is ready" in server.said(), "NATS is ready", state=server.said)
        installation.nats_url = f"nats://heliograph:inside@127.0.0.1:{port}"
        made = installation.heliograph("init")
        assert made.returncode == 0, made.stderr
        asyncio.run(begin(installation))
        yield installation


@asynccontextmanager
async def inside(here: Installation) -> AsyncIterator[JetStreamBus]:
    connection = Connection(Endpoint(servers=(here.nats_url,), name="inside"))
    await connection.open()
    try:
        yield JetStreamBus(connection)
    finally:
        await connection.close()


async def begin(here: Installation) -> None:
    async with inside(here) as bus:
        for name in ("billing", "other"):
            await bus.news.ensure_consumer(Work(consumer=name, filters=("pub.>",), most=1), 1)
        for telling in PAST:
            await bus.log.append(entry_of(*telling))


def outside_url(here: Installation) -> str:
    return here.nats_url.replace("heliograph:inside", "billing:outside")


@asynccontextmanager
async def outside(here: Installation) -> AsyncIterator[tuple[Client, list[str]]]:
    """Connect as an outsider; what the server refuses is in the list."""
    refused: list[str] = []

    async def note(error: Exception) -> None:
        refused.append(str(error))

    client = await nats.connect(outside_url(here), inbox_prefix="_INBOX_billing", error_cb=note)
    try:
        yield client, refused
    finally:
        await client.close()


def test_takes_the_past_from_its_consumer(here: Installation) -> None:
    journal = here.folder / "journal"
    words = ("--durable", "billing", "--bind", "--inbox", "_INBOX_billing")
    command = (sys.executable, str(SCRIPT), *words, "--journal", str(journal))
    process = here.add("billing", command, {"NATS_URL": outside_url(here)})

    def heard() -> list[str]:
        lines = journal.read_bytes().splitlines() if journal.exists() else []
        return [msgspec.json.decode(line)["id"] for line in lines]

    wait_until(lambda: len(heard()) >= 2, "the past is heard", 30, state=process.said)
    process.kill()
    assert heard()[:2] == ["train-1", "train-2"], "and perhaps what another test told"


async def test_hears_what_happens(here: Installation) -> None:
    heard: asyncio.Queue[Msg] = asyncio.Queue()
    async with outside(here) as (client, refused), inside(here) as bus:
        await client.subscribe("pub.team-a.>", cb=heard.put)
        await client.flush()
        await bus.log.append(entry_of(JOB, "failed", 3, "exit code 1", "structured"))
        message = await asyncio.wait_for(heard.get(), 10)

    assert message.subject == "pub.team-a.rayjob.train.failed"
    assert refused == []


async def passed_on(bus: JetStreamBus) -> int:
    """Return where the events end, once the server has passed all of them on."""
    told = {message.sequence async for message in bus.log.read(("ray.>",), FromSequence(1))}
    async with asyncio.timeout(10):
        while (last := (await bus.news.end()).last) < len(told):  # noqa: ASYNC110 - nobody calls
            await asyncio.sleep(0.05)
    return last


@pytest.mark.parametrize("subject", FORBIDDEN)
async def test_may_not_ask_or_say_anything_else(subject: str, here: Installation) -> None:
    async with inside(here) as bus:
        before = (await bus.log.end()).last, await passed_on(bus)
        async with outside(here) as (client, refused):
            answer: Any = None
            try:
                answer = await client.request(subject, b"{}", timeout=1)
            except Error:
                await client.flush()
        after = (await bus.log.end()).last, (await bus.news.end()).last

    assert answer is None
    assert len(refused) == 1
    assert "permissions violation for publish" in refused[0].lower()
    assert after == before


@pytest.mark.parametrize("subject", ["ray.>", "$JS.>", "_INBOX.>", ">"])
async def test_may_not_listen_to_anything_else(subject: str, here: Installation) -> None:
    async with outside(here) as (client, refused):
        await client.subscribe(subject)
        await client.flush()
        await asyncio.sleep(0.1)

    assert len(refused) == 1
    assert "permissions violation for subscription" in refused[0].lower()


def test_the_configuration_is_one_that_the_server_knows(tmp_path: Path) -> None:
    config = tmp_path / "nats.conf"
    config.write_text(f"{accounts()}\n")
    checked = subprocess.run(
        [find_binary(), "-c", str(config), "-t"],
        env={**PASSWORDS},
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stderr
