"""One at a time, across processes: a lock that ends with its holder, however that ends."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock while the block runs; `waiting` is called once if somebody else has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting:
                waiting()
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
