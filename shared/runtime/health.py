"""How it goes, over HTTP: `/healthz`, `/readyz` and `/metrics`.

A service registers named checks; a check returns None when all is well, or a sentence that says
what is not. `/healthz` failing means "restart me", `/readyz` failing means "do not count on me
yet": put nothing into the first that a restart would not cure.
"""

import errno
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus

import msgspec
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from shared.runtime.failures import FatalError
from shared.telemetry.metrics import exposition

Check = Callable[[], str | None]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a probe: each check and what it said, `ok` when all is well."""

    ok: bool
    checks: Mapping[str, str]


class Health:
    """The checks of one process."""

    def __init__(self) -> None:
        self._alive: dict[str, Check] = {}
        self._ready: dict[str, Check] = {}

    def add_alive(self, name: str, check: Check) -> None:
        """Register a check whose failure a restart would cure."""
        self._alive[name] = check

    def add_ready(self, name: str, check: Check) -> None:
        """Register a check that must pass before this process counts."""
        self._ready[name] = check

    def alive(self) -> Report:
        """Ask the checks behind `/healthz`."""
        return _ask(self._alive)

    def ready(self) -> Report:
        """Ask the checks behind `/readyz`."""
        return _ask(self._ready)


@asynccontextmanager
async def serving_health(health: Health, *, host: str, port: int) -> AsyncIterator[int]:
    """Serve while the block runs; yield the port, which is a free one when 0 was asked for."""
    app = web.Application()
    app.router.add_get("/healthz", _probe(health.alive))
    app.router.add_get("/readyz", _probe(health.ready))
    app.router.add_get("/metrics", _metrics)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    try:
        yield await _listen(runner, host, port)
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, host: str, port: int) -> int:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise FatalError(_why_not(error, host, port)) from error
    address: tuple[str, int] = runner.addresses[0]
    return address[1]


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is taken by another process: "
            "choose another with --http-port, or 0 for any free one"
        )
    return f"cannot listen on {host} port {port}: {error.strerror or error}"


def _ask(checks: Mapping[str, Check]) -> Report:
    answers = {name: check() for name, check in checks.items()}
    return Report(
        ok=not any(answers.values()),
        checks={name: answer or "ok" for name, answer in answers.items()},
    )


def _probe(ask: Callable[[], Report]) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_: web.Request) -> web.Response:
        report = ask()
        return web.Response(
            body=msgspec.json.encode(report),
            status=HTTPStatus.OK if report.ok else HTTPStatus.SERVICE_UNAVAILABLE,
            content_type="application/json",
        )

    return answer


async def _metrics(_: web.Request) -> web.Response:
    return web.Response(body=exposition(), headers={"Content-Type": CONTENT_TYPE_LATEST})
