"""A real server, spoiled in one way after another, and what is found out about it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from heliograph.assembly.doctor.nats import BusDoctor
from heliograph.views.doctor.checks import Check, Mark
from heliograph.views.doctor.facts import Bus, Consumer, Facts, Server, Stream
from heliograph.views.doctor.judging import judged
from shared.bus.connection import Connection
from shared.bus.declarations import LOG, Installation
from shared.bus.inspection import consumer
from shared.bus.jetstream import JetStreamBus
from shared.bus.members import membership
from shared.bus.server import NatsServer
from shared.events import subjects
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Envelope
from shared.events.modes import ModeChosen
from shared.events.records import KindListed
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Entry, Work
from shared.runtime.clock import SystemClock
from tests.support.examinations import HERE, KINDS, SESSION
from tests.support.leases import tenant
from tests.support.nats import fresh, open_connection, running_server

KEY = ResourceKey("raycluster", "default", "first")


class FastClock:
    """A clock that is an hour ahead."""

    def now(self) -> datetime:
        return SystemClock().now() + timedelta(hours=1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with running_server(tmp_path_factory.mktemp("doctor")) as running:
        yield running


@pytest.fixture
async def connection(server: NatsServer) -> AsyncIterator[Connection]:
    made = await fresh(server, timedelta(seconds=10))
    yield made
    await made.close()


async def until_asked(connection: Connection, name: str) -> None:
    """Wait until a hand asks a consumer for work."""
    async with asyncio.timeout(10):
        while not (info := await consumer(connection, LOG, name)) or not info.num_waiting:  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.01)


async def examined(connection: Connection, chosen: Installation | None = None) -> Bus:
    doctor = BusDoctor(connection, chosen or Installation(), SystemClock(), 5.0)
    return await doctor.whole("nats://here", await doctor.server())


def told(bus: Bus, area: str, what: str) -> Check:
    facts = Facts(now=SystemClock().now(), here=HERE, bus=bus, cluster="not looked at")
    found = [one for one in judged(facts).checks if (one.area, one.what) == (area, what)]
    assert len(found) == 1, found
    return found[0]


@asynccontextmanager
async def everybody(connection: Connection) -> AsyncIterator[JetStreamBus]:
    """Let every service have somebody, as if it ran."""
    bus = JetStreamBus(connection)
    for number, kind in enumerate(KINDS):
        await _write(bus, subjects.sync(kind), _listed(kind), f"m{number}")
    async with (
        membership(bus, "reconciler", "one"),
        membership(bus, "status", "one"),
        tenant(bus, "watcher-one") as watcher,
        watcher.hold(KINDS[0], SESSION),
        watcher.hold(KINDS[1], SESSION),
        bus.log.deliveries("executor", most=2) as acts,
        bus.log.deliveries("scheduler", most=2) as timers,
    ):
        taking = [asyncio.ensure_future(anext(each)) for each in (acts, timers)]
        for name in ("executor", "scheduler"):
            await until_asked(connection, name)
        try:
            yield bus
        finally:
            for each in taking:
                each.cancel()
            await asyncio.gather(*taking, return_exceptions=True)


def _listed(kind: str) -> KindListed:
    return KindListed(kind=kind, session=SESSION, number=7, resource_version=1, count=0)


async def _write(bus: JetStreamBus, subject: str, body: Any, identity: str) -> None:
    now = SystemClock().now()
    envelope = Envelope(schema=SCHEMA, id=identity, body=body, code="test", written_at=now)
    await bus.log.append(Entry(subject=subject, id=identity, data=encode(envelope)))


async def test_a_server_with_everybody_at_work_is_well(connection: Connection) -> None:
    async with everybody(connection):
        bus = await examined(connection)

    facts = Facts(now=SystemClock().now(), here=HERE, bus=bus, cluster="not looked at")
    marks = {one.mark for one in judged(facts).checks}
    assert marks == {Mark.WELL, Mark.SKIPPED}, judged(facts)
    assert isinstance(bus.server, Server)
    assert bus.server.version.startswith("2.")


@pytest.mark.parametrize("name", ["RAYLOG", "RAYPUB", "KV_raymembers"])
async def test_a_stream_that_was_deleted_is_missing(connection: Connection, name: str) -> None:
    await connection.api(f"STREAM.DELETE.{name}", None, dict[str, Any])

    bus = await examined(connection)

    assert bus.streams[name] == Stream(name=name, there=False)
    assert told(bus, "streams", name).todo == ("heliograph init",)


async def test_a_stream_that_somebody_changed_is_told_setting_by_setting(
    connection: Connection,
) -> None:
    info = await connection.api(f"STREAM.INFO.{LOG}", None, dict[str, Any])
    changed = {**info["config"], "max_age": 86_400_000_000_000, "republish": None}
    await connection.api(f"STREAM.UPDATE.{LOG}", changed, dict[str, Any])

    log = (await examined(connection)).streams[LOG]

    assert isinstance(log, Stream)
    said = {one.setting: (one.now, one.chosen) for one in log.differences}
    assert said == {"max_age": ("1 d", True), "republish": ("not set", False)}


async def test_settings_that_ask_for_more_are_compared(connection: Connection) -> None:
    bus = await examined(connection, Installation(max_age=timedelta(days=14)))

    found = told(bus, "streams", LOG)
    assert found.mark is Mark.WARNING
    assert "max_age is 7 d, asked 14 d" in found.says


async def test_nobody_at_work_is_told_of_every_service(connection: Connection) -> None:
    bus = await examined(connection)

    for service in ("watcher", "reconciler", "status", "executor", "scheduler"):
        assert told(bus, "services", service).mark is Mark.WRONG
    assert told(bus, "sessions", "kinds").mark is Mark.WRONG


async def test_a_hand_that_was_lost_is_missed_though_its_work_is_in_it(
    connection: Connection, server: NatsServer
) -> None:
    other = await open_connection(server, "killed")
    async with JetStreamBus(other).log.deliveries("executor", most=1) as acts:
        asking = asyncio.ensure_future(anext(acts))
        await until_asked(connection, "executor")
        before = (await examined(connection)).consumers["executor"]
        await other.close()
        asking.cancel()
    entry = Entry(subject=subjects.act(KEY), id="a", data=b"{}")
    await JetStreamBus(connection).log.append(entry)

    bus = await examined(connection)

    assert isinstance(before, Consumer)
    assert before.hands == 1
    assert told(bus, "services", "executor").says == "nobody takes work; 1 act waits"


async def test_a_consumer_that_was_deleted_or_paused_is_told(connection: Connection) -> None:
    until = {"pause_until": "2200-01-01T00:00:00Z"}
    await connection.api(f"CONSUMER.PAUSE.{LOG}.executor", until, dict[str, Any])
    await connection.api(f"CONSUMER.DELETE.{LOG}.scheduler", None, dict[str, Any])

    bus = await examined(connection)

    assert told(bus, "services", "executor").says == "its consumer is paused"
    assert told(bus, "services", "scheduler").todo == ("heliograph init",)


async def test_a_subscription_that_nobody_serves_is_told(connection: Connection) -> None:
    bus = JetStreamBus(connection)
    work = Work(consumer="courier-chat", filters=("pub.>",), most=1)
    await bus.news.ensure_consumer(work, 1)

    found = told(await examined(connection), "services", "courier, chat")

    assert found.says.startswith("no courier serves it")


async def test_a_record_of_a_newer_schema_parks_its_resource(connection: Connection) -> None:
    entry = Entry(subject=subjects.act(KEY), id="a", data=b'{"schema": 99}')
    await JetStreamBus(connection).log.append(entry)

    found = told(await examined(connection), "resources", "records")

    assert "raycluster/default/first cannot be read" in found.says


async def test_the_mode_of_the_log_is_read(connection: Connection) -> None:
    assert (await examined(connection)).shadow is None
    await _write(JetStreamBus(connection), subjects.MODE, ModeChosen(shadow=True), "mode")

    assert (await examined(connection)).shadow is True


async def test_a_clock_that_is_ahead_is_seen(connection: Connection) -> None:
    doctor = BusDoctor(connection, Installation(), FastClock(), 5.0)

    skew = (await doctor.server()).skew

    assert skew is not None
    assert timedelta(minutes=59) < -skew < timedelta(minutes=61)


async def test_a_server_without_jetstream_is_asked_nothing_more(tmp_path: Path) -> None:
    plain = _Plain(tmp_path)
    plain.start()
    try:
        connection = await open_connection(plain)
        bus = await examined(connection)
        await connection.close()
    finally:
        plain.stop()

    assert told(bus, "NATS", "JetStream").mark is Mark.WRONG
    assert bus.streams == {}


class _Plain(NatsServer):
    def _config(self) -> str:
        return "\n".join(
            line for line in super()._config().splitlines() if not line.startswith("jetstream")
        )
