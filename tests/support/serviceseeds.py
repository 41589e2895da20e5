"""Stories of a RayService by seed: chance chooses what happens, and how late everybody is.

What happens in the world is seen at once; status and reconciler do their part after it, or only a
piece of it, in any order. Every action is held to the laws. In the end the world is kind, and the
newest spec must be served. The same seed tells the same story.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from types import MappingProxyType

from msgspec import Struct

from shared.kernel.manifests import mapping_at
from tests.support.modelling import say, told
from tests.support.rayservices import other_version, service_spec
from tests.support.servicefaults import FAULTS
from tests.support.servicelaws import LawfulStory, ends
from tests.support.servicemoves import DELETES, FIRST, GROWN, Move, moves
from tests.support.steppinglaws import LawfulSteps
from tests.support.steppingstory import cluster_of, grown_of, stepped_spec

MOVES_LEAST, MOVES_MOST = 8, 30
PART = 50
"""Seeds that a process takes at once."""
SETTLES = 0.6
"""How often everybody gets done before the next thing happens."""
OFTEN: Mapping[str, float] = MappingProxyType(
    {
        "a head comes up": 4.0,
        "applications run": 4.0,
        "ten seconds pass": 4.0,
        "the user resumes": 3.0,
        "the user repairs the spec": 3.0,
        "the user breaks the spec": 0.5,
        "the user suspends": 0.5,
        DELETES: 0.05,
    }
)
"""How often something happens, if not once in a while."""


class World(Struct, frozen=True):
    """A way to upgrade, and what may happen meanwhile."""

    begin: Callable[[], LawfulStory]
    moves: Mapping[str, Move]


_SPEC = stepped_spec()
_A, _B, _GROWN = cluster_of("2.46.0"), cluster_of("2.47.0"), grown_of("2.46.0")
_MOVES = moves(FIRST, other_version(), GROWN, None)
_STEPS = moves(_A, _B, _GROWN, dict(mapping_at(_SPEC, "upgradeStrategy")))
WORLDS: Mapping[str, World] = MappingProxyType(
    {
        "NewCluster": World(lambda: LawfulStory(service_spec()), {**_MOVES, **FAULTS}),
        "incremental": World(lambda: LawfulSteps(_SPEC), {**_STEPS, **FAULTS}),
    }
)


def _begins(story: LawfulStory, _: World) -> None:
    story.goes_on()


def _serves(story: LawfulStory, _: World) -> None:
    story.goes_on()
    story.serves()


def _upgrades(story: LawfulStory, world: World) -> None:
    _serves(story, world)
    assert world.moves["the spec is B"](story)
    story.goes_on()
    story.serves()


STARTS = (_begins, _serves, _upgrades, _upgrades)
"""How far it has come when chance takes over."""


def world_of(seed: int) -> str:
    """Return the world of a seed: either kind of upgrade in turn."""
    return list(WORLDS)[seed % len(WORLDS)]


def play(seed: int) -> Counter[str]:
    """Tell the story of a seed; return how often each way of Ready was met."""
    chance, world = Random(seed), WORLDS[world_of(seed)]
    story, path, met = world.begin(), [f"seed {seed}"], Counter[str]()
    chance.choice(STARTS)(story, world)
    for _ in range(chance.randint(MOVES_LEAST, MOVES_MOST)):
        told(partial(_happens, story, world.moves, chance, path), path)
        met[" ".join(story.condition("Ready"))] += 1
        if story.own is None:
            break
    told(partial(ends, story), path)
    return met


def _happens(story: LawfulStory, what: Mapping[str, Move], chance: Random, path: list[str]) -> None:
    names = list(what)
    weights = [OFTEN.get(name, 1.0) for name in names]
    for _ in range(len(names)):
        [name] = chance.choices(names, weights)
        path.append(name)
        if what[name](story):
            break
        path.pop()
    story.endpoints_follow()
    story.asker_asks()
    if chance.random() < SETTLES:
        story.goes_on()
    else:
        _lags(story, chance, path)


def _lags(story: LawfulStory, chance: Random, path: list[str]) -> None:
    """Let some do a piece of their part, and leave the rest for later."""
    parts = {
        "status": story.status_tells,
        "reconciler": story.reconciler_decides,
        "asker": story.asker_asks,
    }
    chosen = chance.choices(list(parts), k=chance.randrange(4))
    path.append(f"[{', '.join(chosen)}]")
    for name in chosen:
        parts[name]()
        story.endpoints_follow()


def play_all(seeds: Sequence[int]) -> tuple[Counter[str], list[str]]:
    """Tell many stories; return what was met, and which laws were broken."""
    met, broken = Counter[str](), []
    for seed in seeds:
        try:
            met += play(seed)
        except AssertionError as problem:
            broken.append(f"{world_of(seed)}: {problem}")
    return met, broken


def play_by_hand(seeds: Sequence[int], workers: int) -> None:
    """Tell many stories in a few processes, with progress; exit with an error if one is broken."""
    began, met, broken = time.monotonic(), Counter[str](), 0
    parts = [seeds[start : start + PART] for start in range(0, len(seeds), PART)]
    with ProcessPoolExecutor(workers) as pool:
        for done, (found, problems) in enumerate(pool.map(play_all, parts), start=1):
            met += found
            broken += len(problems)
            spent = time.monotonic() - began
            say(f"  {min(done * PART, len(seeds))} seeds, {met.total()} steps, {spent:.0f} s")
            for problem in problems:
                say(f"BROKEN: {problem}")
    say(f"{len(seeds)} seeds, {met.total()} steps, {broken} broken, {dict(sorted(met.items()))}")
    sys.exit(1 if broken else 0)
