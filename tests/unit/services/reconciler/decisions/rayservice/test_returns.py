"""A RayService that is wished back at every moment of either kind of upgrade ends like A."""

import pytest

from services.reconciler.decisions.rayservice import clusters
from tests.support.builders import Raw
from tests.support.rayservices import other_version, service_spec
from tests.support.servicelaws import LawfulStory
from tests.support.servicemoves import FIRST
from tests.support.servicereturns import there_and_back
from tests.support.steppinglaws import LawfulSteps
from tests.support.steppingstory import cluster_of, stepped_spec

A, B = cluster_of("2.46.0"), cluster_of("2.47.0")


def serving(story: LawfulStory) -> LawfulStory:
    story.goes_on()
    story.serves()
    return story


@pytest.mark.parametrize(
    ("story", "first", "other", "least"),
    [
        pytest.param(LawfulStory(service_spec()), FIRST, other_version(), 20, id="NewCluster"),
        pytest.param(LawfulSteps(stepped_spec()), A, B, 50, id="incremental"),
    ],
)
def test_there_and_back_at_every_moment(
    story: LawfulStory, first: Raw, other: Raw, least: int
) -> None:
    """RayService checklist 77: also between any two parts of anybody's work."""
    moments = there_and_back(serving(story), first, other)

    assert len(moments) >= least
    assert any("dangling" in one for one in moments), "the first cluster's stay ends, too"


def test_a_second_cluster_that_is_never_dropped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "reverted", lambda _: False)

    with pytest.raises(AssertionError, match=r"^3[56]: "):
        there_and_back(serving(LawfulStory(service_spec())), FIRST, other_version())
