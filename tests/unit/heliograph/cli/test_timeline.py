"""The commands that read the log, against a real server: `init`, `timeline`, `why`, `replay`."""

import asyncio
import io
import signal
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta

import msgspec
import pytest

from heliograph.assembly.reading import read_records
from heliograph.cli.app import main
from heliograph.cli.render import Screen
from heliograph.cli.timeline import rows
from heliograph.views.timeline import Moment
from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.settings import digest_of
from services.reconciler.service import as_plain
from shared.aggregates.view import view
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.events import subjects
from shared.events.decisions import SettingsUsed
from shared.events.subjects import everything_of
from shared.ports.event_log import Entry, EventLog, Message
from tests.support.builders import CONTEXT, KEY, NOON, SETTINGS, cluster_spec, group, resource
from tests.support.nats import open_connection
from tests.support.plot import Plot

Captured = pytest.CaptureFixture[str]
DEMO = str(KEY)


async def live(server: NatsServer) -> None:
    """A cluster is seen, and what to do is decided from what the server says, and done."""
    connection = await open_connection(server)
    log = JetStreamBus(connection).log
    plot = Plot()
    digest = digest_of(SETTINGS)
    used = SettingsUsed(digest=digest, settings=as_plain(SETTINGS))
    plot.append(subjects.settings(digest), used)
    plot.sees(resource(cluster_spec(group(replicas=1))))
    await publish(log, plot.messages())
    act = decide(view(KEY, await read_records(log, (everything_of(KEY),))), CONTEXT)
    assert act is not None
    plot.acts(act)
    plot.executes(act)
    await publish(log, plot.messages()[2:])
    await connection.close()


async def publish(log: EventLog, messages: Sequence[Message]) -> None:
    for message in messages:
        entry = Entry(subject=message.subject, id=f"m{message.sequence}", data=message.data)
        await log.append(entry)


@pytest.fixture(scope="module", autouse=True)
def environment(nats: NatsServer) -> None:
    """Make the streams and write a history."""
    assert main(["init", "--nats-url", nats.url]) == 0
    asyncio.run(live(nats))


def test_init_again_changes_nothing(nats: NatsServer, capsys: Captured) -> None:
    assert main(["init", "--nats-url", nats.url]) == 0
    assert {line.split()[-1] for line in capsys.readouterr().out.splitlines()} == {"unchanged"}


def test_tells_a_history_as_a_table(nats: NatsServer, capsys: Captured) -> None:
    assert main(["timeline", DEMO, "--nats-url", nats.url]) == 0
    told = [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()]

    assert told[0] == ["RECORD", "TIME", "WHAT", "DETAIL"]
    assert (told[1][2], told[1][3]) == ("seen", "demo appeared")
    assert (told[2][2], told[2][3][:14]) == ("decided", "create service")
    assert "done" in [line[2] for line in told[3:] if len(line) == 4]


def test_tells_a_history_as_json(nats: NatsServer, capsys: Captured) -> None:
    assert main(["timeline", DEMO, "-o", "json", "--nats-url", nats.url]) == 0
    moments = [
        msgspec.json.decode(line, type=Moment) for line in capsys.readouterr().out.splitlines()
    ]

    assert [(moment.sequence, moment.what) for moment in moments[:3]] == [
        (2, "seen"),
        (3, "decided"),
        (4, "done"),
    ]


@pytest.mark.parametrize("arguments", [["--all"], [], [DEMO]])
def test_replays_what_was_decided(arguments: list[str], nats: NatsServer, capsys: Captured) -> None:
    assert main(["replay", *arguments, "--nats-url", nats.url]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 of 1 decision of 1 resource are identical",
        "identical",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["timeline", "demo"], "'demo' is not of the form KIND/NAMESPACE/NAME"),
        (["timeline", "raycluster/prod/x"], "the log knows nothing of raycluster/prod/x"),
        (["replay", "prod/demo"], "'prod/demo' is not of the form KIND/NAMESPACE/NAME"),
        (
            ["parity"],
            (
                "this log does not say whether it is of a shadow: no installation that says so has "
                "run on it yet (heliograph run all --shadow)"
            ),
        ),
    ],
)
def test_a_mistake_is_one_message(
    arguments: list[str], told: str, nats: NatsServer, capsys: Captured
) -> None:
    assert main([*arguments, "--nats-url", nats.url]) == 2
    assert capsys.readouterr() == ("", f"heliograph: {told}\n")


def test_asks_a_living_log(nats: NatsServer, capsys: Captured) -> None:
    assert main(["why", "service/prod/demo-head-svc", "--nats-url", nats.url]) == 0
    reason = capsys.readouterr().out
    assert main(["get", DEMO, "-o", "json", "--nats-url", nats.url]) == 0
    found = msgspec.json.decode(capsys.readouterr().out)
    assert main(["diff", DEMO, "--from", "2", "--nats-url", nats.url]) == 0

    assert reason.startswith("service demo-head-svc was asked for and not seen because")
    assert found["resource"] == DEMO
    assert "service demo-head-svc" in found["mind"]["expects"]
    assert "mind.lastAct added" in capsys.readouterr().out


def test_follows_what_happens(nats: NatsServer) -> None:
    words = [sys.executable, "-m", "heliograph", "timeline", DEMO, "--follow"]
    with subprocess.Popen(
        [*words, "--nats-url", nats.url], stdout=subprocess.PIPE, text=True
    ) as following:
        assert following.stdout is not None
        told: list[str] = []
        while not any("create service demo-head-svc" in line for line in told if " done " in line):
            told.append(following.stdout.readline())
        asyncio.run(grow(nats))
        while "was changed" not in told[-1]:
            told.append(following.stdout.readline())
        following.send_signal(signal.SIGINT)
        code = following.wait(timeout=30)

    assert "demo was changed: spec.workerGroupSpecs[0].replicas: 1 -> 5" in told[-1]
    assert code == 130


async def grow(server: NatsServer) -> None:
    """Somebody asks for more workers."""
    connection = await open_connection(server)
    plot = Plot()
    plot.sees(resource(cluster_spec(group(replicas=5)), generation=2, version=2))
    message = plot.messages()[0]
    await JetStreamBus(connection).log.append(
        Entry(subject=message.subject, id="grown", data=message.data)
    )
    await connection.close()


def test_days_are_told_apart() -> None:
    first = Moment(sequence=1, at=NOON, what="seen", text="one")
    later = Moment(sequence=2, at=NOON + timedelta(days=1), what="seen", text="two")
    screen = Screen(io.StringIO(), {})

    assert rows(screen, [first, later])[1:] == [
        "--- 2030-01-01 ---",
        "1       12:00:00.000  seen  one",
        "--- 2030-01-02 ---",
        "2       12:00:00.000  seen  two",
    ]
    assert len(rows(screen, [first], today=NOON.date())) == 2
    assert len(rows(screen, [first], today=later.at.date())) == 3


def test_reasons_stand_under_what_they_explain() -> None:
    moment = Moment(
        sequence=7, at=NOON, what="decided", text="to wait", because=("one thing", "another")
    )

    assert rows(Screen(io.StringIO(), {}), [moment]) == [
        "RECORD  TIME          WHAT     DETAIL",
        "7       12:00:00.000  decided  to wait",
        "                                 because one thing",
        "                                 because another",
    ]
