"""Who alone may do something: what stands in the presence stream, and how it is read.

A lease names a tenancy and is written once, however long it is held. A tenancy is one record of one
process, which renews it and which ends by itself; with it end all leases that name it. So a process
that holds many leases renews one record. A tenancy that ended never comes back: the next one of the
same process has another name. `tenancy.py` has the process's half.
"""

from datetime import timedelta

import msgspec
from msgspec import Struct

from shared.bus.declarations import MEMBER_ROOT
from shared.events.subjects import encode_token
from shared.ports.event_log import Batch, Message, News

LEASE = "lease"
TENANCY = "tenancy"
ALL_LEASES = (f"{MEMBER_ROOT}.{LEASE}.*", f"{MEMBER_ROOT}.{TENANCY}.*")
"""What one has to follow to know who holds what."""


class Terms(Struct, frozen=True, kw_only=True):
    """How long a tenancy lasts unrenewed, and how often it is renewed."""

    ttl: timedelta = timedelta(seconds=5)
    renew: timedelta = timedelta(seconds=1)


class Claim(Struct, frozen=True, kw_only=True):
    """What stands at a lease: the holder's own word, and the tenancy that it ends with."""

    value: str
    tenancy: str


_CLAIMS = msgspec.json.Decoder(Claim)


def lease_subject(kind: str) -> str:
    """Return where a lease stands."""
    return f"{MEMBER_ROOT}.{LEASE}.{encode_token(kind)}"


def tenancy_subject(name: str) -> str:
    """Return where a tenancy stands."""
    return f"{MEMBER_ROOT}.{TENANCY}.{encode_token(name)}"


def _claim_in(data: bytes) -> Claim | None:
    """Read a claim; what cannot be read is nobody's."""
    try:
        return _CLAIMS.decode(data)
    except msgspec.DecodeError:
        return None


class Book:
    """Who holds what, as news from `ALL_LEASES` tells it."""

    def __init__(self) -> None:
        self.synced = False
        """Whether everything is known: before, a lease that looks free may be held."""
        self._claims: dict[str, Claim] = {}
        self._sequences: dict[str, int] = {}
        self._tenancies: dict[str, str] = {}

    def learn(self, news: News) -> bool:
        """Take news in; say whether it is more than that somebody goes on living."""
        if not isinstance(news, Batch):
            self.synced = False
            for known in (self._claims, self._sequences, self._tenancies):
                known.clear()
            return True
        changes = [self._take(message) for message in news.messages]
        changed = any(changes) or news.synced != self.synced
        self.synced = news.synced
        return changed

    def _take(self, message: Message) -> bool:
        root, name = message.subject.split(".")[-2:]
        if root == TENANCY:
            before = self._tenancies.pop(name, None)
            if not message.gone:
                self._tenancies[name] = message.data.decode()
            return self._tenancies.get(name) != before
        self._sequences[name] = message.sequence
        self._claims.pop(name, None)
        claim = None if message.gone else _claim_in(message.data)
        if claim is not None:
            self._claims[name] = claim
        return True

    def holder(self, kind: str) -> Claim | None:
        """Return the claim of whoever holds a lease; None if nobody who lives does."""
        claim = self._claims.get(encode_token(kind))
        return claim if claim is not None and claim.tenancy in self._tenancies.values() else None

    def sequence(self, kind: str) -> int:
        """Return the sequence of what stands at a lease: the fence of the next claim."""
        return self._sequences.get(encode_token(kind), 0)

    def tenancies(self) -> tuple[str, ...]:
        """Return the tenancies that last, as far as is known."""
        return tuple(self._tenancies.values())

    def end(self, tenancy: str) -> None:
        """Take note that a tenancy is over; none comes back."""
        self._tenancies.pop(encode_token(tenancy), None)

    def held(self) -> dict[str, Claim]:
        """Return every lease that is held, by its encoded kind."""
        tenancies = set(self._tenancies.values())
        return {kind: claim for kind, claim in self._claims.items() if claim.tenancy in tenancies}
