"""Shows that long work goes on: one line that changes on a terminal, now and then one elsewhere."""

import sys
import time
from typing import TextIO

EVERY_ON_TERMINAL = 0.2
EVERY_ELSEWHERE = 15.0


def sentence(what: str, done: int, total: int, seconds: float) -> str:
    """Say how far something is."""
    minutes, rest = divmod(int(seconds), 60)
    share = f"{done} of {total}" if total else f"{done}"
    return f"{what}: {share}, {minutes}:{rest:02d}"


class Progress:
    """Counts one piece of work and tells about it."""

    def __init__(self, what: str, total: int = 0, output: TextIO = sys.stderr) -> None:
        self._what = what
        self._total = total
        self._output = output
        self._done = 0
        self._began = time.monotonic()
        self._told = self._began
        self._terminal = output.isatty()

    def advance(self) -> None:
        """Count one more."""
        self._done += 1
        now = time.monotonic()
        if now - self._told >= (EVERY_ON_TERMINAL if self._terminal else EVERY_ELSEWHERE):
            self._told = now
            self._tell("\r\033[K", "")

    def finish(self) -> None:
        """Tell the end of it."""
        self._tell("\r\033[K", "\n")

    def _tell(self, before: str, after: str) -> None:
        seconds = time.monotonic() - self._began
        line = sentence(self._what, self._done, self._total, seconds)
        wrapped = f"{before}{line}{after}" if self._terminal else f"{line}\n"
        self._output.write(wrapped)
        self._output.flush()
