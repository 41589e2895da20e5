"""What users of a rich world do more than others, and when.

Features and mistakes are taken in turn from world to world, so that a few hundred seeds in a row
have tried each of them several times.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from tests.simulation.faults import rare
from tests.simulation.faults.fault import Fault
from tests.simulation.faults.puzzle import puzzle
from tests.simulation.features import clusters, jobs, mistakes, services
from tests.simulation.features.asides import approve, crowd, give_up, look_for_waits
from tests.simulation.features.clusters import Feature
from tests.simulation.features.deeds import (
    at_odd_times,
    corrected,
    job_with_features,
    look_at_metrics,
    mistaken,
    service_with_features,
    with_features,
    without_features,
)
from tests.simulation.features.occasions import LONG, OCCASIONS, Occasion
from tests.simulation.features.settings import LITTLE, LOOSE, rich, turn_of
from tests.simulation.kinds import CLUSTER, CRON, JOB, SERVICE
from tests.simulation.users import Deed
from tests.simulation.wishes import MISTAKEN

AT_ONCE = 3
"""How many features a cluster has, and how many mistakes are made at once."""
LONG_ENOUGH = 4.0
"""How long a mistake stands at least, in seconds, so that somebody sees it."""
PUZZLED = 3
"""In one of so many rich worlds the rules break over a resource for a while."""
CROWDED, WHICH = 40, 7
"""In one of so many rich worlds somebody asks for a crowd of pods, and in which."""
SHAPELESS = "shapes"
"""The mistake by which a spec can no longer be read."""


def extras(seed: int, lasts: float) -> Iterator[tuple[float, Deed]]:
    """Yield what users of a rich world do beside everything else, and when."""
    if not rich(seed):
        return
    chance = Random(f"features {seed}")
    turn, early = turn_of(seed), lasts / 3
    always = (("redisuser",), ("gang", "queues", "placed"), ("recreate",))[turn % 3]
    yield chance.uniform(0, early), with_features(_drawn(turn, chance, always))
    if chance.random() < 0.5:
        later = _drawn(chance.randrange(99), chance, always)
        yield chance.uniform(early, lasts), with_features(later)
    if turn % 3 == 0:
        yield chance.uniform(early, lasts), without_features
    yield from _mistaken(turn, chance, lasts)
    yield chance.uniform(early, lasts), look_at_metrics
    if turn % 2:
        few = _few(clusters.FEATURES, turn // 2)
        of_cluster = [name for name in few if name in clusters.BY_HOLDERS]
        chosen = [list(jobs.FEATURES)[turn // 2 % len(jobs.FEATURES)]]
        yield chance.uniform(0, early), job_with_features(chosen, clusters.agreeing(of_cluster))
    elif turn % 4 == 0:
        schedule = jobs.SCHEDULES[turn // 4 % len(jobs.SCHEDULES)]
        yield chance.uniform(0, early), at_odd_times(schedule)
    else:
        yield (
            chance.uniform(0, early),
            service_with_features(_few(services.FEATURES, turn // 4)[:2]),
        )
    yield from _asides(seed, lasts)
    yield from occasion_of(seed)(Random(f"occasion {seed}"), lasts)


def lasts_at_least(seed: int) -> float:
    """Return how long a world has to last for what comes about in it, in seconds."""
    return LONG.get(occasion_of(seed), 0.0) if rich(seed) else 0.0


def occasion_of(seed: int) -> Occasion:
    """Return what comes about in a rich world."""
    return OCCASIONS[turn_of(seed) % len(OCCASIONS)]


def harm(seed: int, lasts: float) -> Iterator[tuple[float, Fault]]:
    """Yield what befalls a rich world beside everything else, and when."""
    if not rich(seed):
        return
    chance, turn = Random(f"harm {seed}"), turn_of(seed)
    for number in range(chance.choice((0, 1, 2))):
        fault = rare.FAULTS[(turn + number) % len(rare.FAULTS)]
        yield chance.uniform(0, lasts), fault
    if turn % PUZZLED == 0:
        yield Random(f"puzzle {seed}").uniform(0, lasts), puzzle


def _asides(seed: int, lasts: float) -> Iterator[tuple[float, Deed]]:
    chance, turn = Random(f"asides {seed}"), turn_of(seed)
    for _ in range(2):
        yield chance.uniform(0, lasts), look_for_waits
    if turn % LITTLE == 0:
        yield chance.uniform(0, lasts), approve
    if turn % CROWDED == WHICH:
        yield chance.uniform(0, lasts / 3), crowd
    if turn % LOOSE == 0:
        yield from _unread(turn, chance, lasts)


def _unread(turn: int, chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """Make something that makes sense, then nothing that anybody could read, and give it up."""
    kind, catalogue = (
        (CLUSTER, mistakes.UNCHECKED),
        (JOB, jobs.UNCHECKED),
        (SERVICE, services.UNCHECKED),
        (CRON, jobs.UNREADABLE_SCHEDULES),
    )[turn // LOOSE % 4]
    moments = sorted(chance.uniform(0, lasts) for _ in range(3))
    sound = mistaken(
        kind, [("redisuser", clusters.FEATURES["redisuser"])] if kind == CLUSTER else []
    )
    shapeless = mistaken(kind, [(SHAPELESS, catalogue[SHAPELESS])])
    yield from zip(moments, (sound, shapeless, give_up(kind)), strict=True)


def _drawn(turn: int, chance: Random, always: Sequence[str]) -> list[str]:
    """Return the features whose turn it is, and one by chance, as far as they go together."""
    catalogue = clusters.FEATURES
    return clusters.agreeing([*always, *_few(catalogue, turn), chance.choice(list(catalogue))])


def _few(catalogue: Mapping[str, object], turn: int) -> list[str]:
    """Return those whose turn it is: far apart, since neighbours often write the same field."""
    names = list(catalogue)
    return [names[(turn + n * len(names) // AT_ONCE) % len(names)] for n in range(AT_ONCE)]


def _mistaken(turn: int, chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """Yield mistakes whose turn it is in two of the kinds, and how they are put right."""
    for kind, deeds in (_of_clusters(turn), _of_others(turn)):
        moment = chance.uniform(0, lasts / 3)
        for deed in deeds:
            yield moment, deed
            moment = min(moment + chance.uniform(1, 2) * LONG_ENOUGH, lasts)
        yield moment, corrected(kind)


def _of_clusters(turn: int) -> tuple[str, list[Deed]]:
    usual = [_several(CLUSTER, mistakes.MISTAKES, 2 * turn + n) for n in range(2)]
    if turn % LOOSE == 0:
        return CLUSTER, [_one(CLUSTER, mistakes.UNCHECKED, turn // LOOSE), *usual]
    return CLUSTER, usual


def _of_others(turn: int) -> tuple[str, list[Deed]]:
    which, place = turn % 3, turn // 3
    if which == 2:
        wrong = jobs.WRONG_SCHEDULES
        first = [wrong[(place * AT_ONCE + n) % len(wrong)] for n in range(AT_ONCE)]
        return CRON, [at_odd_times(schedule, MISTAKEN[CRON]) for schedule in first]
    kind, usual, unchecked = (
        (JOB, jobs.MISTAKES, jobs.UNCHECKED),
        (SERVICE, services.MISTAKES, services.UNCHECKED),
    )[(place + which) % 2]
    several = [_several(kind, usual, 2 * place + n) for n in range(2)]
    if turn % LOOSE == 0:
        return kind, [_one(kind, unchecked, place // 2), *several]
    return kind, several


def _several(kind: str, catalogue: Mapping[str, Feature], turn: int) -> Deed:
    few = sorted(_few(catalogue, turn), key=lambda name: name in mistakes.WITH_CONTAINERS)
    return mistaken(kind, [(name, catalogue[name]) for name in few])


def _one(kind: str, catalogue: Mapping[str, Feature], turn: int) -> Deed:
    name = list(catalogue)[turn % len(catalogue)]
    return mistaken(kind, [(name, catalogue[name])])
