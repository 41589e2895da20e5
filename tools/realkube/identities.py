"""Which process is meant: its number and when it started, since numbers are given again.

Invariant: nobody ends a process that merely got the number of one we knew.
"""

import os
import signal
import time
from pathlib import Path

import msgspec

POLL = 0.02
STARTED_FIELD = 19
STATE_FIELD = 0


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """One process, for good."""

    pid: int
    started: str

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return started(self.pid) == self.started

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it still runs."""
        if self.alive:
            os.kill(self.pid, number)

    def wait(self, within: float) -> bool:
        """Wait until it is gone; tell whether it is."""
        deadline = time.monotonic() + within
        while self.alive and time.monotonic() < deadline:
            time.sleep(POLL)
        return not self.alive


def identify(pid: int) -> Identity:
    """Return the identity of a running process."""
    return Identity(pid=pid, started=started(pid) or "")


def started(pid: int) -> str | None:
    """Return when a process started, in ticks since the machine did; none if it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[STATE_FIELD] in {"Z", "X"} else fields[STARTED_FIELD]
