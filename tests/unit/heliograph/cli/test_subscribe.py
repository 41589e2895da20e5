"""`heliograph subscribe`, against a real server: what is heard, from when, in which form."""

import asyncio
import io
import threading
import time
from argparse import Namespace
from datetime import datetime, timedelta

import msgspec
import pytest

from heliograph.cli.app import main
from heliograph.cli.render import Screen
from heliograph.cli.subscribe import BAD, GOOD, WORDS, Heard, filter_of, line_of
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.events import subjects
from shared.events.cloudevents import CloudEvent
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Entry
from tests.support.builders import NOON
from tests.support.nats import open_connection
from tests.support.tellings import Telling, event, tell

Captured = pytest.CaptureFixture[str]
CLUSTER = ResourceKey("raycluster", "default", "first")
JOB = ResourceKey("rayjob", "team.a", "train")
STORY: tuple[Telling, ...] = (
    (CLUSTER, "provisioning", 1, "it was written by kubectl", "structured"),
    (JOB, "created", 1, "it was written", "binary"),
    (CLUSTER, "ready", 2, "head and worker are ready", "binary"),
    (JOB, "failed", 2, "exit code 1: \x1b[31mboom", "structured"),
)


async def spoil(server: NatsServer) -> None:
    """Put something else among the events."""
    key = ResourceKey("raycluster", "spoiled", "one")
    connection = await open_connection(server)
    entry = Entry(subject=subjects.life(key, "ready"), id="nothing", data=b"no event")
    await JetStreamBus(connection).log.append(entry)
    await connection.close()
    await tell(server, (key, "ready", 1, "it is ready", "structured"))


@pytest.fixture(scope="module", autouse=True)
def environment(nats: NatsServer) -> None:
    """Make the streams, tell a story, and wait until the server has passed it on."""
    assert main(["init", "--nats-url", nats.url]) == 0
    asyncio.run(tell(nats, *STORY))
    whole = ("--since", "beginning", "--count", str(len(STORY)))
    assert main(["subscribe", *whole, "--nats-url", nats.url]) == 0


def said(nats: NatsServer, capsys: Captured, *arguments: str) -> list[str]:
    capsys.readouterr()
    assert main(["subscribe", *arguments, "--nats-url", nats.url]) == 0
    return capsys.readouterr().out.splitlines()


def test_tells_the_past_in_peoples_words(nats: NatsServer, capsys: Captured) -> None:
    assert said(nats, capsys, "--since", "beginning", "--count", "4") == [
        "2030-01-01 12:00:01  provisioning     raycluster/default/first  it was written by kubectl",
        "2030-01-01 12:00:01  created          rayjob/team.a/train  it was written",
        "2030-01-01 12:00:02  ready            raycluster/default/first  head and worker are ready",
        "2030-01-01 12:00:02  failed           rayjob/team.a/train  exit code 1: \\x1b[31mboom",
    ]


def test_both_modes_are_printed_as_the_same_kind_of_event(
    nats: NatsServer, capsys: Captured
) -> None:
    lines = said(nats, capsys, "--since", "1h", "--count", "4", "-o", "cloudevents")

    told = [msgspec.json.decode(line, type=CloudEvent) for line in lines]
    assert told == [event(*telling[:4]) for telling in STORY]


def test_tells_few_words_for_programs(nats: NatsServer, capsys: Captured) -> None:
    flags = ("--namespace", "team.a", "--since", "beginning", "--count", "1", "-o", "json")
    (line,) = said(nats, capsys, *flags)

    assert msgspec.json.decode(line, type=Heard) == Heard(
        at=NOON + timedelta(seconds=1),
        event="created",
        resource="rayjob/team.a/train",
        because="it was written",
        number=1,
        id="train-1",
    )


@pytest.mark.parametrize(
    ("flags", "heard"),
    [
        (("--kind", "RayJob", "--count", "2"), ["train-1", "train-2"]),
        (("--name", "first", "--count", "2"), ["first-1", "first-2"]),
        (("--event", "ready", "--count", "1"), ["first-2"]),
        (("--namespace", "team.a", "--event", "failed", "--count", "1"), ["train-2"]),
    ],
)
def test_hears_only_what_is_asked_for(
    flags: tuple[str, ...], heard: list[str], nats: NatsServer, capsys: Captured
) -> None:
    lines = said(nats, capsys, *flags, "--since", "beginning", "-o", "json")

    assert [msgspec.json.decode(line, type=Heard).id for line in lines] == heard


def test_without_a_moment_only_what_comes_is_heard(nats: NatsServer, capsys: Captured) -> None:
    over = threading.Event()

    def keep_telling() -> None:
        number = 3
        while not over.is_set():
            late: Telling = (CLUSTER, "degraded", number, "a worker is gone", "structured")
            asyncio.run(tell(nats, late))
            number += 1
            time.sleep(0.2)

    teller = threading.Thread(target=keep_telling)
    teller.start()
    try:
        (line,) = said(nats, capsys, "--count", "1", "-o", "json")
    finally:
        over.set()
        teller.join()

    assert msgspec.json.decode(line, type=Heard).event == "degraded"


def test_a_durable_one_goes_on_where_it_stood(nats: NatsServer, capsys: Captured) -> None:
    flags = ("--durable", "mine", "--since", "1h", "--kind", "rayjob", "--count", "1", "-o", "json")
    first, second = said(nats, capsys, *flags), said(nats, capsys, *flags)

    told = [msgspec.json.decode(line, type=Heard).id for line in (*first, *second)]
    assert told == ["train-1", "train-2"]


def test_what_is_no_event_is_left_out(nats: NatsServer, capsys: Captured) -> None:
    asyncio.run(spoil(nats))
    flags = ("--namespace", "spoiled", "--since", "beginning", "--count", "1", "-o", "json")
    (line,) = said(nats, capsys, *flags)

    assert msgspec.json.decode(line, type=Heard).event == "ready"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (
            ("--event", "flying"),
            "--event: 'flying' is no event: there are provisioning, ready, degraded",
        ),
        (
            ("--kind", "raycronjob", "--event", "ready"),
            "--event: 'ready' is no event: a raycronjob has created, fired, skipped, suspended, ",
        ),
        (("--since", "yesterday"), "--since: 'yesterday' is no sequence like 4711, no moment"),
        (("--since", "4711"), "--since: '4711' is a sequence, and a moment is asked for"),
        (("--count", "0"), "argument --count: '0' is no count like 10"),
        (("--durable", "a.b"), "argument --durable: 'a.b' cannot be used: letters, digits, - and"),
        (("--durable", "courier-a"), "argument --durable: 'courier-a' cannot be used"),
        (("--kind", "pod"), "argument --kind: invalid choice: 'pod'"),
    ],
)
def test_a_mistake_is_one_message(
    flags: tuple[str, ...], told: str, nats: NatsServer, capsys: Captured
) -> None:
    assert main(["subscribe", *flags, "--nats-url", nats.url]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"heliograph: {told}")
    assert len(err.splitlines()) == 1


def test_a_line_is_cut_to_the_screen() -> None:
    at = datetime(2030, 1, 1, 12, tzinfo=NOON.tzinfo)
    heard = Heard(at=at, event="ready", resource="a/b/c", because="x" * 99, number=1, id="1")

    line = line_of(Screen(io.StringIO(), {}, width=60), heard)

    assert line == "2030-01-01 12:00:00  ready            a/b/c  " + "x" * 14 + "…"


def test_a_name_can_add_no_token() -> None:
    asked = Namespace(namespace="a.b", kind=None, name="x *>", event=None)

    assert filter_of(asked) == "pub.a_b.*.x=20=2A=3E.*"


def test_only_events_that_exist_are_good_or_bad() -> None:
    assert set(WORDS) >= GOOD | BAD
    assert not GOOD & BAD
