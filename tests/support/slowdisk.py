"""A disk that takes its time, for one process: strace holds up what it writes and syncs.

Only calls that touch files are held up; what comes over the network is read and answered as ever.
Where strace is absent or may not look at processes, tests are skipped with a line that says why.
"""

import asyncio
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path

from tests.support.processes import wait_until

TRIED_FOR = 0.5
"""An attempt that goes on for longer is one that works, in seconds."""
CALLS = "pwrite64,fsync,fdatasync,ftruncate,renameat,unlinkat"


@cache
def refusal() -> str:
    """Say in one line why a disk cannot be made slow here; empty if it can."""
    if shutil.which("strace") is None:
        return "a disk cannot be made slow here: no strace on this machine"
    with subprocess.Popen(("sleep", "60")) as sleeper:
        words = ("strace", "--attach", str(sleeper.pid), "--output", "/dev/null")
        holding = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        try:
            told = holding.communicate(timeout=TRIED_FOR)[1].strip()
        except subprocess.TimeoutExpired:
            told = ""
        holding.terminate()
        holding.communicate()
        sleeper.kill()
    return f"a disk cannot be made slow here: {told}" if told else ""


class Slowness:
    """What was held up."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes

    @property
    def calls(self) -> int:
        """How many calls."""
        return len(re.findall(r"\(DELAYED\)", self._notes.read_text(errors="replace")))


@asynccontextmanager
async def slow_disk(process: int, each: float, notes: Path) -> AsyncIterator[Slowness]:
    """Hold up every call of a process that touches its files, by so many seconds each."""
    delay = f"inject={CALLS}:delay_enter={each * 1e6:.0f}"
    words = ("strace", "--follow-forks", "--attach", str(process), "--output", str(notes))
    holding = await asyncio.create_subprocess_exec(
        *words, "-e", f"trace={CALLS}", "-e", delay, stderr=asyncio.subprocess.DEVNULL
    )
    await asyncio.to_thread(wait_until, notes.exists, "strace looks on")
    try:
        yield Slowness(notes)
    finally:
        with suppress(ProcessLookupError):
            holding.send_signal(signal.SIGTERM)
        await holding.wait()
