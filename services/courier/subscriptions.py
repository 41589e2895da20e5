"""Who wants to hear what, and how: subscriptions as people write them, read and checked.

Each problem is told under the path at which it was written, and spoils its own subscription alone.
No secret is in a subscription: keys, tokens and secret addresses are in files that it names.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from services.courier.filters import BadFilterError, Filter, checked_filter
from shared.events.cloudevents import Mode
from shared.kernel.instants import read_instant
from shared.kernel.manifests import Raw, is_raw
from shared.runtime.spans import parse_span

ORIGIN = "heliograph"
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?")
_URL = re.compile(r"https?://[^/?#\s@]+([/?#]\S*)?")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_ORIGIN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_AT = re.compile(r" - at `\$(?P<path>[^`]*)`$")
RESERVED = (
    *("content-type", "content-length", "content-encoding", "transfer-encoding", "trailer"),
    *("host", "connection", "upgrade", "expect"),
)
_OURS = ("ce-", "webhook-")
TIMEOUT_MAX = timedelta(minutes=5)
"""So long a request may take: whoever stops waits for it."""

Policy = Literal["exponential", "linear"]
Missing = Callable[[str], str | None]


class FromFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A value that stands in a file."""

    file: str


class Manner(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """How patiently and how fast; the words are those of Knative."""

    retry: Annotated[int, Meta(ge=0, le=1000)] = 10
    backoff_delay: str = "1s"
    backoff_policy: Policy = "exponential"
    timeout: str = "10s"
    rate_per_minute: Annotated[int, Meta(ge=1)] | None = None
    in_flight: Annotated[int, Meta(ge=1, le=64)] = 8


class _Written(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    name: str
    url: str = ""
    url_file: str = ""
    filter: Filter = Filter()
    mode: Mode = "structured"
    secret_file: str = ""
    headers: dict[str, str | FromFile] = field(default_factory=dict)
    begin: object = field(name="from", default="now")
    delivery: Manner = Manner()
    dead_letter: bool = True
    handshake: bool = False
    ca_file: str = ""
    insecure_skip_verify: bool = False


class Subscription(Struct, frozen=True, kw_only=True):
    """One subscription, checked. `begin` is where it starts when it is new: a moment, or a word."""

    name: str
    url: str = ""
    url_file: str = ""
    filter: Filter = Filter()
    mode: Mode = "structured"
    secret_file: str = ""
    headers: Mapping[str, str | FromFile] = field(default_factory=dict)
    begin: datetime | Literal["now", "beginning"] = "now"
    retry: int = 10
    backoff_delay: timedelta = timedelta(seconds=1)
    backoff_policy: Policy = "exponential"
    timeout: timedelta = timedelta(seconds=10)
    rate_per_minute: int | None = None
    in_flight: int = 8
    dead_letter: bool = True
    handshake: bool = False
    ca_file: str = ""
    verified: bool = True
    origin: str = ORIGIN

    @property
    def consumer(self) -> str:
        """The durable consumer that remembers how far it has come."""
        return f"courier-{self.name}"


class Problem(Struct, frozen=True):
    """What is wrong, and where it was written."""

    path: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence}" if self.path else self.sentence


class Read(Struct, frozen=True, kw_only=True):
    """The subscriptions that can be served, and what is wrong with the others."""

    subscriptions: tuple[Subscription, ...] = ()
    problems: tuple[Problem, ...] = ()


class _Wrong(ValueError):  # noqa: N818 - private, and turned into a Problem at once
    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path


def read_subscriptions(raw: object, missing: Missing = lambda _: None) -> Read:
    """Read a whole file's value; `missing` says what is wrong with a file that it names."""
    if not is_raw(raw) or not isinstance(raw.get("subscriptions"), list):
        return Read(problems=(Problem("subscriptions", "must be a list of subscriptions"),))
    unknown = sorted(str(name) for name in raw.keys() - {"subscriptions", "origin"})
    problems = [Problem(name, "no such field is known") for name in unknown]
    origin = raw.get("origin", ORIGIN)
    if not isinstance(origin, str) or not _ORIGIN.fullmatch(origin):
        problems.append(Problem("origin", "must be a DNS name, such as ray.example.com"))
        origin = ORIGIN
    good: dict[str, Subscription] = {}
    for place, written in _items(raw):
        try:
            one = _read_one(written, origin, missing)
            if one.name in good:
                raise _Wrong("name", f"{one.name} is the name of another subscription")  # noqa: TRY301
            good[one.name] = one
        except _Wrong as wrong:
            problems.append(Problem(".".join(filter(None, (place, wrong.path))), str(wrong)))
    return Read(subscriptions=tuple(good.values()), problems=tuple(problems))


def _items(raw: Raw) -> Iterator[tuple[str, object]]:
    listed = raw["subscriptions"]
    for index, written in enumerate(listed if isinstance(listed, list) else ()):
        yield f"subscriptions[{index}]", written


def _read_one(raw: object, origin: str, missing: Missing) -> Subscription:
    try:
        written = msgspec.convert(raw, _Written)
    except msgspec.ValidationError as error:
        place = _AT.search(str(error))
        sentence = _AT.sub("", str(error))
        raise _Wrong(place["path"].strip(".") if place else "", _small(sentence)) from None
    _check_plain(written)
    _check_headers(written)
    _check_files(written, missing)
    manner = written.delivery
    return Subscription(
        name=written.name,
        url=written.url,
        url_file=written.url_file,
        filter=_filter(written.filter),
        mode=written.mode,
        secret_file=written.secret_file,
        headers=written.headers,
        begin=_begin(written.begin),
        retry=manner.retry,
        backoff_delay=_span("delivery.backoffDelay", manner.backoff_delay),
        backoff_policy=manner.backoff_policy,
        timeout=_timeout(manner.timeout),
        rate_per_minute=manner.rate_per_minute,
        in_flight=manner.in_flight,
        dead_letter=written.dead_letter,
        handshake=written.handshake,
        ca_file=written.ca_file,
        verified=not written.insecure_skip_verify,
        origin=origin,
    )


def _check_plain(written: _Written) -> None:
    if not _NAME.fullmatch(written.name):
        raise _Wrong("name", "must be at most 42 small letters, digits and dashes")
    if bool(written.url) is bool(written.url_file):
        raise _Wrong("url", "is needed, or else urlFile, and not both")
    if written.url and not is_address(written.url):
        raise _Wrong(
            "url", "must be an http or https address without a user or password: use headers"
        )


def is_address(text: str) -> bool:
    """Whether events can be sent there, as far as its words tell."""
    return _URL.fullmatch(text) is not None


def _check_headers(written: _Written) -> None:
    for name, value in written.headers.items():
        small = name.lower()
        if not _HEADER.fullmatch(name):
            raise _Wrong(f"headers.{name}", "is no name of a header")
        if small in RESERVED or small.startswith(_OURS):
            raise _Wrong(f"headers.{name}", "is set by the courier itself")
        if isinstance(value, str) and not is_header_value(value):
            raise _Wrong(f"headers.{name}", "must be one line of text")


def _check_files(written: _Written, missing: Missing) -> None:
    named = {
        "urlFile": written.url_file,
        "secretFile": written.secret_file,
        "caFile": written.ca_file,
        **{
            f"headers.{name}.file": value.file
            for name, value in written.headers.items()
            if isinstance(value, FromFile)
        },
    }
    for path, file in named.items():
        trouble = missing(file) if file else None
        if trouble:
            raise _Wrong(path, trouble)


def is_header_value(text: str) -> bool:
    """Whether a header can hold it."""
    return all(letter == "\t" or letter.isprintable() for letter in text) and text.isascii()


def _filter(written: Filter) -> Filter:
    try:
        return checked_filter(written)
    except BadFilterError as error:
        raise _Wrong(f"filter.{error.path}", str(error)) from None


def _begin(written: object) -> datetime | Literal["now", "beginning"]:
    """Read where to begin; YAML makes a moment of what looks like one."""
    if written == "now":
        return "now"
    if written == "beginning":
        return "beginning"
    text = written.isoformat() if isinstance(written, datetime) else str(written)
    moment = read_instant(text)
    if moment is None:
        raise _Wrong("from", "must be now, beginning, or a moment like 2030-01-01T12:00:00Z")
    return moment


def _span(path: str, text: str) -> timedelta:
    try:
        if not text.startswith("P"):
            return parse_span(text)
        span = msgspec.convert(text, timedelta)
    except (ValueError, msgspec.ValidationError):
        raise _Wrong(path, "must be a span like 500ms, 10s or 2m, or PT10S") from None
    if span <= timedelta():
        raise _Wrong(path, "must be longer than nothing")
    return span


def _timeout(text: str) -> timedelta:
    span = _span("delivery.timeout", text)
    if span > TIMEOUT_MAX:
        raise _Wrong("delivery.timeout", "must be at most 5m")
    return span


def _small(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}".replace("`", "")
