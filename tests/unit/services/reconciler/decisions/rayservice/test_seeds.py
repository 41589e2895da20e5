"""Stories of a RayService by chance, held to the laws; both kinds of upgrades in turn.

More by hand: `python -m tests.support.servicemodel --seeds 2000`.
"""

from datetime import timedelta

import pytest

from services.reconciler.decisions.rayservice import clusters, shares
from tests.support.serviceseeds import play, play_all

SEEDS = 60
PART = 10
FOUND = (105, 145, 173, 627)
"""Seeds that found something; what they found is told in `test_stepping_losses`."""
EARLY, HASTY = 4, 5
"""Seeds whose stories see a cluster go, and a step of traffic."""


@pytest.mark.parametrize("first", range(0, SEEDS, PART))
def test_no_chance_breaks_a_law(first: int) -> None:
    met, broken = play_all(range(first, first + PART))

    assert broken == []
    assert met["True NonZeroServeEndpoints"] > PART


def test_what_chance_found_stays_mended() -> None:
    assert play_all(FOUND)[1] == []


def test_a_seed_tells_the_same_story_again() -> None:
    assert play(5) == play(5)


def test_a_cluster_that_goes_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "DELAY", timedelta(seconds=30))
    [problem] = play_all([EARLY])[1]

    assert problem.startswith("NewCluster: 34: it was deleted early: seed ")


def test_steps_that_come_early_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "interval", lambda _: timedelta(seconds=3))
    [problem] = play_all([HASTY])[1]

    assert problem.startswith("incremental: 33: ")
