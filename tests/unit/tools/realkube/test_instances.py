"""An instance is what its record says, as long as that is true."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.realkube.identities import Identity, identify
from tools.realkube.instances import KEEPER, Instance, Record

GONE = Identity(pid=os.getpid(), started="1")


def record(**processes: Identity) -> Record:
    return Record(
        version="v1.37.1",
        url="https://127.0.0.1:1",
        kubeconfig="/kubeconfig",
        processes={KEEPER: GONE, **processes},
    )


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return Instance(tmp_path / "instance")


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits to be ended."""
    with subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE) as started:
        yield started
        started.kill()


def test_a_new_folder_runs_nothing_and_is_its_owners_alone(instance: Instance) -> None:
    assert instance.running() is None
    assert instance.folder.stat().st_mode & 0o777 == 0o700


def test_tells_what_runs(instance: Instance) -> None:
    mine = record(keeper=identify(os.getpid()))

    instance.write(mine)

    assert instance.running() == mine


def test_what_lost_a_process_does_not_run(
    instance: Instance, process: subprocess.Popen[bytes]
) -> None:
    instance.write(record(etcd=identify(process.pid)))

    assert instance.running() is None


def test_ends_what_a_killed_keeper_left_behind(
    instance: Instance, process: subprocess.Popen[bytes]
) -> None:
    instance.write(record(etcd=identify(process.pid)))

    assert instance.end()
    assert process.wait(10) == -9
    assert not instance.end()


def test_is_used_as_long_as_a_user_has_not_left(instance: Instance) -> None:
    before = instance.used()
    ticket = instance.join()
    during = instance.used()
    instance.leave(ticket)

    assert (before, during, instance.used()) == (False, True, False)


def test_a_user_that_is_gone_is_none(instance: Instance) -> None:
    ticket = instance.join()
    ticket.rename(ticket.with_name(f"{os.getpid()}-1"))

    assert not instance.used()
