"""An installation as real processes: a NATS server, a Kubernetes, and services, each killable.

Every process writes to a file of its own; `told` returns the ends of all of them, and
`tests/e2e/conftest.py` shows them when a test fails. Whatever was started is ended when the
installation closes, by process id.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

from shared.bus.server import NatsServer

Said: TypeAlias = subprocess.CompletedProcess[str]

BIN = Path(sys.executable).parent
HELIOGRAPH = (sys.executable, "-m", "heliograph")
KUBECTL = shutil.which("kubectl", path=str(BIN)) or shutil.which("kubectl") or "kubectl"
EACH_TWICE: Mapping[str, int] = {
    "watcher": 2,
    "reconciler": 2,
    "executor": 2,
    "status": 2,
    "scheduler": 1,
}
LOOK_EVERY = 0.05
PATIENCE = 90.0
"""How long to wait for what other processes do, in seconds: they share few processors."""
TAIL = 10
_FIRST, _LAST = 15_000, 32_000
_PORTS = iter(range(_FIRST + os.getpid() * 97 % (_LAST - _FIRST - 2_000), _LAST))
"""Below what clients are given, so that nobody takes the port of a server that is down."""
_OPEN: list["Installation"] = []


def nothing_known() -> str:
    """Say nothing about the state of things."""
    return ""


def wait_until(
    holds: Callable[[], bool],
    wish: str,
    within: float = PATIENCE,
    *,
    state: Callable[[], object] = nothing_known,
) -> None:
    """Wait for something that another process does; say how things stand if it never does."""
    deadline = time.monotonic() + within
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {within:.0f} s in vain until {wish}\n{state()}")
        time.sleep(LOOK_EVERY)


def free_port() -> int:
    """Return a port of the loopback address that is free now and that no client is given."""
    for number in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", number))
            return number
    raise AssertionError("every port is taken")


def answer_of(url: str) -> tuple[int, str]:
    """Return status and body of a GET; 0 if nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - loopback
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode()
    except OSError:
        return 0, ""


class Process:
    """One process: its command, its output in a file, its end certain."""

    def __init__(
        self, name: str, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self.name = name
        self.output = folder / f"{name}.log"
        self._command = tuple(command)
        self._environment = {**os.environ, **environment}
        self._process: subprocess.Popen[bytes] | None = None
        self.port = int(environment.get("HELIOGRAPH_HTTP_PORT", "0"))

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def ready(self) -> bool:
        """Whether it says that it can be counted on."""
        return self.asked("/readyz")[0] == 200

    def wait_ready(self) -> None:
        """Wait until it can be counted on; what keeps it from that is told in vain."""
        wait_until(
            lambda: self.ready or not self.alive,
            f"{self.name} is ready",
            state=lambda: self.asked("/readyz")[1],
        )
        assert self.alive, f"{self.name} ended: {self.said()[-2000:]}"

    def asked(self, path: str) -> tuple[int, str]:
        """Return what its HTTP port answers."""
        return answer_of(f"http://127.0.0.1:{self.port}{path}")

    def start(self) -> None:
        """Start it; a running one is left alone."""
        if not self.alive:
            with self.output.open("ab") as output:
                self._process = subprocess.Popen(
                    self._command,
                    env=self._environment,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )

    def kill(self) -> None:
        """End it and its children at once, as a crash would."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it and its children."""
        assert self._process is not None, f"{self.name} was never started"
        os.killpg(self._process.pid, number)

    def end(self, within: float = 25.0) -> int:
        """Ask it to end; return its exit code."""
        assert self._process is not None, f"{self.name} was never started"
        self._process.terminate()
        return self._process.wait(within)

    def interrupt(self, within: float = 25.0) -> int:
        """Press Ctrl-C: the process and its children get it at once; return its exit code."""
        assert self._process is not None, f"{self.name} was never started"
        os.killpg(self._process.pid, signal.SIGINT)
        return self._process.wait(within)

    def said(self) -> str:
        """Return everything it wrote so far."""
        return self.output.read_text(errors="replace") if self.output.exists() else ""


class Installation:
    """Where everything is, and every process of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kubeconfig = folder / "kubeconfig"
        self.nats = NatsServer(folder / "nats", port=free_port())
        self.processes: dict[str, Process] = {}
        self.nats_url = ""
        """Where NATS is, if it is not ours."""
        self.namespace = ""
        """Where its resources live."""
        self.identity: Callable[[Iterable[str]], Mapping[str, str]] = self._anybody
        """What a process with these services is told of who it is."""

    @cached_property
    def sandbox_url(self) -> str:
        """The address of the sandbox."""
        sandbox = self.processes["sandbox"]
        wait_until(lambda: "\n" in sandbox.said(), "the sandbox answers")
        url: str = json.loads(sandbox.said().splitlines()[0])["url"]
        return url

    @property
    def environment(self) -> dict[str, str]:
        """What a user would export."""
        return {
            "NATS_URL": self.nats_url or self.nats.url,
            "KUBECONFIG": str(self.kubeconfig),
            "HELIOGRAPH_HTTP_HOST": "127.0.0.1",
            "HOME": str(self.folder),
        }

    def heliograph(self, *arguments: str, **environment: str) -> Said:
        """Run a command of ours to its end."""
        return run(*HELIOGRAPH, *arguments, environment={**self.environment, **environment})

    def kubectl(self, *arguments: str, given: str | None = None) -> Said:
        """Run kubectl to its end."""
        return run(KUBECTL, *arguments, environment=self.environment, given=given)

    def start_service(self, name: str, *services: str, **environment: str) -> Process:
        """Start services in one process of that name."""
        own = {"HELIOGRAPH_MEMBER_ID": name, "HELIOGRAPH_HTTP_PORT": str(free_port())}
        told = {**self.environment, **self.identity(services), **own, **environment}
        return self.add(name, (*HELIOGRAPH, "run", *services), told)

    def start_services(self, counts: Mapping[str, int]) -> None:
        """Start so many processes of each service, and wait until all can be counted on."""
        started = [
            self.start_service(f"{service}-{number}", service)
            for service, most in counts.items()
            for number in range(1, most + 1)
        ]
        for process in started:
            process.wait_ready()

    def members(self, service: str) -> list[Process]:
        """Return the processes of one service."""
        return [one for name, one in self.processes.items() if name.startswith(f"{service}-")]

    def told(self) -> Iterator[tuple[str, str]]:
        """Yield the troubles of every process, and the last lines it wrote."""
        for name, process in self.processes.items():
            lines = process.said().splitlines()
            worth = [line for line in lines[:-TAIL] if '"level":"info"' not in line]
            yield name, "\n".join([*worth[-TAIL:], *lines[-TAIL:]])

    def _anybody(self, services: Iterable[str]) -> Mapping[str, str]:
        del services
        return {"KUBECONFIG": str(self.kubeconfig)}

    def close(self) -> None:
        """End everything that still runs."""
        for process in reversed(self.processes.values()):
            process.kill()
        self.nats.kill()

    def add(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> Process:
        """Start a process that is ended with the others."""
        process = Process(name, command, self.folder, environment)
        self.processes[name] = process
        process.start()
        return process


def run(
    *words: str,
    environment: Mapping[str, str] | None = None,
    given: str | None = None,
    within: float = PATIENCE,
) -> Said:
    """Run a command to its end; what it said, whatever its exit code."""
    return subprocess.run(
        words,
        env={**os.environ, **(environment or {})},
        input=given,
        capture_output=True,
        text=True,
        timeout=within,
        check=False,
    )


class ending:  # noqa: N801 - reads as a word after `with`
    """An installation in which nothing runs yet; everything in it is ended after the block."""

    def __init__(self, folder: Path) -> None:
        self._here = Installation(folder)

    def __enter__(self) -> Installation:
        _OPEN.append(self._here)
        return self._here

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._here.close()
        _OPEN.remove(self._here)
        if error is not None:
            for name, text in self._here.told():
                error.add_note(f"end of {name}.log:\n{text}")


def open_installations() -> Sequence[Installation]:
    """Return those that run now."""
    return tuple(_OPEN)
