"""A trial that found something, made small: fewer changes, a plainer base, a simpler order.

Invariant: what is left still finds something of the same kind, played alone.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from tests.fuzzing.bases import BASES
from tests.fuzzing.trials import Shape, Trial

Finds = Callable[[Trial], tuple[str, ...]]


def kind_of(finding: str) -> str:
    """Return the word that a finding begins with."""
    return finding.partition(":")[0]


def shrunk(trial: Trial, finding: str, finds: Finds) -> tuple[Trial, tuple[str, ...]]:
    """Return the smallest trial that finds the same kind of thing, with what it finds.

    Without findings it needs company: then it is the trial as it was.
    """
    found = _same(finds(trial), finding)
    if not found:
        return trial, ()
    smaller = True
    while smaller:
        smaller = False
        for candidate in _candidates(trial):
            still = _same(finds(candidate), finding)
            if still:
                trial, found, smaller = candidate, still, True
                break
    return trial, found


def culprits(trials: Sequence[Trial], bad: Callable[[Sequence[Trial]], bool]) -> Iterator[Trial]:
    """Yield the trials that do harm to their world alone, by halves; none if it takes several."""
    if not trials or not bad(trials):
        return
    if len(trials) == 1:
        yield trials[0]
        return
    half = len(trials) // 2
    yield from culprits(trials[:half], bad)
    yield from culprits(trials[half:], bad)


def _same(findings: tuple[str, ...], finding: str) -> tuple[str, ...]:
    return tuple(one for one in findings if kind_of(one) == kind_of(finding))


def _candidates(trial: Trial) -> Iterator[Trial]:
    if len(trial.changes) > 1:
        for index in range(len(trial.changes)):
            kept = trial.changes[:index] + trial.changes[index + 1 :]
            yield replace(trial, changes=kept)
    plainest = next(iter(BASES[trial.kind]))
    if trial.base != plainest:
        yield replace(trial, base=plainest)
    if trial.shape in (Shape.HURRY, Shape.CUT):
        yield replace(trial, shape=Shape.CHANGE)
