"""There and back: a RayService that is upgraded from A to B, and wished back at every moment.

An upgrade is told part by part: after each part of anybody's work the user may change their mind.
From there on the world is kind. It must end like A: served by one cluster of A, which is the first
one unless that one had already been replaced, with nothing else left once its delay has passed.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from shared.actions.objects import CreateObject
from tests.support.builders import Raw
from tests.support.foldedhistory import branch
from tests.support.modelling import told
from tests.support.servicelaws import DELAY, LawfulStory, ends
from tests.support.servicestory import ROUNDS_MAX

STAY_MAX = DELAY + timedelta(seconds=11)
"""How long a cluster stays that nobody needs; a head that comes up meanwhile takes 11 seconds."""
TICKS = 30
"""Ten seconds each: longer than the longest upgrade, and the delay after it."""


def moments(story: LawfulStory, other: Raw) -> Iterator[str]:
    """Upgrade a story that serves, and stop after each part of the work; say where."""
    story.wishes(rayClusterConfig=other)
    yield "wished"
    yield from _settles(story, "begins")
    story.head_comes_up(story.pending)
    yield from _settles(story, "has a head")
    story.apps_are("RUNNING")
    yield from _settles(story, "runs")
    for tick in range(TICKS):
        story.passes(10)
        yield from _timers(story, f"after {10 * (tick + 1)} s")


def _settles(story: LawfulStory, when: str) -> Iterator[str]:
    parts = (
        story.endpoints_follow,
        story.status_tells,
        story.reconciler_decides,
        story.asker_asks,
    )
    for _ in range(ROUNDS_MAX):
        before = len(story.records)
        for part in parts:
            known = len(story.records)
            part()
            if len(story.records) > known:
                yield f"{when}: {part.__name__}"
        if len(story.records) == before:
            return


def _timers(story: LawfulStory, when: str) -> Iterator[str]:
    view = story.view()
    due = [one.name for one in story.act.timers if one.due_at <= story.now]
    for name in due:
        if name not in view.woken:
            story.fires(story.act, name)
            yield f"{when}: {name} fires"
            yield from _settles(story, when)
            return


def comes_back(story: LawfulStory, original: str, first: Raw) -> None:
    """Wish a story back to the spec of its original cluster; it must end like A."""
    made = _made(story)
    serves = story.active == original and story.led_to(original)
    story.wishes(rayClusterConfig=first)
    ends(story)
    kept = story.active == original
    assert kept or not serves, "36: a cluster of A that served was given up"
    assert _made(story) - made == (not kept), "35: more clusters were made than needed"
    late = {name for name, gone in story.removed.items() if gone > story.left[name] + STAY_MAX}
    assert not late, f"34: {sorted(late)} stayed too long"


def _made(story: LawfulStory) -> int:
    return sum(one.kind == "raycluster" for one in story.done if isinstance(one, CreateObject))


def there_and_back(story: LawfulStory, first: Raw, other: Raw) -> list[str]:
    """Go back at every moment of an upgrade; return the moments."""
    met, original = list[str](), story.active
    for when in moments(story, other):
        met.append(when)
        told(partial(comes_back, branch(story), original, first), (*met[-3:],))
    assert (story.pending, len(story.clusters)) == ("", 1), "36: the upgrade itself does not end"
    return met
