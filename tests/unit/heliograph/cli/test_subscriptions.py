"""`heliograph subscriptions`: a file is judged, a sink tried, letters shown and sent again."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from heliograph.cli.app import main
from services.courier.letters import letter_entry
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.ports.event_log import FromSequence
from tests.support.nats import open_connection
from tests.unit.services.courier.news import event, tell
from tests.unit.services.courier.sinks import Sink, sink, status

Captured = pytest.CaptureFixture[str]


@pytest.fixture
async def hook() -> AsyncIterator[Sink]:
    async with sink() as one:
        yield one


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "subscriptions.yaml"


def write(file: Path, *subscriptions: dict[str, object]) -> str:
    file.write_text(yaml.safe_dump({"subscriptions": subscriptions}), encoding="utf-8")
    return str(file)


async def said(capsys: Captured, *words: str) -> tuple[int, str, str]:
    """Run the command in a thread of its own, as the sink runs in this one."""
    capsys.readouterr()
    code = await asyncio.to_thread(main, ["subscriptions", *words])
    return code, *capsys.readouterr()


async def test_a_good_file_is_shown_without_addresses(file: Path, capsys: Captured) -> None:
    (file.parent / "key").write_text("word", encoding="utf-8")
    filters = {"subjects": ["pub.team-a.>"], "cel": "event.subject == 'train'"}
    written = write(
        file,
        {"name": "chat", "url": "http://sink/secret-path"},
        {"name": "pager", "url": "http://sink/", "filter": filters, "secretFile": "key"},
    )

    assert await said(capsys, "check", written) == (
        0,
        (
            "NAME   SUBJECTS      TYPES  CEL                       FROM\n"
            "chat   pub.>                                          now\n"
            "pager  pub.team-a.>         event.subject == 'train'  now\n"
        ),
        "",
    )
    _, out, _ = await said(capsys, "check", written, "-o", "json")
    told = json.loads(out)
    assert [one["signed"] for one in told["subscriptions"]] == [False, True]
    assert "secret-path" not in out


async def test_mistakes_are_told_with_their_paths(file: Path, capsys: Captured) -> None:
    written = write(file, {"name": "pager", "url": "ftp://sink"}, {"name": "chat"})

    assert await said(capsys, "check", written) == (
        1,
        "",
        (
            "heliograph: subscriptions[0].url: must be an http or https address without a user or "
            "password: use headers\n"
            "heliograph: subscriptions[1].url: is needed, or else urlFile, and not both\n"
        ),
    )


async def test_a_sink_is_tried_with_one_event(file: Path, hook: Sink, capsys: Captured) -> None:
    written = write(file, {"name": "pager", "url": hook.url})

    code, out, _ = await said(capsys, "test", written, "pager")
    (tried,) = hook.taken
    assert (code, out) == (0, f"taken: io.heliograph.rayjob.succeeded.v1, id {tried.id}\n")
    hook.answer = lambda _: status(503)
    assert await said(capsys, "test", written, "pager") == (
        1,
        "not taken: the sink answered 503\n",
        "",
    )


async def test_a_sink_that_does_not_agree_is_not_tried(
    file: Path, hook: Sink, capsys: Captured
) -> None:
    written = write(file, {"name": "pager", "url": hook.url, "handshake": True})

    code, _, err = await said(capsys, "test", written, "pager")
    assert code == 2
    assert err.startswith("heliograph: the sink does not allow the origin heliograph")
    assert hook.requests == []


async def test_a_subscription_that_is_not_there_is_told(file: Path, capsys: Captured) -> None:
    written = write(file, {"name": "pager", "url": "http://sink/"})

    assert await said(capsys, "test", written, "pagr") == (
        2,
        "",
        f"heliograph: {written} has no subscription 'pagr' that can be served\n",
    )


@pytest.fixture
async def bus(nats: NatsServer) -> AsyncIterator[JetStreamBus]:
    """Give a server with streams and three events, of which two are letters as well."""
    assert await asyncio.to_thread(main, ["init", "--nats-url", nats.url]) == 0
    connection = await open_connection(nats)
    bus = JetStreamBus(connection)
    for number in (1, 2, 3):
        await tell(bus.log, event("a", number))
    async with asyncio.timeout(10):
        while (await bus.news.end()).last < 3:  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.05)
    async for message in bus.news.read(("pub.>",), FromSequence(2)):
        await bus.news.append(letter_entry("pager", message, "the sink answered 503", 11))
    yield bus
    await bus.news.purge("undelivered.pager")
    await connection.close()


async def test_letters_are_shown_and_sent_again_in_order(
    bus: JetStreamBus, nats: NatsServer, file: Path, hook: Sink, capsys: Captured
) -> None:
    where = ("--nats-url", nats.url)
    sinks = ("--subscriptions", write(file, {"name": "pager", "url": hook.url}))
    shown = await said(capsys, "undelivered", "pager", *where)
    letters: Any = json.loads((await said(capsys, "undelivered", "pager", *where, "-o", "json"))[1])
    assert [one["id"] for one in letters] == ["a-2", "a-3"]
    assert shown[1].splitlines()[0].split("  ")[0] == "GIVEN UP"
    assert shown[1].count("pub.team-a.rayjob.a.failed  11     the sink answered 503\n") == 2

    hook.answer = lambda told: status(200 if told.id == "a-2" else 500)
    again = ("undelivered", "pager", "--again", *sinks, *where)
    assert (await said(capsys, *again))[:2] == (
        1,
        "1 taken, then pub.team-a.rayjob.a.failed was not: the sink answered 500\n",
    )
    hook.answer = lambda _: status(200)
    assert (await said(capsys, *again))[:2] == (0, "1 taken, none left\n")
    assert hook.ids() == ["a-2", "a-3"]
    assert await said(capsys, "undelivered", "pager", *where) == (
        0,
        "",
        "heliograph: nothing of pager is left undelivered\n",
    )


async def test_the_oldest_letter_can_be_forgotten(
    bus: JetStreamBus, nats: NatsServer, file: Path, hook: Sink, capsys: Captured
) -> None:
    """Who will never be taken is in the way of the others."""
    where = ("--nats-url", nats.url)
    hook.answer = lambda told: status(200 if told.id == "a-3" else 422)
    again = ("--again", "--subscriptions", write(file, {"name": "pager", "url": hook.url}))
    assert (await said(capsys, "undelivered", "pager", *again, *where))[0] == 1

    forgotten = await said(capsys, "undelivered", "pager", "--forget", *where)
    assert forgotten[:2] == (0, "forgotten: pub.team-a.rayjob.a.failed, id a-2\n")
    sent = await said(capsys, "undelivered", "pager", *again, *where)
    assert (sent[:2], hook.ids()) == ((0, "1 taken, none left\n"), ["a-3"])
    assert (await said(capsys, "undelivered", "pager", "--forget", *where))[0] == 1


async def test_a_replay_says_how_much_will_be_sent(
    bus: JetStreamBus, nats: NatsServer, file: Path, capsys: Captured
) -> None:
    written = write(file, {"name": "replayed", "url": "http://sink/"})
    where = ("--nats-url", nats.url)

    code, out, _ = await said(capsys, "replay", written, "replayed", "--from", "1h", *where)
    assert (code, out.split(", ")[0]) == (0, "3 events will be sent")
    assert (await bus.news.backlog("courier-replayed")).waiting == 3
    code, _, err = await said(capsys, "replay", written, "replayed", "--from", "soon", *where)
    assert (code, err.startswith("heliograph: --from: ")) == (2, True)


async def test_sending_again_needs_the_file(nats: NatsServer, capsys: Captured) -> None:
    assert await said(capsys, "undelivered", "pager", "--again", "--nats-url", nats.url) == (
        2,
        "",
        "heliograph: --again needs to know the sink: --subscriptions names the file\n",
    )
