"""`heliograph tail`: what happens on a real server, in people's words, with bounded memory."""

import asyncio
import io
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence

import msgspec
import pytest

from heliograph.cli.app import main
from heliograph.cli.render import Screen
from heliograph.cli.tail import Tellers, Told, filter_of, lines_of
from shared.bus.jetstream import JetStreamBus
from shared.bus.memory import MemoryServer
from shared.bus.server import NatsServer
from shared.ports.event_log import Entry, EventLog, FromSequence, Message
from tests.support.builders import KEY, NOON
from tests.support.nats import open_connection
from tests.support.planted import ENV, SECRETS, cluster_recreated

Captured = pytest.CaptureFixture[str]
HISTORY = cluster_recreated().messages()
PATIENCE = 60


async def publish(log: EventLog, messages: Sequence[Message], mark: str = "m") -> None:
    for message in messages:
        entry = Entry(subject=message.subject, id=f"{mark}{message.sequence}", data=message.data)
        await log.append(entry)


async def write(server: NatsServer, messages: Sequence[Message]) -> None:
    connection = await open_connection(server)
    await publish(JetStreamBus(connection).log, messages)
    await connection.close()


def tail(server: NatsServer, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "heliograph", "tail", *arguments, "--nats-url", server.url]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


@pytest.mark.timeout(120)
def test_tells_what_happens_as_it_happens_and_ends_on_interrupt(nats: NatsServer) -> None:
    """What was seen before it began is not told, but known: the change is told as a change."""
    assert main(["init", "--nats-url", nats.url]) == 0
    asyncio.run(write(nats, HISTORY[:6]))
    with tail(nats, "--kind", "RayCluster", "-o", "json", "--since", "1d") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = msgspec.json.decode(process.stdout.readline())
        asyncio.run(write(nats, HISTORY[6:]))
        told = [first]
        while len(told) < 10:
            told.append(msgspec.json.decode(process.stdout.readline()))
        process.send_signal(signal.SIGINT)
        code = process.wait(PATIENCE)
        assert process.stderr.read() == ""

    assert code == 130
    assert first["text"] == "demo appeared"
    assert {one["resource"] for one in told} == {str(KEY)}
    changed = next(one for one in told if one["sequence"] == 7)
    assert changed["text"].startswith("demo was changed")
    everything = "".join(one["text"] + "".join(one["because"]) for one in told)
    assert [secret for secret in SECRETS if secret in everything] == []


@pytest.fixture
async def log() -> EventLog:
    return MemoryServer().connect("a").log


async def heard(tellers: Tellers, log: EventLog, facet: str | None = None) -> list[Told]:
    return [
        told
        async for message in log.read(("ray.>",), FromSequence(1))
        async for told in tellers.tell(message, facet)
    ]


async def test_a_resource_is_told_in_the_light_of_its_past(log: EventLog) -> None:
    await publish(log, HISTORY)
    tellers = Tellers(log)

    told = [
        one
        async for message in log.read(("ray.>",), FromSequence(7))
        async for one in tellers.tell(message)
    ]

    assert told[0].text.startswith("demo was changed: spec.headGroupSpec.template.spec")
    assert told[1].what == "decided"
    assert ENV not in told[0].text


async def test_one_facet_is_told_and_the_rest_is_still_known(log: EventLog) -> None:
    await publish(log, HISTORY)

    told = await heard(Tellers(log), log, "res")

    assert {one.what for one in told} == {"done"}
    assert told[0].text == "create service demo-head-svc"


async def test_only_so_many_pasts_are_held(log: EventLog) -> None:
    for number in range(6):
        renamed = [
            msgspec.structs.replace(
                one, subject=one.subject.replace(".prod.demo.", f".prod.demo{number}.")
            )
            for one in HISTORY[1:3]
        ]
        await publish(log, renamed, mark=f"{number}-")
    tellers = Tellers(log, most=2)

    told = await heard(tellers, log)

    assert len(tellers) == 2
    assert [one.what for one in told] == ["seen", "decided"] * 6


async def test_what_was_told_is_not_told_again_after_a_reconnection(log: EventLog) -> None:
    await publish(log, HISTORY)
    tellers = Tellers(log)
    before = await heard(tellers, log)
    await tellers.begin_anew()

    assert before
    assert await heard(tellers, log) == []


def test_filters_name_what_is_asked_for() -> None:
    everything = Namespace(kind=None, namespace=None, name=None)
    some = Namespace(kind="RayJob", namespace="team.a", name=None)

    assert filter_of(everything) == "ray.*.*.*.*.>"
    assert filter_of(some) == "ray.*.rayjob.team_a.*.>"


def test_reasons_stand_under_what_they_explain() -> None:
    told = Told(
        resource=str(KEY), sequence=1, at=NOON, what="decided", text="to wait", because=("so",)
    )

    assert lines_of(Screen(io.StringIO(), {}), told) == [
        "12:00:00.000  decided  raycluster/prod/demo  to wait",
        "                       because so",
    ]


@pytest.mark.parametrize("kind", ["pod", "Services", "thing"])
def test_a_kind_of_which_nothing_is_ever_heard_is_refused(kind: str, capsys: Captured) -> None:
    """Before any bus is asked: it would be waited for, for ever."""
    assert main(["tail", "--kind", kind]) == 2
    told = capsys.readouterr().err
    assert told.startswith("heliograph: --kind: a ")
    assert told.endswith("that owns it: raycluster, rayjob, raycronjob, rayservice\n")


@pytest.mark.timeout(120)
def test_schedules_that_nobody_watches_are_told_of_on_the_side(nats: NatsServer) -> None:
    assert main(["init", "--nats-url", nats.url]) == 0
    with tail(nats, "--kind", "raycronjobs") as process:
        assert process.stderr is not None
        told = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130

    assert told.startswith("heliograph: RayCronJobs are watched only with --feature-gates ")


def test_a_moment_that_cannot_be_read_is_told(nats: NatsServer, capsys: Captured) -> None:
    main(["init", "--nats-url", nats.url])
    assert main(["tail", "--since", "soon", "--nats-url", nats.url]) == 2
    assert "--since: 'soon' is no sequence" in capsys.readouterr().err
