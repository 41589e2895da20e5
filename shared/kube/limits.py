"""Keep calls below a rate: a bucket that fills at `per_second` and holds at most `burst`.

Who finds it empty gets a turn that is some time away; turns are given in the order of asking, and
one that is too far away is not taken. Moments are arguments.
"""


class RateLimit:
    """One bucket, shared by all calls of one session."""

    def __init__(self, *, per_second: float, burst: int) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._left = float(burst)
        self._filled_at = 0.0

    def turn(self, now: float, *, within: float) -> float | None:
        """Take the next turn and return how far away it is; None if it is not `within` reach."""
        if now > self._filled_at:
            gained = (now - self._filled_at) * self._per_second
            self._left = min(self._burst, self._left + gained)
            self._filled_at = now
        delay = max(0.0, (1.0 - self._left) / self._per_second)
        if delay > within:
            return None
        self._left -= 1.0
        return delay
