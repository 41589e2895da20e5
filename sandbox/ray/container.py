"""One run of a container: a process in namespaces of its own, until it ends or is ended.

The process is the first of its process namespace: when it ends, whatever it started ends too.
Read next: rootfs.py for what it sees, keeping.py for what follows an end.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from sandbox.ray.commands import Rights, shell
from sandbox.ray.logbook import LogBook
from sandbox.ray.rootfs import Mount, script

CHUNK = 65_536
LOOK_EVERY = 0.01
KILLED_BY = 128
SAID_OF_KILLED = "unshare: sigprocmask "
"""What older `unshare` says, and ends with 1, when the process it waits for was killed."""


class Plan(Struct, frozen=True, kw_only=True):
    """Everything that one run is started from; `node` and `pod` are the numbers of anchors."""

    rights: Rights
    node: int
    pod: int
    hostname: str
    folder: Path
    mounts: Sequence[Mount]
    words: tuple[str, ...]
    environment: Mapping[str, str]
    working_folder: str


class Run:
    """A process that was started."""

    def __init__(self, plan: Plan, process: asyncio.subprocess.Process, log: LogBook) -> None:
        self.log = log
        self._plan = plan
        self._process = process
        self._reading = asyncio.create_task(self._read(), name=f"log of {plan.folder.name}")

    @property
    def begun(self) -> bool:
        """Whether the program runs, or never will."""
        pid = self._number()
        return self._process.returncode is not None or (pid > 0 and _is_inside(pid, self._plan))

    async def wait(self) -> int:
        """Wait for its end; return the exit code as container runtimes tell it."""
        await asyncio.shield(self._reading)
        code = await self._process.wait()
        if self.log.lines and self.log.lines[-1].text.startswith(SAID_OF_KILLED):
            self.log.lines.pop()
            return KILLED_BY + signal.SIGKILL
        return code if code >= 0 else KILLED_BY - code

    def signal(self, number: signal.Signals) -> None:
        """Send the first process of the container a signal."""
        pid = self._number()
        with contextlib.suppress(ProcessLookupError):
            if pid:
                os.kill(pid, number)
            else:
                self._process.kill()

    async def execute(self, words: Sequence[str], within: float) -> int:
        """Run something beside it; return the exit code, -1 if it took too long or never began."""
        pid, plan = self._number(), self._plan
        if not pid or not _is_inside(pid, plan):
            return -1
        beside = await asyncio.create_subprocess_exec(
            *plan.rights.in_container(pid, plan.working_folder, *words),
            env=dict(plan.environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(within):
                return await beside.wait()
        except TimeoutError:
            return -1
        finally:
            if beside.returncode is None:
                os.killpg(beside.pid, signal.SIGKILL)
                await beside.wait()

    def _number(self) -> int:
        """Read which process of the machine it is; 0 if it has not told yet, or is over."""
        if self._process.returncode is not None:
            return 0
        try:
            return int(_pid_file(self._plan).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0

    async def _read(self) -> None:
        output = self._process.stdout
        while output is not None and (chunk := await output.read(CHUNK)):
            self.log.take(chunk)
        self.log.close()


async def start(plan: Plan, clock: Callable[[], datetime]) -> Run:
    """Start a run."""
    root = plan.folder / "root"
    root.mkdir(parents=True, exist_ok=True)
    making = script(str(root), str(_pid_file(plan)), plan.hostname, plan.mounts)
    words = (*shell(making), "container", plan.working_folder, *plan.words)
    process = await asyncio.create_subprocess_exec(
        *plan.rights.new_container(plan.node, plan.pod, *words),
        env=dict(plan.environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    run = Run(plan, process, LogBook(clock))
    while not run.begun:  # noqa: ASYNC110 - a file is all that comes out of there
        await asyncio.sleep(LOOK_EVERY)
    return run


def _is_inside(pid: int, plan: Plan) -> bool:
    """Tell whether a process has left the machine's root for its own: before that it is no place.

    What would be run beside it a moment too early would see the files of the machine.
    """
    try:
        return Path(f"/proc/{pid}/root").readlink() == (plan.folder / "root").resolve()
    except OSError:
        return False


def _pid_file(plan: Plan) -> Path:
    return plan.folder / "pid"
