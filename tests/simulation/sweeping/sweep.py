"""One trouble at one moment of one story: what became of it, and whether it may be so."""

from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from tests.simulation.comparing import differing
from tests.simulation.endings import Ending
from tests.simulation.process import Process
from tests.simulation.run import Verdict, run_plan
from tests.simulation.sweeping.moments import Moment, Moments, Trouble, nothing
from tests.simulation.sweeping.stories import STORIES
from tests.simulation.sweeping.troubles import TROUBLES, users_do
from tests.simulation.world import World


class Case(Struct, frozen=True, kw_only=True):
    """A trouble that comes at one moment of a story."""

    story: str
    trouble: str
    moment: int
    """From 1 on."""

    def __str__(self) -> str:
        return f"{self.story}, moment {self.moment}: {self.trouble}"


class Undisturbed(Struct, frozen=True):
    """A story without trouble."""

    moments: tuple[Moment, ...]
    endings: dict[str, Ending]


@cache
def undisturbed(story: str) -> Undisturbed:
    """Tell a story without trouble."""
    verdict, moments = _run(story, 0, nothing)
    if verdict.violations:
        raise AssertionError(f"{story} goes wrong by itself: {verdict.violations}")
    return Undisturbed(moments, verdict.endings)


def cases_of(story: str, every: int = 1) -> Iterator[Case]:
    """Yield what can befall a story, at one moment of so many; other ones for other troubles."""
    count = len(undisturbed(story).moments)
    for turn, trouble in enumerate((*TROUBLES, *STORIES[story].changes)):
        for moment in range(1 + turn % every, count + 1, every):
            yield Case(story=story, trouble=trouble, moment=moment)


def wrongs_of(case: Case) -> tuple[str, ...]:
    """Tell what must never be, and what ended otherwise although only something broke."""
    verdict, _ = _run(case.story, case.moment, _trouble(case))
    if verdict.violations or case.trouble not in TROUBLES:
        return verdict.violations
    return tuple(differing(verdict.endings, undisturbed(case.story).endings))


def told(case: Case) -> list[str]:
    """Tell the whole story of a case."""
    verdict, _ = _run(case.story, case.moment, _trouble(case))
    return list(verdict.story.lines())


def _trouble(case: Case) -> Trouble:
    breaks, changes = TROUBLES.get(case.trouble), STORIES[case.story].changes
    return users_do(*changes[case.trouble]) if breaks is None else _in_bad_weather(breaks)


def _in_bad_weather(trouble: Trouble) -> Trouble:
    """Let invariants know that something is broken meanwhile."""

    async def breaking(world: World, process: Process) -> None:
        with world.weather.trouble(world.server.clock.now):
            await trouble(world, process)

    return breaking


def _run(story: str, moment: int, trouble: Trouble) -> tuple[Verdict, tuple[Moment, ...]]:
    watched: list[Moments] = []

    def prepare(world: World) -> None:
        watched.append(Moments(world, moment, trouble))

    plan = STORIES[story].plan
    verdict = run_plan(STORIES[story].world, plan, prepare)
    return verdict, tuple(watched[0].seen)
