"""What goes wrong with the API server, in our words. Above this package nobody sees another's.

- no answer, too late, 429, 5xx, an answer that is not Kubernetes': `ClusterUnavailable`
- 410: `ExpiredVersion`
- any other refusal with a Kubernetes status in it: `ClusterRefusal`

A 404 without such a status is a stranger's (a proxy, a balancer, a kind that is not installed) and
must never be read as absence; `discovery.py` finds out whether a kind is served. A 429, a webhook
that could not be called and a connection that was never made leave everything as it was: such a
`ClusterUnavailable` is `undone`. Messages hold the
API server's own sentence and never a body, a header or a token. A configuration that cannot be used
is a `ConfigurationError`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import aiohttp
import msgspec

from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, ExpiredVersion

_NOT_FOUND = 404
_GONE = 410
_TOO_MANY = 429
_CLIENT_ERRORS = range(400, 500)
_TRANSIENT = frozenset({408, _TOO_MANY})
_LONGEST_SENTENCE = 1000
_BEFORE_STORING = "failed calling webhook"
"""The API server's words for a webhook that did not answer; it asks them before it stores."""


class ConfigurationError(Exception):
    """How to reach the API server, or as whom, cannot be made out; the message says why."""


class NothingThere(ClusterUnavailable):
    """A 404 that is not Kubernetes': a stranger's, or of a path that nothing is served under."""


class Details(msgspec.Struct, frozen=True):
    """What a status adds for machines."""

    retryAfterSeconds: float | None = None  # noqa: N815 - the API's own name


class Status(msgspec.Struct, frozen=True):
    """The API server's own words."""

    kind: str = ""
    code: int | None = None
    reason: str | None = None
    message: str | None = None
    details: Details | None = None


_STATUS = msgspec.json.Decoder(Status)


def read_status(body: bytes | msgspec.Raw) -> Status | None:
    """Read a Kubernetes status; None if this is something else."""
    try:
        found = _STATUS.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.kind == "Status" else None


def refusal(code: int, headers: Mapping[str, str], body: bytes) -> Exception:
    """Return what an unsuccessful answer means."""
    found = read_status(body)
    if found is None and code == _TOO_MANY:
        return ClusterUnavailable(
            "the API server answered 429: too many requests",
            retry_after=_retry_after(headers, None),
            undone=True,
        )
    if found is None:
        unknown = NothingThere if code == _NOT_FOUND else ClusterUnavailable
        return unknown(
            f"the API server's address answered {code} without a Kubernetes status; "
            "something else answers there, or the kind is not installed",
            retry_after=_retry_after(headers, None),
        )
    return meaning_of(found, code, retry_after=_retry_after(headers, found.details))


def meaning_of(
    found: Status, code: int | None = None, *, retry_after: float | None = None
) -> Exception:
    """Return what a status means, whether it is an answer or stands in a watch."""
    known = code or found.code or 0
    message = (found.message or "")[:_LONGEST_SENTENCE]
    if known == _GONE:
        return ExpiredVersion(message)
    if known in _CLIENT_ERRORS and known not in _TRANSIENT:
        return ClusterRefusal(code=known, reason=found.reason or "", message=message)
    return ClusterUnavailable(
        f"the API server answered {known} {found.reason or ''}: {message}",
        retry_after=retry_after,
        undone=known == _TOO_MANY or _BEFORE_STORING in message,
    )


def _retry_after(headers: Mapping[str, str], details: Details | None) -> float | None:
    text = headers.get("Retry-After", "")
    if text.isdigit():
        return float(text)
    return details.retryAfterSeconds if details else None


@contextmanager
def translated(host: str) -> Iterator[None]:
    """Turn whatever the connection raises into `ClusterUnavailable`."""
    try:
        yield
    except (aiohttp.ClientError, OSError, EOFError) as problem:
        never_arrived = isinstance(problem, aiohttp.ClientConnectorError)
        raise ClusterUnavailable(
            f"no answer from {host}: {_cause(problem)}", undone=never_arrived
        ) from problem


def _cause(problem: BaseException) -> str:
    if isinstance(problem, TimeoutError):
        return "it took too long"
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        return "its certificate is not trusted"
    if isinstance(problem, aiohttp.ClientConnectorError):
        return problem.strerror or "the connection failed"
    return f"the connection broke ({type(problem).__name__})"
