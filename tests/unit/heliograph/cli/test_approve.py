"""`heliograph approve` on a real server: what is written, what is said, what is refused."""

import asyncio

import pytest

from heliograph.cli.app import main
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.events import subjects
from shared.events.approvals import Approved
from shared.events.codec import decode
from shared.ports.event_log import Entry
from tests.contract.test_histories import messages_of
from tests.support.nats import open_connection
from tests.unit.heliograph.cli.recorded import assert_golden

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module", autouse=True)
def history(nats: NatsServer) -> None:
    """Write the history of one cluster."""
    assert main(["init", "--nats-url", nats.url]) == 0
    asyncio.run(write(nats))


async def write(server: NatsServer) -> None:
    connection = await open_connection(server)
    log = JetStreamBus(connection).log
    for message in messages_of("worker-failed"):
        entry = Entry(subject=message.subject, id=str(message.sequence), data=message.data)
        await log.append(entry)
    await connection.close()


async def approved(server: NatsServer, scope: str) -> Approved | None:
    connection = await open_connection(server)
    last = await JetStreamBus(connection).log.last(subjects.approval(scope))
    await connection.close()
    body = decode(last).envelope.body if last is not None else None
    return body if isinstance(body, Approved) else None


def approve(nats: NatsServer, *arguments: str) -> int:
    return main(["approve", *arguments, "--nats-url", nats.url])


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("fleet", "fleet"),
        ("namespace/default", "namespace/default"),
        ("RayClusters/default/first", "raycluster/default/first"),
    ],
)
def test_what_is_approved_is_said_and_in_the_log(
    text: str, scope: str, nats: NatsServer, capsys: Captured
) -> None:
    capsys.readouterr()

    assert approve(nats, text, "--for", "2h", "--because", "the project has ended") == 0
    assert_golden(f"approve-{scope.split('/', maxsplit=1)[0]}", capsys.readouterr().out)
    found = asyncio.run(approved(nats, scope))
    assert found is not None
    assert (found.scope, found.seconds, found.because) == (scope, 7200, "the project has ended")


@pytest.mark.parametrize(
    ("scope", "sentence"),
    [
        (
            "raycluster/default/frist",
            (
                "the log knows nothing of raycluster/default/frist; "
                "did you mean raycluster/default/first?"
            ),
        ),
        ("namespace/defualt", "the log knows nothing in namespace defualt (there is default)"),
        ("pod/default/first-head-g2v6x", "approve is for raycluster, rayjob, raycronjob, "),
        ("everything", "'everything' is no scope: it is fleet, namespace/NAME or KIND/"),
    ],
)
def test_where_the_log_knows_nobody_nothing_is_approved(
    scope: str, sentence: str, nats: NatsServer, capsys: Captured
) -> None:
    capsys.readouterr()

    assert approve(nats, scope) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"heliograph: {sentence}")
    assert asyncio.run(approved(nats, scope)) is None


@pytest.mark.parametrize("span", ["soon", "8d", "0s"])
def test_a_span_that_cannot_be_meant_is_refused(
    span: str, nats: NatsServer, capsys: Captured
) -> None:
    assert approve(nats, "fleet", "--for", span) == 2
    assert capsys.readouterr().err.startswith("heliograph: --for: ")
