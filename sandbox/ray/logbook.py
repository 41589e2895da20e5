"""What the runs of a container have printed, with the time of each line.

Kept in memory; of one run the oldest lines go first when there are too many. Of the runs before the
last one only one is kept, as kubelets do.
"""

from collections.abc import Callable
from datetime import datetime

from sandbox.controllers.podlogs import Line

LINES_MAX = 100_000


class LogBook:
    """The lines of one run."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.lines: list[Line] = []
        self._clock = clock
        self._rest = b""

    def take(self, chunk: bytes) -> None:
        """Take in what was printed, wherever the lines may be cut."""
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        now = self._clock()
        self.lines += (Line(now, text.decode(errors="replace").rstrip("\r")) for text in whole)
        if len(self.lines) > LINES_MAX:
            del self.lines[: LINES_MAX // 2]

    def close(self) -> None:
        """Take in what was left without an end of line."""
        if self._rest:
            self.take(b"\n")
