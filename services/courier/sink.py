"""Requests to one sink: bounded in time and in what is read back, never redirected.

What is told of a failure names no address: an address may itself be a secret. Files are read for
each request, so that a new key or token counts at once.
"""

import os
import ssl
from collections.abc import Mapping
from contextlib import suppress

import aiohttp
from msgspec import Struct

from services.courier.loading import Source, UnreadableError
from services.courier.metrics import SENDING
from services.courier.posting import posting
from services.courier.subscriptions import Subscription
from services.courier.verdict import GONE, Retired, TryLater, Verdict, judge
from shared.events.cloudevents import CloudEvent
from shared.ports.clock import Clock

BODY_MAX = 64 * 1024
"""So much of an answer is read, so that its connection can be used again; the rest is cut off."""
ORIGIN, RATE = "WebHook-Request-Origin", "WebHook-Request-Rate"
ALLOWED, ALLOWED_RATE = "WebHook-Allowed-Origin", "WebHook-Allowed-Rate"
_ANY = "*"


class Allowed(Struct, frozen=True):
    """The sink agrees to be sent events, at most so many a minute if it says so."""

    per_minute: int | None = None


class Denied(Struct, frozen=True):
    """The sink does not agree, or did not say."""

    because: str


Permission = Allowed | Denied | Retired


def open_session(code: str) -> aiohttp.ClientSession:
    """Open what all sinks share: no cookies, no proxy of the environment, nothing unpacked."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": code},
        trust_env=False,
        auto_decompress=False,
    )


class Sink:
    """Where the events of one subscription go."""

    def __init__(
        self, http: aiohttp.ClientSession, source: Source, subscription: Subscription, clock: Clock
    ) -> None:
        self._http = http
        self._source = source
        self._subscription = subscription
        self._clock = clock
        self._trusted: ssl.SSLContext | bool | None = None
        self._timeout = aiohttp.ClientTimeout(total=subscription.timeout.total_seconds())

    async def send(self, event: CloudEvent, attempt: int = 1) -> Verdict:
        """Send one event and say what came of it."""
        subscription = self._subscription
        try:
            credentials = self._source.credentials(subscription)
            sent = posting(
                event, subscription.mode, credentials, at=self._clock.now(), attempt=attempt
            )
            with SENDING.time():
                answer = await self._ask("POST", credentials.url, sent.headers, sent.body)
        except _FAILURES as problem:
            return TryLater(self._told(problem))
        return judge(answer.status, answer.headers.get("Retry-After", ""), self._clock.now())

    async def permission(self) -> Permission:
        """Ask whether it may be sent events at all: the handshake of the web-hook specification."""
        subscription = self._subscription
        wish = subscription.rate_per_minute
        try:
            credentials = self._source.credentials(subscription)
            own = {ORIGIN: subscription.origin, **({RATE: str(wish)} if wish else {})}
            answer = await self._ask("OPTIONS", credentials.url, {**credentials.headers, **own})
        except _FAILURES as problem:
            return Denied(self._told(problem))
        return permission(answer.status, answer.headers, subscription.origin)

    async def _ask(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> aiohttp.ClientResponse:
        async with self._http.request(
            method,
            url,
            headers=headers,
            data=body,
            ssl=self._tls(),
            timeout=self._timeout,
            allow_redirects=False,
        ) as answer:
            with suppress(TimeoutError, aiohttp.ClientError):  # its status has told already
                await answer.content.read(BODY_MAX)
            return answer

    def _tls(self) -> ssl.SSLContext | bool:
        """Say whom to trust; kept from one request to the next, as connections hang on it."""
        if self._trusted is None:
            authorities = self._source.authorities(self._subscription)
            if not self._subscription.verified:
                self._trusted = False
            else:
                self._trusted = _trusting(authorities) if authorities else True
        return self._trusted

    def _told(self, problem: Exception) -> str:
        match problem:
            case UnreadableError():
                return str(problem)
            case TimeoutError():
                return f"no answer within {self._subscription.timeout.total_seconds():g} s"
            case aiohttp.ClientConnectorCertificateError() | ssl.SSLError():
                self._trusted = None
                return "the certificate of the sink is not trusted"
            case aiohttp.ClientConnectorError():
                return f"no connection to the sink: {_reason(problem.os_error)}"
            case _:
                return f"the request broke off: {type(problem).__name__}"


def _trusting(authorities: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=authorities)
    except OSError:
        raise UnreadableError("caFile holds no certificates that can be read") from None


_FAILURES = (UnreadableError, aiohttp.ClientError, OSError, UnicodeError)
"""The last one is a name that no name server could know."""


def _reason(problem: OSError) -> str:
    """Return the system's words for a failure; the library's own would name the address."""
    number = problem.errno or 0
    return os.strerror(number) if number > 0 else "unknown host" if number else "nobody answers"


def permission(status: int, headers: Mapping[str, str], origin: str) -> Permission:
    """Read the answer to the handshake."""
    if status == GONE:
        return Retired()
    if not 200 <= status < 300:  # noqa: PLR2004 - every 2xx
        return Denied(f"the sink answered the handshake with {status}")
    allowed = headers.get(ALLOWED, "").strip()
    if allowed != _ANY and allowed.lower() != origin.lower():
        return Denied(f"the sink does not allow the origin {origin}: it sent no {ALLOWED} for it")
    rate = headers.get(ALLOWED_RATE, _ANY).strip()
    if rate == _ANY:
        return Allowed()
    if not (rate.isascii() and rate.isdigit() and int(rate[:9]) > 0):
        return Denied(f"the sink sent no usable {ALLOWED_RATE}")
    return Allowed(int(rate[:9]))
