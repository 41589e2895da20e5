"""How long to wait before the next try: growing, bounded and jittered.

Each pause is drawn between half and the whole of its step, so that many who failed together do not
come back together, and nobody comes back at once.
"""

from datetime import timedelta
from random import Random

from msgspec import Struct

_DOUBLINGS_MAX = 20


class Backoff(Struct, frozen=True, kw_only=True):
    """Pauses that double from `first` up to `most`."""

    first: timedelta
    most: timedelta

    def pause(self, failures: int, chance: Random) -> timedelta:
        """Return the pause after so many failures in a row (1, 2, ...)."""
        doublings = min(max(failures - 1, 0), _DOUBLINGS_MAX)
        step = min(self.first * (1 << doublings), self.most)
        return step * (0.5 + chance.random() / 2)
