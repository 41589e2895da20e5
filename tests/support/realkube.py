"""A real control plane for tests: one for the whole session, shared by all workers of it.

Whoever comes first starts it, in a process of its own; it ends when the last worker has left, or
is gone. Tests keep apart by namespaces of their own; what has no namespace is everybody's. Where
there is nothing to start, tests are skipped with a line that says why. Read next:
`docs/internals/real-control-plane.md`.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.processes import KUBECTL, Said, run, wait_until
from tools.realkube.assets import Missing, find
from tools.realkube.controlplane import READY_WITHIN
from tools.realkube.instances import Instance

_NUMBERS = count(1)
LATER = "HELIOGRAPH_REAL_LATER"
"""Set where a later run of the same suite has the control plane, so that nothing runs twice."""


class RealKube(msgspec.Struct, frozen=True, kw_only=True):
    """How to reach it, as an administrator."""

    version: str
    url: str
    kubeconfig: Path

    def kubectl(self, *arguments: str, given: str | None = None) -> Said:
        """Run kubectl to its end."""
        return run(
            KUBECTL, *arguments, environment={"KUBECONFIG": str(self.kubeconfig)}, given=given
        )

    def told(self, *arguments: str, given: str | None = None) -> str:
        """Run kubectl, which must succeed; return what it said."""
        said = self.kubectl(*arguments, given=given)
        assert said.returncode == 0, said.stderr
        return said.stdout

    def object(self, *arguments: str) -> Any:
        """Return what kubectl gets, as a value."""
        return msgspec.json.decode(self.told("get", *arguments, "-o", "json"))

    def wait(self, *arguments: str) -> None:
        """Run `kubectl wait` until it succeeds: it gives up on lists that are null as yet."""
        words = ("wait", "--timeout=10s", *arguments)
        wait_until(lambda: self.kubectl(*words).returncode == 0, " ".join(arguments))

    def new_namespace(self) -> str:
        """Make a namespace that no other test has, and wait until pods may be created in it."""
        name = f"test-{os.getpid()}-{next(_NUMBERS)}"
        self.told("create", "namespace", name)
        self.wait("--for=create", "serviceaccount/default", "-n", name)
        return name


def skip_without_programs() -> None:
    """Skip the test that asks, where there is no control plane to start, or its turn is later."""
    if os.environ.get(LATER):
        pytest.skip("the real control plane has its turn later")
    found = find()
    if isinstance(found, Missing):
        pytest.skip(f"no real control plane: {found.because}")


@contextmanager
def shared_real_kube(factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    """Use the control plane of this session, started if nobody has."""
    skip_without_programs()
    with real_kube_in(session_folder(factory) / "realkube") as real_kube:
        yield real_kube


@contextmanager
def real_kube_in(folder: Path) -> Iterator[RealKube]:
    """Use the control plane of a folder, started if nobody has."""
    instance = Instance(folder)
    ticket = instance.join()
    try:
        up = (sys.executable, "-m", "tools.realkube", "up", "--background", "--for-users")
        started = run(*up, "--folder", str(instance.folder), within=READY_WITHIN + 30)
        assert started.returncode == 0, started.stderr
        record = instance.running()
        assert record is not None, "it ended at once"
        yield RealKube(version=record.version, url=record.url, kubeconfig=Path(record.kubeconfig))
    finally:
        instance.leave(ticket)


def session_folder(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all workers of a session share."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
