"""A process is its number and its start: nothing else is ever ended in its place."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tools.realkube.identities import Identity, identify


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits to be ended."""
    with subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_knows_a_running_process(sleeper: subprocess.Popen[bytes]) -> None:
    assert identify(sleeper.pid).alive


def test_ends_the_process_it_knows(sleeper: subprocess.Popen[bytes]) -> None:
    identity = identify(sleeper.pid)

    identity.send(signal.SIGKILL)

    assert identity.wait(10)
    assert not identity.alive


def test_leaves_another_process_of_the_same_number_alone(
    sleeper: subprocess.Popen[bytes],
) -> None:
    before = Identity(pid=sleeper.pid, started="1")

    before.send(signal.SIGKILL)

    assert not before.alive
    assert sleeper.poll() is None


def test_a_process_that_has_ended_is_gone_even_before_its_parent_looked(
    sleeper: subprocess.Popen[bytes],
) -> None:
    identity = identify(sleeper.pid)

    os.kill(sleeper.pid, signal.SIGKILL)

    assert identity.wait(10)
