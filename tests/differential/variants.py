"""RayClusters with every feature alone, and with every two of them: made and deleted."""

from copy import deepcopy
from itertools import combinations

from tests.differential.clusters import DELETE, NAME, created
from tests.differential.features import EXCLUDE, FEATURES
from tests.differential.stories import Story
from tests.support.fleet import manifest

FAMILY = "variants"


def variants() -> list[Story]:
    """Return a story for each feature and each pair."""
    alone = [(name,) for name in FEATURES]
    pairs = [pair for pair in combinations(FEATURES, 2) if frozenset(pair) not in EXCLUDE]
    return [variant(*chosen) for chosen in (*alone, *pairs)]


def variant(*chosen: str) -> Story:
    """Return the story of a cluster with these features."""
    body = deepcopy(manifest(NAME, 1))
    pods = 2 + sum(FEATURES[name](body["spec"]) for name in chosen)
    name = f"with-{'-'.join(chosen)}"
    return Story(name=name, family=FAMILY, steps=(created(deepcopy(body), pods), DELETE))
