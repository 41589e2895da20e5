"""However a control plane ends, nothing of it is left behind."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Said, run
from tests.support.realkube import skip_without_programs
from tools.realkube.instances import KEEPER, Instance, Record

SOON = 30.0


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """A folder of its own, empty in the end."""
    skip_without_programs()
    yield Instance(tmp_path / "realkube")
    realkube(tmp_path / "realkube", "down")


def realkube(folder: Path, *words: str) -> Said:
    return run(sys.executable, "-m", "tools.realkube", *words, "--folder", str(folder))


def up(instance: Instance, *options: str) -> Record:
    said = realkube(instance.folder, "up", "--background", *options)
    assert said.returncode == 0, said.stderr
    record = instance.running()
    assert record is not None
    return record


def left(record: Record) -> list[str]:
    return [name for name, each in record.processes.items() if not each.wait(SOON)]


def test_down_ends_everything_and_up_again_is_another(instance: Instance) -> None:
    first = up(instance)
    same = up(instance)
    said = realkube(instance.folder, "down")

    assert (same, said.stdout, left(first)) == (first, "ended\n", [])
    assert realkube(instance.folder, "kubeconfig").returncode == 1
    assert not Path(first.kubeconfig).exists()


def test_what_a_killed_keeper_leaves_is_ended_by_down(instance: Instance) -> None:
    record = up(instance)
    record.processes[KEEPER].send(signal.SIGKILL)
    record.processes[KEEPER].wait(SOON)

    said = realkube(instance.folder, "down")

    assert (said.stdout, left(record)) == ("ended\n", [])


def test_when_one_program_dies_the_others_end(instance: Instance) -> None:
    record = up(instance)

    record.processes["etcd"].send(signal.SIGKILL)

    assert left(record) == []
    assert "etcd ended with -9" in (instance.folder / "keeper.log").read_text()


def test_it_ends_with_its_last_user(instance: Instance) -> None:
    ticket = instance.join()
    record = up(instance, "--for-users")

    instance.leave(ticket)

    assert (left(record), instance.running()) == ([], None)
