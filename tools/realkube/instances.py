"""Who runs in which folder, and who uses it: a record, a lock, and a list of users.

An instance is a folder. Invariant: whoever changes what runs in it holds its lock, and the record
is there exactly while the instance can be used. A user is a process; one that is gone is none.
Read next: `__main__.py`.
"""

import os
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tools.realkube.identities import Identity, identify
from tools.realkube.locks import alone

KEEPER = "keeper"
KEEPER_PATIENCE = 20.0


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What runs: where to reach it, and its processes by name; the keeper ends the others."""

    version: str
    url: str
    kubeconfig: str
    processes: Mapping[str, Identity]

    @property
    def alive(self) -> bool:
        """Whether all of it still runs."""
        return all(each.alive for each in self.processes.values())


class Instance:
    """One folder and what runs in it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            raise PermissionError(f"{folder} belongs to somebody else")
        self.folder = folder
        self._record = folder / "record.json"
        self._users = folder / "users"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep everybody else from starting or stopping here."""
        with alone(self.folder / "lock"):
            yield

    def running(self) -> Record | None:
        """Return what runs here and can be used."""
        record = self._read()
        return record if record and record.alive else None

    def write(self, record: Record) -> None:
        """Say what runs here."""
        draft = self._record.with_suffix(".draft")
        draft.write_bytes(msgspec.json.encode(record))
        draft.replace(self._record)

    def forget(self) -> None:
        """Say that nothing runs here any more."""
        self._record.unlink(missing_ok=True)

    def end(self) -> bool:
        """End what runs here, also what a keeper left behind; tell whether anything did."""
        record = self._read()
        if record is None:
            return False
        living = [each for each in record.processes.values() if each.alive]
        keeper = record.processes[KEEPER]
        keeper.send(signal.SIGTERM)
        keeper.wait(KEEPER_PATIENCE)
        for each in living:
            each.send(signal.SIGKILL)
            each.wait(KEEPER_PATIENCE)
        self.forget()
        return bool(living)

    def join(self) -> Path:
        """Make this process a user; the path is what `leave` takes."""
        me = identify(os.getpid())
        self._users.mkdir(exist_ok=True)
        ticket = self._users / f"{me.pid}-{me.started}"
        ticket.touch()
        return ticket

    @staticmethod
    def leave(ticket: Path) -> None:
        """Be a user no longer."""
        ticket.unlink(missing_ok=True)

    def used(self) -> bool:
        """Tell whether any user is left."""
        tickets = self._users.iterdir() if self._users.is_dir() else iter(())
        split = [ticket.name.partition("-") for ticket in tickets]
        return any(Identity(pid=int(pid), started=started).alive for pid, _, started in split)

    def _read(self) -> Record | None:
        try:
            return msgspec.json.decode(self._record.read_bytes(), type=Record)
        except FileNotFoundError:
            return None


def default_folder() -> Path:
    """Return the folder of the instance that has no other."""
    return Path(tempfile.gettempdir()) / f"heliograph-realkube-{os.getuid()}"
