"""No more than so many a minute: turns at an even distance, given in the order of asking."""

SECONDS = 60.0


class Pace:
    """Turns for one sink; without a rate every turn is now. Moments are arguments."""

    def __init__(self, per_minute: int | None) -> None:
        self._step = SECONDS / per_minute if per_minute else 0.0
        self._next = 0.0

    def turn(self, now: float) -> float:
        """Take the next turn; return how far away it is, in seconds."""
        at = max(self._next, now)
        self._next = at + self._step
        return at - now


def slower(one: int | None, other: int | None) -> int | None:
    """Return the lower of two rates, of which each may be none."""
    return min((rate for rate in (one, other) if rate is not None), default=None)
