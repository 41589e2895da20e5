"""Whatever befalls a story at any moment: a share of them, and those that once went wrong."""

from collections import Counter

import pytest

from tests.simulation.sweeping.stories import STORIES
from tests.simulation.sweeping.sweep import Case, cases_of, told, undisturbed, wrongs_of
from tests.simulation.sweeping.troubles import TROUBLES

EVERY = 120
"""One moment of so many belongs to the suite: other ones for other troubles."""
KINDS = ("record", "acknowledge", "arm", "create", "patch", "delete")
SOON = 6
"""Within so many lines of the story a trouble comes."""
ENDED = (
    ("a job beside its head", ".rayjob.default.train.life.succeeded"),
    ("a job over HTTP", ".rayjob.default.train.life.succeeded"),
)


def moment_of(story: str, end: str) -> int:
    """Return the number of the first moment whose deed ends so."""
    moments = undisturbed(story).moments
    return next(n for n, one in enumerate(moments, 1) if one.what.endswith(end))


@pytest.mark.parametrize("story", STORIES)
def test_nothing_that_befalls_a_story_at_some_moment_breaks_a_promise(story: str) -> None:
    wrong = {str(case): wrongs for case in cases_of(story, EVERY) if (wrongs := wrongs_of(case))}

    assert wrong == {}


@pytest.mark.parametrize(("story", "end"), ENDED)
def test_an_end_that_was_told_as_the_log_was_lost_is_told_again(story: str, end: str) -> None:
    """Status waited to read what the lost log had taken: the cluster of an ended job stayed.

    An answer may come from a log that is another one by then, without a new connection.
    """
    case = Case(story=story, trouble="the log is lost", moment=moment_of(story, end))

    assert wrongs_of(case) == ()


def test_whoever_decides_on_a_new_log_tells_it_the_settings() -> None:
    """Settings were recorded once in a connection: acts on a new log could not be replayed."""
    case = Case(
        story="a cluster",
        trouble="the log is lost",
        moment=moment_of("a cluster", ".raycluster.default.alpha.res"),
    )

    assert wrongs_of(case) == ()


def test_moments_are_of_every_kind() -> None:
    seen = Counter(
        one.what.partition(" ")[0] for story in STORIES for one in undisturbed(story).moments
    )

    assert all(seen[kind] for kind in KINDS)


def test_every_trouble_comes_and_is_told() -> None:
    for trouble in (*TROUBLES, *STORIES["a deletion"].changes):
        story = told(Case(story="a deletion", trouble=trouble, moment=20))
        struck = next(n for n, line in enumerate(story) if "had just done this" in line)

        assert any("===" in line for line in story[struck + 1 : struck + SOON]), trouble
