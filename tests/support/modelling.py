"""What models share: the graph of what was explored, words for broken laws, the command line."""

import argparse
import gc
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

Path = tuple[str, ...]
Progress = Callable[[int, int, int], None]
"""Takes depth, steps so far, and states to be left at this depth."""


class Graph:
    """States by their marks, and which leads to which."""

    def __init__(self) -> None:
        self._paths: dict[bytes, Path] = {}
        self._rests: set[bytes] = set()
        self._before: dict[bytes, set[bytes]] = {}
        self._left: set[bytes] = set()

    @property
    def size(self) -> int:
        return len(self._paths)

    def finds(self, mark: bytes, path: Path, *, rests: bool) -> bool:
        """Note a state; say whether it is new."""
        if mark in self._paths:
            return False
        self._paths[mark] = path
        if rests:
            self._rests.add(mark)
        return True

    def leads(self, here: bytes, there: bytes, path: Path, *, rests: bool) -> bool:
        """Note that one state leads to another; say whether that one is new."""
        self._left.add(here)
        self._before.setdefault(there, set()).add(here)
        return self.finds(there, path, rests=rests)

    def stuck(self) -> Iterator[Path]:
        """Yield the ways to states that were left and from which no rest was found."""
        reached, open_ = set(self._rests), deque(self._rests)
        while open_:
            fresh = self._before.get(open_.popleft(), set()) - reached
            reached |= fresh
            open_.extend(fresh)
        stuck = self._left - reached
        return (path for mark, path in self._paths.items() if mark in stuck)


def told(part: Callable[[], None], path: Sequence[str]) -> None:
    """Do a part; a law that is broken is told with the way that led there."""
    try:
        part()
    except AssertionError as problem:
        raise AssertionError(f"{problem}: {' -> '.join(path)}") from problem


Explore = Callable[[str, int, Progress], str]


def explore_by_hand(explore: Explore, names: Sequence[str]) -> None:
    """Explore what the command line names, each in a process of its own."""
    parser = argparse.ArgumentParser(description="Explore what can happen, to a depth.")
    parser.add_argument("depth", type=int)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of: {', '.join(names)}")
    parser.add_argument("--workers", type=int, default=2, help="how many processes (2)")
    asked = parser.parse_args()
    unknown = set(asked.names) - set(names)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(names)}")
    run_all(partial(_explored, explore, depth=asked.depth), asked.names or names, asked.workers)


def _explored(explore: Explore, name: str, *, depth: int) -> str:
    began = time.monotonic()
    # Stories are values without cycles, and many: looking for cycles takes long and finds none.
    gc.disable()

    def tell(level: int, steps: int, states: int) -> None:
        spent = time.monotonic() - began
        say(f"  {name}: depth {level}, {steps} steps, {states} states open, {spent:.0f} s")

    words = explore(name, depth, tell)
    return f"{name}: {words} in {time.monotonic() - began:.0f} s"


def run_all(part: Callable[[str], str], names: Sequence[str], workers: int) -> None:
    """Run a part for each name, a few at a time; exit with an error if one breaks a law."""
    broken = 0
    with ProcessPoolExecutor(workers) as pool:
        jobs = {pool.submit(part, name): name for name in names}
        for job in as_completed(jobs):
            try:
                say(job.result())
            except AssertionError as problem:
                broken += 1
                say(f"{jobs[job]}: BROKEN: {problem}")
    sys.exit(1 if broken else 0)


def say(line: str) -> None:
    """Write a line at once and whole, whoever else writes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
