"""Requests to a sink: bounded, not redirected, over TLS that is checked."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import web

from services.courier.loading import Source
from services.courier.sink import Sink, open_session
from services.courier.subscriptions import Subscription
from services.courier.verdict import Taken, TryLater, Verdict
from shared.runtime.clock import SystemClock
from tests.support.tls import make_certificate
from tests.unit.services.courier.news import event
from tests.unit.services.courier.sinks import Sink as Hook
from tests.unit.services.courier.sinks import status

HUGE = 16 * 1024 * 1024


async def sent(folder: Path, url: str, **more: object) -> Verdict:
    subscription = Subscription(name="pager", url=url, **more)  # type: ignore[arg-type] # passed on
    async with open_session("heliograph/test") as http:
        source = Source(str(folder / "subscriptions.yaml"))
        return await Sink(http, source, subscription, SystemClock()).send(event())


@asynccontextmanager
async def serving(
    answer: web.StreamResponse, tls: ssl.SSLContext | None = None
) -> AsyncIterator[str]:
    async def hear(request: web.Request) -> web.StreamResponse:
        await request.read()
        return answer

    app = web.Application()
    app.router.add_post("/", hear)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def test_a_redirect_is_not_followed(hook: Hook, tmp_path: Path) -> None:
    async with serving(status(307, {"Location": hook.url})) as url:
        verdict = await sent(tmp_path, url)

    assert verdict == TryLater("the sink answered 307, a redirect, which is not followed")
    assert hook.requests == []


async def test_a_slow_sink_is_not_waited_for(hook: Hook, tmp_path: Path) -> None:
    hook.slow = 5.0
    verdict = await sent(tmp_path, hook.url, timeout=timedelta(seconds=0.2))

    assert verdict == TryLater("no answer within 0.2 s")


async def test_of_a_huge_answer_only_the_status_counts(tmp_path: Path) -> None:
    async with serving(web.Response(body=b"x" * HUGE)) as url, asyncio.timeout(10):
        assert await sent(tmp_path, url) == Taken()


async def test_nobody_there_is_told_without_the_address(tmp_path: Path) -> None:
    verdict = await sent(tmp_path, "http://127.0.0.1:9/secret-path")

    assert verdict == TryLater("no connection to the sink: Connection refused")


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://no-such-host.invalid/", "no connection to the sink: unknown host"),
        (f"http://{'a' * 70}.example/", "the request broke off: UnicodeError"),
        ("http://a..b/", "the request broke off: UnicodeError"),
        ("http://host:99999/", "the request broke off: InvalidUrlClientError"),
    ],
)
async def test_a_host_that_cannot_be_is_told_without_its_name(
    url: str, sentence: str, tmp_path: Path
) -> None:
    assert await sent(tmp_path, url) == TryLater(sentence)


async def test_authorities_that_are_none_are_told_as_such(hook: Hook, tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("no certificate", encoding="utf-8")

    verdict = await sent(tmp_path, hook.url, ca_file="ca.crt")
    assert verdict == TryLater("caFile holds no certificates that can be read")


@pytest.mark.parametrize(
    ("more", "taken"),
    [({}, False), ({"ca_file": "certificate/ca.crt"}, True), ({"verified": False}, True)],
)
async def test_a_certificate_is_checked_unless_somebody_says_otherwise(
    more: dict[str, object], taken: bool, tmp_path: Path
) -> None:
    made = make_certificate(tmp_path / "certificate")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(made / "tls.crt", made / "tls.key")
    async with serving(web.Response(), tls) as url:
        verdict = await sent(tmp_path, url, **more)

    expected = Taken() if taken else TryLater("the certificate of the sink is not trusted")
    assert verdict == expected
