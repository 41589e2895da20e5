"""The commands that read the log, against a real server: `init`, `timeline`, `replay`."""

import asyncio
import io
from collections.abc import Sequence

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
    assert told[-1][2:] == ["done", told[-1][3]]


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
    ],
)
def test_a_mistake_is_one_message(
    arguments: list[str], told: str, nats: NatsServer, capsys: Captured
) -> None:
    assert main([*arguments, "--nats-url", nats.url]) == 2
    assert capsys.readouterr() == ("", f"heliograph: {told}\n")


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
