"""The other facets: written status, fired timers, sessions that have listed, parked resources.

`StatusWritten` carries the resourceVersion that Kubernetes gave it, so that of this and the
resource's own observation the newer one is the status.
"""

from datetime import datetime

from msgspec import Struct, field


class StatusWritten(Struct, frozen=True, kw_only=True, tag="status_written", omit_defaults=True):
    """The status as it was stored in Kubernetes, and why it changed."""

    status: dict[str, object]
    resource_version: int
    based_on: int
    because: tuple[str, ...] = field(default_factory=tuple)


class TimerFired(Struct, frozen=True, kw_only=True, tag="timer_fired", omit_defaults=True):
    """A timer went off. It counts only for the act that wants exactly this due time."""

    timer: str
    due_at: datetime
    act: int


class Parked(Struct, frozen=True, kw_only=True, tag="parked", omit_defaults=True):
    """The rules broke over a resource; `where` says where, and is empty once they hold again.

    It counts for this generation, and until the next act; `act` is the sequence of the last one.
    Nothing is decided by it: whoever waits is told why nothing is decided.
    """

    generation: int
    act: int
    where: str = ""


class KindListed(Struct, frozen=True, kw_only=True, tag="kind_listed", omit_defaults=True):
    """A watcher's session has written everything that a consistent list of the kind held."""

    kind: str
    session: str
    number: int
    resource_version: int
    count: int
