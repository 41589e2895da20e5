"""What users of a rich world do more than others, and when.

Features and mistakes are taken in turn from world to world, so that a few hundred seeds in a row
have tried each of them several times.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

from tests.simulation.features import clusters, jobs, mistakes, services
from tests.simulation.features.deeds import (
    WRONG,
    at_odd_times,
    corrected,
    job_with_features,
    mistaken,
    with_features,
)
from tests.simulation.features.settings import rich, turn_of
from tests.simulation.kinds import CLUSTER, CRON, JOB, SERVICE
from tests.simulation.users import Deed

T = TypeVar("T")
AT_ONCE = 3
"""How many features a cluster has, and how many mistakes are made at once."""
LONG_ENOUGH = 4.0
"""How long a mistake stands at least, in seconds, so that somebody sees it."""


def extras(seed: int, lasts: float) -> Iterator[tuple[float, Deed]]:
    """Yield what users of a rich world do beside everything else, and when."""
    if not rich(seed):
        return
    chance = Random(f"features {seed}")
    turn, early = turn_of(seed), lasts / 3
    yield chance.uniform(0, early), with_features(_drawn(clusters.FEATURES, turn, chance))
    if chance.random() < 0.5:
        late = chance.uniform(early, lasts)
        yield late, with_features(_drawn(clusters.FEATURES, chance.randrange(99), chance))
    kind, made = _mistakes(turn)
    begun = chance.uniform(0, max(early, lasts - 2 * LONG_ENOUGH))
    yield begun, made
    yield min(begun + chance.uniform(LONG_ENOUGH, 3 * LONG_ENOUGH), lasts), corrected(kind)
    if turn % 2:
        of_cluster = [name for name in _few(clusters.FEATURES, turn) if name in clusters.BY_HOLDERS]
        chosen = _few(jobs.FEATURES, turn // 2)[:1]
        yield chance.uniform(0, early), job_with_features(chosen, clusters.agreeing(of_cluster))
    elif turn % 4 == 0:
        schedule = jobs.SCHEDULES[turn // 4 % len(jobs.SCHEDULES)]
        yield chance.uniform(0, early), at_odd_times(schedule)


def _drawn(catalogue: Mapping[str, object], turn: int, chance: Random) -> list[str]:
    """Return the features whose turn it is, and one by chance, as far as they go together."""
    return clusters.agreeing([*_few(catalogue, turn), chance.choice(list(catalogue))])


def _few(catalogue: Mapping[str, object] | Sequence[T], turn: int) -> list[str]:
    names = [str(name) for name in catalogue]
    return [names[(turn * AT_ONCE + n) % len(names)] for n in range(AT_ONCE)]


def _mistakes(turn: int) -> tuple[str, Deed]:
    """Return the mistakes whose turn it is, and the kind of resource they are made in."""
    catalogues = ((CLUSTER, mistakes.MISTAKES), (JOB, jobs.MISTAKES), (SERVICE, services.MISTAKES))
    which, turn = turn % 5, turn // 5
    if which == 4:
        schedule = jobs.WRONG_SCHEDULES[turn % len(jobs.WRONG_SCHEDULES)]
        return CRON, at_odd_times(schedule, WRONG)
    kind, catalogue = catalogues[max(0, which - 1)]
    place = 2 * turn + which if kind == CLUSTER else turn
    return kind, mistaken(kind, [(name, catalogue[name]) for name in _few(catalogue, place)])
