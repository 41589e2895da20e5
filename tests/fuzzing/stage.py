"""Where trials are played: one Kubernetes with an operator at work, whatever both are made of.

`virtual.py` is the sandbox and all services in this process on virtual time; `real.py` a real
control plane and real processes. Invariant: a stage only does and tells, it never judges.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from shared.events.envelope import Record
from shared.kernel.features import Features
from tests.differential.stories import Json, Objects

REFUSED = 400
GRACE_SECONDS = 4
"""How long a RayJob waits for whoever should have ended: shorter than anybody here is patient."""


class Reply(Struct, frozen=True, kw_only=True):
    """What the API server said to a deed."""

    code: int
    message: str = ""

    @property
    def done(self) -> bool:
        """Whether it was done."""
        return self.code < REFUSED


class Pace(Struct, frozen=True, kw_only=True):
    """How long to wait for what, in the seconds of a stage."""

    look_every: float
    quiet: float
    """Nothing has changed for so long: it is at rest."""
    patience: float
    """At rest or not, it is judged then."""


class Stage(Protocol):
    """What a trial needs."""

    features: Features
    pace: Pace

    def now(self) -> float:
        """Return the seconds of this stage."""

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""

    async def create(self, namespace: str, manifest: Json) -> Reply:
        """Create an object; with an empty namespace one that belongs to none."""

    async def change(self, namespace: str, plural: str, name: str, spec: Json) -> Reply:
        """Put another spec in the place of what is there."""

    async def delete(self, namespace: str, plural: str, name: str) -> Reply:
        """Delete an object of ours."""

    async def look(self, namespace: str) -> Objects:
        """Return everything that is in a namespace."""

    def records(self, namespace: str) -> Sequence[Record]:
        """Return what the log tells of a namespace, oldest first."""

    def complaints(self) -> Sequence[str]:
        """Return what services said that none should: tracebacks, records that nobody can read."""

    def lines(self) -> Sequence[str]:
        """Return every line that services wrote."""

    def leaked(self) -> Sequence[str]:
        """Return the subjects of records that hold the value of a Secret."""
