"""`python -m tests.fuzzing [--kind K] [--seed N] [--count N] [--kube K] [--field PREFIX]`.

Changes resources field by field and sees that the operator carries it out or says why not, finds
back, and leaves nothing behind. Exit code 1 if anything broke. Manual: `docs/internals/fuzzing.md`.
"""

import argparse
import gc
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter

from tests.fuzzing.bases import KINDS
from tests.fuzzing.fields import fields_of
from tests.fuzzing.playing import Outcome
from tests.fuzzing.report import described, table
from tests.fuzzing.running import run_alone, run_world
from tests.fuzzing.shrinking import culprits, kind_of, shrunk
from tests.fuzzing.trials import Trial, trials
from tests.fuzzing.worlds import Seen

TOGETHER = 100
"""Trials that share a world."""
WORLDS = 4
"""So many of them one process plays."""
OFTEN = 25
"""After so many trials a line says how far it is."""
SHRUNK = 12
"""So many findings are made small; the rest is named."""
_SPAWN = multiprocessing.get_context("spawn")


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    kinds = [options.kind] if options.kind else list(KINDS)
    kinds = [kind for kind in kinds if fields_of(kind, options.seed, options.field)]
    if not kinds:
        parser.error(f"no field begins with {options.field}: write it as in a manifest, below spec")
    count = options.count if options.only is None else options.only + 1
    chosen = [
        one
        for kind in kinds
        for one in trials(kind, options.seed, count, options.field)
        if options.only is None or one.number == options.only
    ]
    if options.kube == "real":
        from tests.fuzzing.real import run_real  # noqa: PLC0415 - needs what few have

        return _tell([run_real(chosen, Progress(len(chosen)).take)], shrink=False)
    return _tell(_on_sandbox(chosen, options.jobs), shrink=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--kind", choices=KINDS, help="only this kind")
    parser.add_argument("--seed", type=int, default=0, help="what is tried, and in which order")
    parser.add_argument("--count", type=int, default=200, help="so many trials of each kind")
    parser.add_argument("--field", default="", help="only fields whose path begins so")
    parser.add_argument("--kube", choices=("sandbox", "real"), default="sandbox")
    parser.add_argument("--only", type=int, help="only the trial of this number")
    parser.add_argument("--jobs", type=int, default=1, help="processes, on the sandbox")
    return parser


def _on_sandbox(chosen: Sequence[Trial], jobs: int) -> list[Seen]:
    worlds = [chosen[first : first + TOGETHER] for first in range(0, len(chosen), TOGETHER)]
    progress, seen = Progress(len(chosen)), []
    for one in _played(worlds, jobs):
        seen.append(one)
        for outcome in one.outcomes:
            progress.take(outcome)
    progress.tell()
    return seen


def _played(worlds: Sequence[Sequence[Trial]], jobs: int) -> Iterator[Seen]:
    """Play worlds in processes that do not grow old: they grow with what they have played.

    Not by `max_tasks_per_child`, with which a pool waits for ever for a process that has left
    (python/cpython#115634).
    """
    many = jobs * WORLDS
    for first in range(0, len(worlds), many):
        with ProcessPoolExecutor(jobs, _SPAWN, initializer=gc.freeze) as pool:
            yield from pool.map(run_world, worlds[first : first + many])


class Progress:
    """Counts trials that have ended, and names those that found something."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = self._found = 0
        self._begun = perf_counter()

    def take(self, outcome: Outcome) -> None:
        """Count one more."""
        self._done += 1
        self._found += bool(outcome.findings)
        if outcome.findings:
            print(f"{outcome.trial.told()}: {outcome.findings[0]}", file=sys.stderr)
        if self._done % OFTEN == 0:
            self.tell()

    def tell(self) -> None:
        """Say how far it is."""
        rate = self._done / (perf_counter() - self._begun) * 60
        told = f"{self._done} of {self._count} trials, {self._found} with findings"
        print(f"{told}, {rate:.0f} a minute", file=sys.stderr, flush=True)


def _tell(worlds: Sequence[Seen], *, shrink: bool) -> int:
    """Print findings, the table and the verdict."""
    outcomes = [one for world in worlds for one in world.outcomes]
    broken = [one for one in outcomes if one.findings]
    for number, outcome in enumerate(broken):
        lines = _made_small(outcome) if shrink and number < SHRUNK else _as_it_was(outcome)
        print(*lines, sep="\n", end="\n\n")
    for world in worlds:
        _tell_world(world, shrink=shrink)
    print(*table(outcomes), sep="\n")
    of_worlds = sum(len(world.findings) for world in worlds)
    print(f"{len(outcomes)} trials, {len(broken)} with findings, {of_worlds} of whole worlds")
    return 1 if broken or of_worlds else 0


def _tell_world(world: Seen, *, shrink: bool) -> None:
    """Print what no trial in particular did, and which of them does it alone."""
    if not world.findings:
        return
    print(*sorted(set(world.findings))[:SHRUNK], sep="\n")
    played = [one.trial for one in world.outcomes]
    for trial in culprits(played, lambda some: bool(run_world(some).findings)) if shrink else ():
        print(f"done by {trial.told()}")


def _as_it_was(outcome: Outcome) -> Iterator[str]:
    return described(outcome.trial, outcome.findings, outcome.said, ())


def _made_small(outcome: Outcome) -> Iterator[str]:
    small, found = shrunk(outcome.trial, outcome.findings[0], _finds)
    if not found:
        yield f"{kind_of(outcome.findings[0])}: only in company"
        yield from _as_it_was(outcome)
        return
    seen, moments = run_alone(small)
    yield from described(small, found, seen.outcomes[0].said, moments)


def _finds(trial: Trial) -> tuple[str, ...]:
    return run_alone(trial)[0].outcomes[0].findings


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
