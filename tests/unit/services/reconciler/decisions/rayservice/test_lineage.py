"""How clusters stand to the present spec: worked out once, however often concerns ask."""

import sys
from collections import Counter
from types import FrameType

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.rayservice.lineage import Lineage
from services.reconciler.decisions.rayservice.situation import Situation, situation_of
from services.reconciler.manifests.rayservice.cluster import HASH, stamps_of
from shared.kernel.hashing import recreate_hash
from shared.resources.written import Written
from tests.support.builders import cluster_spec, group
from tests.support.rayservices import other_version, service_spec
from tests.support.servicestory import ServiceStory, ready
from tests.support.steppingstory import SteppingStory, cluster_of, stepped_spec

COSTLY = {recreate_hash.__code__: "hashed", Written.as_written.__code__: "written out"}


def costs(story: ServiceStory) -> Counter[str]:
    """Count what is costly for a large spec in one decision that has to be made."""
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in COSTLY:
            found[COSTLY[frame.f_code]] += 1

    view = story.view()
    sys.setprofile(note)
    try:
        decide(view, story.context)
    finally:
        sys.setprofile(None)
    return found


def lineage(story: ServiceStory) -> Lineage:
    found = situation_of(story.view(), story.context)
    assert isinstance(found, Situation)
    return found.lineage


def kin(story: ServiceStory) -> tuple[list[str], list[str]]:
    """Return the clusters of the present spec, and those that lack groups of it only."""
    found = lineage(story)
    return sorted(found.same), sorted(found.grown)


def test_a_decision_hashes_the_spec_once_in_the_middle_of_an_upgrade() -> None:
    story = ready(service_spec())
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    story.head_comes_up(story.pending)

    assert costs(story) == {"hashed": 1, "written out": 1}


def test_a_decision_in_steps_hashes_the_spec_once() -> None:
    story = SteppingStory(stepped_spec())
    story.goes_on()
    story.serves()
    story.wishes(rayClusterConfig=cluster_of("2.47.0"))
    story.goes_on()
    story.head_comes_up(story.pending)

    assert costs(story) == {"hashed": 1, "written out": 1}


def test_clusters_are_told_apart_by_their_stamps() -> None:
    story = ready(service_spec())
    old = story.active
    assert kin(story) == ([old], [])
    story.wishes(rayClusterConfig=cluster_spec(group("small", 1), group("more", 1)))
    assert kin(story) == ([], [old])
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()

    assert kin(story) == ([story.pending], [])
    wished = stamps_of(other_version(), story.context.settings.manifests)
    assert lineage(story).stamps[HASH] == wished[HASH]
