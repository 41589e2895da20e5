"""The subscription file: read again when it changes, its mistakes told, its secrets kept."""

import asyncio
import hashlib
import hmac
import logging

import pytest

from services.courier.loading import Source, UnreadableError
from services.courier.metrics import PROBLEMS
from shared.ports.event_log import FromSequence
from tests.unit.services.courier.news import event, tell
from tests.unit.services.courier.sinks import QUICK, Post, Sink, status, until

Logs = pytest.LogCaptureFixture


@pytest.fixture(autouse=True)
def everything_is_heard(caplog: Logs) -> None:
    caplog.set_level(logging.INFO)


async def until_told(caplog: Logs, text: str, times: int = 1) -> None:
    await until(lambda: sum(text in str(vars(one)) for one in caplog.records) >= times)


async def test_a_subscription_that_appears_is_served(post: Post, hook: Sink) -> None:
    post.write()
    post.start()
    await post.tell("a", 1)
    await asyncio.sleep(0.2)
    post.write({"name": "pager", "url": hook.url})
    await hook.until(1)


async def test_one_that_vanishes_is_served_no_more_and_keeps_its_place(
    post: Post, hook: Sink, caplog: Logs
) -> None:
    post.write({"name": "pager", "url": hook.url})
    post.start()
    await tell(post.bus.log, event("a", 1))
    await hook.until(1)
    post.write()
    await until_told(caplog, "subscription is served no more")
    await tell(post.bus.log, event("a", 2))
    await asyncio.sleep(0.3)
    assert hook.ids() == ["a-1"]

    post.write({"name": "pager", "url": hook.url, "from": "now"})
    await hook.until(2)
    assert [one.id for one in hook.taken] == ["a-1", "a-2"]


async def test_a_change_counts_at_once(post: Post, hook: Sink, caplog: Logs) -> None:
    post.write({"name": "pager", "url": hook.url})
    post.start()
    await tell(post.bus.log, event("a", 1))
    await hook.until(1)
    post.write({"name": "pager", "url": hook.url, "mode": "binary"})
    await until_told(caplog, "subscription is served", times=2)
    await tell(post.bus.log, event("a", 2))
    await hook.until(2)

    assert hook.requests[-1].headers["ce-id"] == "a-2"


async def test_a_mistake_is_told_with_its_path_and_the_good_ones_go_on(
    post: Post, hook: Sink, caplog: Logs
) -> None:
    post.write({"name": "bad", "url": hook.url, "mode": "loud"}, {"name": "pager", "url": hook.url})
    post.start()
    await post.tell("a", 1)
    await hook.until(1)

    await until_told(caplog, "subscriptions[0].mode: invalid enum value 'loud'")
    assert PROBLEMS._value.get() == 1
    await asyncio.sleep(0.3)
    told = [record for record in caplog.records if "mistake" in record.message]
    assert len(told) == 1, "told once, not with every look"


async def test_a_file_that_breaks_changes_nothing(post: Post, hook: Sink, caplog: Logs) -> None:
    post.write({"name": "pager", "url": hook.url})
    post.start()
    await tell(post.bus.log, event("a", 1))
    await hook.until(1)
    post.file.write_text("subscriptions: [", encoding="utf-8")
    await until_told(caplog, "is not YAML")
    await tell(post.bus.log, event("a", 2))
    await hook.until(2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("subscriptions: [", "is not YAML: line 1: "),
        ("subscriptions:\n- url: 'http://sink/planted", "is not YAML: line 2: "),
        ("from: 2030-13-01T00:00:00Z", "is not YAML: month must be in 1..12"),
        pytest.param("[" * 5000, "is not YAML: ", id="deep"),
    ],
)
def test_what_is_no_yaml_is_told_without_its_text(post: Post, text: str, sentence: str) -> None:
    post.file.write_text(text, encoding="utf-8")
    (problem,) = Source(str(post.file)).read().problems

    assert sentence in str(problem)
    assert "planted" not in str(problem)


async def test_a_file_that_comes_later_is_waited_for(post: Post, hook: Sink, caplog: Logs) -> None:
    post.start()
    await until_told(caplog, "cannot be read: No such file or directory")
    await post.tell("a", 1)
    post.write({"name": "pager", "url": hook.url})
    await hook.until(1)


async def test_a_secret_that_comes_later_is_waited_for(
    post: Post, hook: Sink, caplog: Logs
) -> None:
    post.write({"name": "pager", "url": hook.url, "secretFile": "key"})
    post.start()
    await until_told(caplog, "subscriptions[0].secretFile: key cannot be read")
    await post.tell("a", 1)
    (post.folder / "key").write_text("word\n", encoding="utf-8")
    await hook.until(1)


async def test_a_new_key_counts_with_the_next_request(post: Post, hook: Sink) -> None:
    (post.folder / "key").write_text("first\n", encoding="utf-8")
    post.write({"name": "pager", "url": hook.url, "secretFile": "key"})
    post.start()
    await tell(post.bus.log, event("a", 1))
    await hook.until(1)
    (post.folder / "key").write_text("second\n", encoding="utf-8")
    await tell(post.bus.log, event("a", 2))
    await hook.until(2)

    for key, request, body in zip((b"first", b"second"), hook.requests, hook.bodies, strict=True):
        moment, _, signature = request.headers["Webhook-Signature"].partition(",")
        signed = moment.removeprefix("t=").encode() + b"." + body
        assert signature == "v1=" + hmac.new(key, signed, hashlib.sha256).hexdigest()


def plant(post: Post, hook: Sink) -> None:
    """Write secrets into files, and subscriptions that use them."""
    for name, text in (("key", "planted-key"), ("token", "Bearer planted-token")):
        (post.folder / name).write_text(text, encoding="utf-8")
    (post.folder / "url").write_text(f"{hook.url}/planted-path", encoding="utf-8")
    twice = {**QUICK, "retry": 1}
    headers = {"Authorization": {"file": "token"}}
    post.write(
        {
            "name": "pager",
            "urlFile": "url",
            "secretFile": "key",
            "headers": headers,
            "delivery": twice,
        },
        {"name": "nowhere", "url": "http://127.0.0.1:9/planted-path", "delivery": twice},
    )


async def test_no_secret_is_told_anywhere(post: Post, hook: Sink, caplog: Logs) -> None:
    """Neither key nor token nor address: not in a log line, not on the bus."""
    plant(post, hook)
    caplog.set_level("DEBUG")
    hook.answer = lambda told: status(500 if told.subject == "a" else 422)
    await post.tell("ab", 1)
    post.start()
    await until_told(caplog, "the sink answered 500")
    await until_told(caplog, "no connection to the sink")
    await until_told(caplog, "event was not delivered", times=4)

    assert hook.requests[0].headers["Authorization"] == "Bearer planted-token"
    assert hook.requests[0].path == "/hook/planted-path"
    logged = " ".join(str(vars(record)) for record in caplog.records if "courier" in record.name)
    held = [message async for message in post.bus.news.read((">",), FromSequence(1))]
    assert "planted" not in logged
    assert len([one for one in held if one.subject.startswith("undelivered.")]) == 4
    assert "planted" not in repr(held)


@pytest.mark.parametrize(
    ("name", "held", "sentence"),
    [
        ("urlFile", "ftp://sink", "urlFile holds no http or https address"),
        ("urlFile", " \n", "urlFile is empty, or longer than 65536 bytes"),
        ("headers", "a\r\nB: c", "headers.X: its file holds more than one line of text"),
    ],
)
def test_what_a_file_holds_is_checked_when_it_is_used(
    post: Post, name: str, held: str, sentence: str
) -> None:
    (post.folder / "held").write_text("http://sink/", encoding="utf-8")
    files: dict[str, object] = (
        {"urlFile": "held"}
        if name == "urlFile"
        else {"url": "http://sink/", "headers": {"X": {"file": "held"}}}
    )
    post.write({"name": "pager", **files})
    source = Source(str(post.file))
    (subscription,) = source.read().subscriptions
    (post.folder / "held").write_text(held, encoding="utf-8", newline="")

    with pytest.raises(UnreadableError, match=sentence):
        source.credentials(subscription)
