"""The webhook's door: HTTPS in, verdicts out.

Asked to stop, it goes on for a moment: the API server hears of it later than we do. The connection
of a request in hand is closed only when it is answered.
"""

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta
from http import HTTPStatus

from aiohttp import web
from msgspec import Struct

from services.webhook.certificate import Certificate
from services.webhook.messages import (
    PATHS,
    Request,
    Verdict,
    name_of,
    read_request,
    write_answer,
)
from services.webhook.metrics import REVIEWING, REVIEWS, UNREADABLE
from services.webhook.verdict import Check, judge
from shared.kernel.features import Features
from shared.runtime.failures import FatalError

BODY_MAX = 16 * 1024 * 1024
"""Two objects as large as the API server takes them, and what is around them."""

log = logging.getLogger(__name__)


class Serving(Struct, frozen=True, kw_only=True):
    """Where it listens and how it behaves."""

    host: str
    port: int
    features: Features = Features()
    look_every: timedelta = timedelta(seconds=10)
    """How often the certificate is looked at."""
    linger: timedelta = timedelta(seconds=3)
    """How long it goes on when asked to stop."""


class Webhook:
    """Serves verdicts until it is told to stop."""

    def __init__(self, certificate: Certificate, check: Check, settings: Serving) -> None:
        self._certificate = certificate
        self._check = check
        self._settings = settings
        self._stopping = asyncio.Event()
        self.port = 0
        """The port that is open; 0 while none is."""

    def trouble(self) -> str | None:
        """Say why nobody should ask; made to be a readiness check."""
        return None if self.port else "its port is not open"

    def drain(self) -> None:
        """Stop soon."""
        self._stopping.set()

    async def run(self) -> None:
        """Serve until drained."""
        app = web.Application(client_max_size=BODY_MAX)
        for path in PATHS:
            app.router.add_post(path, self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=5)
        await runner.setup()
        try:
            await self._listen(runner)
            await self._keep_certificate()
            await asyncio.sleep(self._settings.linger.total_seconds())
        finally:
            self.port = 0
            await runner.cleanup()

    async def _listen(self, runner: web.AppRunner) -> None:
        host, port = self._settings.host, self._settings.port
        try:
            await web.TCPSite(runner, host, port, ssl_context=self._certificate.context).start()
        except OSError as error:
            raise FatalError(
                f"the webhook cannot listen on {host} port {port}: {error.strerror or error} "
                "(--webhook-host, --webhook-port)"
            ) from error
        address: tuple[str, int] = runner.addresses[0]
        self.port = address[1]
        log.info("judging", extra={"port": self.port})

    async def _keep_certificate(self) -> None:
        while not self._stopping.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._settings.look_every.total_seconds()):
                    await self._stopping.wait()
            self._certificate.look()

    async def _answer(self, asked: web.Request) -> web.Response:
        body = await asked.read()
        try:
            request = read_request(body, PATHS[asked.path])
        except ValueError as error:
            UNREADABLE.inc()
            return web.Response(text=str(error), status=HTTPStatus.BAD_REQUEST)
        with REVIEWING.time():
            verdict = judge(request, self._check, self._settings.features)
        _tell(request, verdict)
        return web.Response(body=write_answer(request, verdict), content_type="application/json")


def _tell(request: Request, verdict: Verdict) -> None:
    """Count, and log what was refused: by path and rule, never in a user's own words."""
    kind = request.kind.kind.lower()
    REVIEWS.labels(kind, "allowed" if verdict.allowed else "refused").inc()
    if not verdict.allowed:
        first = verdict.problems[0]
        log.info(
            "refused",
            extra={
                "resource": f"{kind}/{request.namespace}/{name_of(request)}",
                "because": " ".join(word for word in (first.path, first.rule) if word),
                "problems": len(verdict.problems),
            },
        )
