"""How often one resource may be decided on: as often as news ask for it, but not without end.

Whoever refuses, contradicts themselves or fights over a field may answer every decision with the
news that leads to the next, as fast as the log can be written. Each such circle has a pause of its
own where it is known; this is the brake for those that are not. Waiting changes no decision: it is
made later, as if the news had come later. Reads no clock; whoever asks says what time it is.
"""

from msgspec import Struct

from shared.kernel.keys import ResourceKey

BURST = 100
"""So many decisions in a row; a cluster of a thousand workers takes some twenty.

One of more than six thousand, made at once, goes over into one decision a second: 64 pods each.
"""
EVERY = 1.0
"""How long a decision takes to be made up for, in seconds."""
MOMENT = 0.001
"""A wait that is shorter is over: what is left of it may be too short for a clock to pass."""
MANY = 4096
"""So many resources are remembered before those that rest are looked for."""


class Spent(Struct, frozen=True, kw_only=True):
    """How many decisions were not made up for at a moment."""

    count: float
    at: float

    def left(self, now: float) -> float:
        """Return how many of them are not made up for yet."""
        return max(0.0, self.count - (now - self.at) / EVERY)


class Haste:
    """Knows of each resource how many decisions it has used up."""

    def __init__(self) -> None:
        self._spent: dict[ResourceKey, Spent] = {}
        self._told: set[ResourceKey] = set()
        self._many = MANY

    def wait(self, key: ResourceKey, now: float) -> float:
        """Return in how many seconds it may be decided on; 0 if now."""
        spent = self._spent.get(key)
        left = (spent.left(now) + 1 - BURST) * EVERY if spent else 0.0
        return left if left > MOMENT else 0.0

    def spend(self, key: ResourceKey, now: float) -> None:
        """Take note of a decision."""
        spent = self._spent.get(key)
        left = spent.left(now) if spent else 0.0
        if left < BURST / 2:
            self._told.discard(key)
        self._spent[key] = Spent(count=left + 1, at=now)
        if len(self._spent) > self._many:
            self._forget(now)

    def _forget(self, now: float) -> None:
        """Keep those that do not rest; look again when they have doubled."""
        self._spent = {one: each for one, each in self._spent.items() if each.left(now)}
        self._told &= self._spent.keys()
        self._many = max(MANY, 2 * len(self._spent))

    def is_news(self, key: ResourceKey) -> bool:
        """Whether nobody was told yet that this one is decided on too often."""
        known = key in self._told
        self._told.add(key)
        return not known
