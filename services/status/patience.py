"""How long a change that is not urgent waits: until its resource is quiet, and never for long.

Reads no clock; whoever asks says what time it is. Forgetting everything costs one moment more.
"""

from msgspec import Struct

from shared.kernel.keys import ResourceKey

QUIET = 1.0
"""How long nothing must have happened to a resource, in seconds."""
MOMENT = 0.001
"""A wait that is shorter is over: what is left of it may be too short for a clock to pass."""
LONGEST = 2.0
"""How long a change waits at most while things go on happening, in seconds."""


class PutOff(Struct, frozen=True, kw_only=True):
    """A change that waits: since when, until when, and for which revision that was said."""

    since: float
    due: float
    revision: int


class Patience:
    """Knows of each resource whether a change waits."""

    def __init__(self) -> None:
        self._put_off: dict[ResourceKey, PutOff] = {}

    def wait(self, key: ResourceKey, revision: int, now: float) -> float:
        """Return how many seconds the change at this revision still has to wait; 0 if it is due."""
        former = self._put_off.get(key)
        if former is None or former.revision != revision:
            since = former.since if former else now
            due = min(now + QUIET, since + LONGEST)
            former = self._put_off[key] = PutOff(since=since, due=due, revision=revision)
        left = former.due - now
        return left if left > MOMENT else 0.0

    def end(self, key: ResourceKey) -> None:
        """Forget a resource: its change is written, or there is none any more."""
        self._put_off.pop(key, None)
