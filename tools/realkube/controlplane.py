"""Starts the three programs in order, waits until they can be used, and stops them.

Ready means: every check of the API server passes, and the controllers have made the `default`
service account, so that a pod may be created at once. Each program writes to a file of its own;
an error ends with the last lines of the one that failed. Read next: `flags.py`.
"""

import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from tools.realkube import flags
from tools.realkube.assets import Assets
from tools.realkube.audit import write_policy
from tools.realkube.certificates import ADMIN, CONTROLLERS, Certificates, make_certificates
from tools.realkube.flags import LOOPBACK, Ports
from tools.realkube.identities import Identity, identify
from tools.realkube.kubeconfig import write_kubeconfig

READY_WITHIN = 240.0
POLL = 0.05
ATTEMPTS = 3
LAST_LINES = 15
TAKEN = "address already in use"
FIRST_ACCOUNT = "/api/v1/namespaces/default/serviceaccounts/default"


class ControlPlaneFailedError(RuntimeError):
    """It did not come up, or ended by itself."""


class _PortTakenError(ControlPlaneFailedError):
    """Somebody else was quicker; another port will do."""


class ControlPlane:
    """One etcd, one API server, one set of controllers, in one folder."""

    def __init__(self, folder: Path, assets: Assets) -> None:
        self.folder = folder
        self.kubeconfig = folder / "kubeconfig"
        self.ports = Ports(etcd=0, api=0)
        self._assets = assets
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._trust: ssl.SSLContext | None = None

    @property
    def identities(self) -> dict[str, Identity]:
        """The processes, by program."""
        return {name: identify(process.pid) for name, process in self._processes.items()}

    def start(self) -> None:
        """Start everything and wait until it can be used; call `stop` whatever happens."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._start()
            except _PortTakenError:
                if attempt == ATTEMPTS:
                    raise
                self.stop()
        return None

    def stop(self) -> None:
        """End everything at once, users before the used: nothing stored is kept."""
        for process in reversed(self._processes.values()):
            process.kill()
            process.wait()
        self._processes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    def check(self) -> None:
        """Raise if a program has ended by itself."""
        for name, process in self._processes.items():
            if process.poll() is not None:
                raise self._failure(name, f"{name} ended with {process.returncode}")

    def version(self) -> str:
        """Return what the API server says it is."""
        told = msgspec.json.decode(self._get("/version") or b"{}", type=dict[str, str])
        return told.get("gitVersion", "unknown")

    def _get(self, path: str) -> bytes | None:
        """Return what the API server answers with 200; none if it answers otherwise or not."""
        url = f"{self.ports.api_url}{path}"
        try:
            with urllib.request.urlopen(url, timeout=5, context=self._trust) as answer:  # noqa: S310 - loopback
                body: bytes = answer.read()
                return body
        except urllib.error.HTTPError as refusal:
            refusal.close()
            return None
        except OSError:
            return None

    def _start(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True)
        self.ports = Ports(**dict(zip(("etcd", "api"), free_ports(2), strict=True)))
        certificates = make_certificates(self.folder / "certificates")
        self._trust = _trust(certificates)
        self._write_kubeconfigs(certificates)
        deadline = time.monotonic() + READY_WITHIN
        self._run("etcd", flags.etcd(self.ports, str(self.folder / "etcd")))
        self._await("etcd", lambda: _listens(self.ports.etcd), deadline)
        audit = write_policy(self.folder)
        self._run("kube-apiserver", flags.api_server(self.ports, certificates, audit))
        self._await("kube-apiserver", lambda: self._get("/readyz") is not None, deadline)
        self._forget_the_beginning()
        told = flags.controllers(certificates, str(self.folder / "controllers.kubeconfig"))
        self._run("kube-controller-manager", told)
        self._await(
            "kube-controller-manager", lambda: self._get(FIRST_ACCOUNT) is not None, deadline
        )

    def _forget_the_beginning(self) -> None:
        """Compact the first revision away: lists from before are refused, as on older clusters."""
        asked = msgspec.json.encode({"revision": "2"})
        url = f"{self.ports.etcd_url}/v3/kv/compaction"
        try:
            with urllib.request.urlopen(url, data=asked, timeout=5) as answer:  # noqa: S310 - loopback
                answer.read()
        except OSError as problem:
            raise self._failure("etcd", f"etcd did not compact: {problem}") from problem

    def _write_kubeconfigs(self, certificates: Certificates) -> None:
        own = self.folder / "controllers.kubeconfig"
        write_kubeconfig(self.kubeconfig, self.ports.api_url, certificates, ADMIN)
        write_kubeconfig(own, self.ports.api_url, certificates, CONTROLLERS)

    def _run(self, name: str, arguments: Sequence[str]) -> None:
        environment = {key: value for key, value in os.environ.items() if key != "KUBECONFIG"}
        with self._log(name).open("wb") as output:
            self._processes[name] = subprocess.Popen(
                (self._assets.programs[name], *arguments),
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def _await(self, name: str, holds: Callable[[], bool], deadline: float) -> None:
        while not holds():
            self.check()
            if time.monotonic() > deadline:
                raise self._failure(name, f"{name} was not ready in {READY_WITHIN:.0f} s")
            time.sleep(POLL)

    def _failure(self, name: str, what: str) -> ControlPlaneFailedError:
        lines = self._log(name).read_text(encoding="utf-8", errors="replace").splitlines()
        last = "\n".join(lines[-LAST_LINES:])
        kind = _PortTakenError if TAKEN in last else ControlPlaneFailedError
        return kind(f"{what}; it said last:\n{last}")

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"


def free_ports(count: int) -> list[int]:
    """Return different ports of the loopback address that are free now."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((LOOPBACK, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0


def _trust(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=certificates.authority)
    context.load_cert_chain(certificates.certificate(ADMIN), certificates.key(ADMIN))
    return context
