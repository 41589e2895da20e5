"""What was found out about an installation, as values.

A fact that could not be read is `Unknown` with its reason: a failed read is never an absence. What
nobody was to look at is None.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct


class Unknown(Struct, frozen=True):
    """Nobody could tell."""

    why: str


class Server(Struct, frozen=True, kw_only=True):
    """The NATS server that answered. `skew` is how far its clock is ahead of ours."""

    version: str
    jetstream: bool
    cluster: str = ""
    skew: timedelta | None = None


class Account(Struct, frozen=True, kw_only=True):
    """What our account at the server holds and may hold; -1 for no limit."""

    storage: int = 0
    storage_most: int = -1
    streams: int = 0
    streams_most: int = -1
    consumers: int = 0
    consumers_most: int = -1


class Difference(Struct, frozen=True, kw_only=True):
    """One setting that is not as declared; `chosen` if an installation may choose it."""

    setting: str
    now: str
    asked: str
    chosen: bool = False


class Stream(Struct, frozen=True, kw_only=True):
    """A stream that we declare."""

    name: str
    there: bool = True
    differences: tuple[Difference, ...] = ()
    messages: int = 0
    bytes: int = 0
    bytes_most: int = -1
    consumers: int = 0
    consumers_most: int = -1
    copies: int = 1
    behind: tuple[str, ...] = ()
    """Servers whose copy is not current."""


class Consumer(Struct, frozen=True, kw_only=True):
    """A durable consumer. `hands` wait for work now; `oldest_at` is of what waits longest."""

    name: str
    there: bool = True
    differences: tuple[Difference, ...] = ()
    hands: int = 0
    pending: int = 0
    held: int = 0
    redelivered: int = 0
    paused: bool = False
    oldest_at: datetime | None = None


class Lease(Struct, frozen=True, kw_only=True):
    """Who holds what. Of a kind that is watched, the holder is a session."""

    what: str
    holder: str


class Listed(Struct, frozen=True, kw_only=True):
    """The mark of a kind: which session has listed it, and when that was written."""

    kind: str
    session: str
    at: datetime


class Presence(Struct, frozen=True, kw_only=True):
    """Who is here: members by service, and leases."""

    members: Mapping[str, tuple[str, ...]]
    leases: tuple[Lease, ...]


class Waiting(Struct, frozen=True, kw_only=True):
    """Something of a resource that waits: since when, and in which words."""

    resource: str
    since: datetime
    words: str


class Coded(Struct, frozen=True, kw_only=True):
    """One version of the code: how many last acts are of it, and when the newest was."""

    code: str
    acts: int
    last_at: datetime


class Acts(Struct, frozen=True, kw_only=True):
    """What the last act of every resource tells."""

    count: int = 0
    unanswered: tuple[Waiting, ...] = ()
    """Acts with actions and without an answer."""
    held: tuple[Waiting, ...] = ()
    """Deletions beyond the budget."""
    refused: tuple[Waiting, ...] = ()
    parked: tuple[Waiting, ...] = ()
    """Resources over which the rules break."""
    overdue: tuple[Waiting, ...] = ()
    """Timers that should have gone off."""
    unreadable: tuple[str, ...] = ()
    codes: tuple[Coded, ...] = ()
    rules: int = 0
    """The newest rules that any of them was decided by."""


class Bus(Struct, frozen=True, kw_only=True):
    """NATS and what is in it."""

    where: str
    server: Server | Unknown
    account: Account | Unknown = Unknown("not asked")
    streams: Mapping[str, Stream | Unknown] = {}
    consumers: Mapping[str, Consumer | Unknown] = {}
    couriers: tuple[Consumer, ...] | Unknown = ()
    presence: Presence | Unknown = Unknown("not asked")
    listed: tuple[Listed, ...] | Unknown = ()
    acts: Acts | Unknown = Unknown("not asked")
    shadow: bool | Unknown | None = None
    """Whether the log is of an installation that only looks on; None without a mark."""


class Definition(Struct, frozen=True, kw_only=True):
    """A custom resource definition as it is installed, compared with ours."""

    name: str
    there: bool = True
    established: bool = True
    missing: tuple[str, ...] = ()
    """Fields that ours has and this one has not."""
    unserved: tuple[str, ...] = ()
    """Versions in which objects may be stored and that are not served."""
    versions: tuple[str, ...] = ()


class Lacking(Struct, frozen=True, kw_only=True):
    """A right that somebody has not; `only` says where it is needed, if not always."""

    verb: str
    resource: str
    namespace: str = ""
    only: str = ""


class Holder(Struct, frozen=True, kw_only=True):
    """Somebody whose rights were asked for: the account of a service, or whoever asks."""

    services: tuple[str, ...]
    account: str
    deployed: bool
    asked: int
    lacking: tuple[Lacking, ...] | Unknown


class Operator(Struct, frozen=True, kw_only=True):
    """Another operator for Ray, and what gave it away."""

    name: str
    namespace: str
    evidence: str


class Webhook(Struct, frozen=True, kw_only=True):
    """An admission webhook for our kinds; `ready` if somebody answers there, as far as is known."""

    name: str
    target: str
    strict: bool
    """Whether a write is refused when nobody answers."""
    ready: bool | Unknown


class Deployment(Struct, frozen=True, kw_only=True):
    """One of our services as it is deployed."""

    name: str
    wanted: int
    available: int


class Cluster(Struct, frozen=True, kw_only=True):
    """Kubernetes and what is in it."""

    where: str
    version: str | Unknown
    definitions: Mapping[str, Definition | Unknown] = {}
    holders: tuple[Holder, ...] | Unknown = ()
    operators: tuple[Operator, ...] | Unknown = ()
    webhooks: tuple[Webhook, ...] | Unknown = ()
    deployments: tuple[Deployment, ...] | Unknown = ()


class Here(Struct, frozen=True, kw_only=True):
    """What asks: its version, the rules it decides by, the kinds its settings ask for."""

    version: str
    rules: int
    kinds: tuple[str, ...]
    namespace: str
    """Where the services are deployed, if they are."""


class Facts(Struct, frozen=True, kw_only=True):
    """Everything; a text says why nobody looked."""

    now: datetime
    """By the server's clock, where it told."""
    here: Here
    bus: Bus | str
    cluster: Cluster | str
