"""Calls to an API server that misbehaves."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from aiohttp import web

from shared.kube.credentials import Source
from shared.kube.kinds import POD
from shared.kube.reading import KubeReader
from shared.kube.session import Call, Limits, Session, connect
from shared.kube.writing import KubeWriter
from shared.ports.cluster import ClusterUnavailable

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
HASTY = Limits(call_seconds=0.2, page_seconds=0.2, silence_seconds=0.2)


async def session_to(url: str, folder: Path, limits: Limits = HASTY) -> Session:
    config = {
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": {"token": "t0ken"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (folder / "config").write_text(yaml.safe_dump(config))
    return await connect(Source(kubeconfig=str(folder / "config")), limits)


@asynccontextmanager
async def answering(answer: Answer, folder: Path, limits: Limits = HASTY) -> AsyncIterator[Session]:
    """Run a server that answers everything in one way, and a session with it."""
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    session = await session_to(f"http://{host}:{port}", folder, limits)
    try:
        yield session
    finally:
        await session.close()
        await runner.cleanup()


def saying(text: str, status: int = 200) -> Answer:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status)

    return answer


async def silence(_: web.Request) -> web.StreamResponse:
    await asyncio.sleep(5)
    return web.Response()


async def watch(session: Session) -> None:
    async with KubeReader(session).watch(POD, 1) as batches:
        async for _ in batches:
            continue


async def test_says_who_we_are(tmp_path: Path) -> None:
    asked: dict[str, str] = {}

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.update(request.headers)
        return web.Response(text="{}")

    async with answering(answer, tmp_path) as session:
        await session.check()

    assert asked["User-Agent"] == f"heliograph/{version('heliograph')}"
    assert asked["Authorization"] == "Bearer t0ken"


async def test_an_address_where_nobody_listens_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        async with await session_to(url, tmp_path) as session:
            with pytest.raises(ClusterUnavailable, match=f"^no answer from {url}: "):
                await session.check()


async def test_a_call_ends_at_its_deadline(tmp_path: Path) -> None:
    async with answering(silence, tmp_path) as session:
        with pytest.raises(ClusterUnavailable, match=r"it took too long$"):
            await session.check()


async def test_a_watch_ends_when_its_peer_is_silent(tmp_path: Path) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await asyncio.sleep(5)
        return response

    async with answering(answer, tmp_path) as session:
        with pytest.raises(ClusterUnavailable, match=r"it took too long$"):
            await watch(session)


@pytest.mark.parametrize("status", [200, 302, 404, 502])
async def test_an_answer_that_is_not_of_kubernetes_tells_nothing(
    tmp_path: Path, status: int
) -> None:
    async with answering(saying("<html>welcome</html>", status), tmp_path) as session:
        for attempt in (
            KubeReader(session).list(POD),
            KubeWriter(session).find(POD, "prod", "head"),
            KubeWriter(session).create(POD, "prod", {}),
            KubeWriter(session).delete(POD, "prod", "head", uid="u-1"),
        ):
            with pytest.raises(ClusterUnavailable) as raised:
                await attempt
            assert "welcome" not in str(raised.value)


async def test_a_watch_that_answers_with_a_page_tells_nothing(tmp_path: Path) -> None:
    async with answering(saying("<html>welcome</html>\n"), tmp_path) as session:
        with pytest.raises(ClusterUnavailable):
            await watch(session)


async def test_the_server_is_told_of_the_deadline_of_a_write(tmp_path: Path) -> None:
    asked = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.query_string)
        return web.Response(text="{}")

    async with answering(answer, tmp_path, Limits()) as session:
        await KubeWriter(session).create(POD, "prod", {})

    assert asked == ["timeout=5s"]


async def test_a_write_whose_turn_is_too_far_away_is_not_begun(tmp_path: Path) -> None:
    limits = Limits(writes_per_second=0.1, writes_burst=1)
    begun = []

    async def answer(request: web.Request) -> web.StreamResponse:
        begun.append(request.method)
        return web.Response(text="{}")

    async with answering(answer, tmp_path, limits) as session:
        await session.write(Call(method="POST", path="/first"))
        with pytest.raises(ClusterUnavailable, match="too many writes"):
            await session.write(Call(method="POST", path="/second"))

    assert begun == ["POST"]
