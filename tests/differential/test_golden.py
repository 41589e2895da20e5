"""Heliograph does what KubeRay did when it was recorded, but for what is explained.

A share of the stories is played under Heliograph on the sandbox; it needs neither Go nor a control
plane. The whole book: `docs/internals/differential.md`.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.differential import golden
from tests.differential.book import stories
from tests.differential.comparing import Telling
from tests.differential.explained import EVERY
from tests.differential.features import FEATURES
from tests.differential.judging import gathered, judge
from tests.differential.playing import played_on
from tests.differential.sides import heliograph
from tests.differential.stories import Story

pytestmark = pytest.mark.xdist_group("differential")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "differences.md"
EVERY_SO_MANYTH = 11
"""The share of variants that is played here; every feature has a part in it."""
JOBS = ("-plain", "-badly", "-rules", "suspended", "selecting", "interactive", "wrong")
CHOSEN: dict[str, Callable[[int, Story], bool]] = {
    "serves": lambda _, __: True,
    "jobs": lambda _, story: any(word in story.name for word in JOBS),
    "clusters": lambda _, __: True,
    "crons": lambda _, __: True,
    "variants": lambda number, _: number % EVERY_SO_MANYTH == 0,
}
"""Which stories of each family are played; those that take longest begin first."""


def share() -> list[Story]:
    """Return the stories that are played here."""
    return [
        story
        for family, fits in CHOSEN.items()
        for number, story in enumerate(each for each in stories() if each.family == family)
        if fits(number, story)
    ]


def test_the_share_has_every_feature_and_every_kind() -> None:
    names = [story.name for story in share()]

    assert [one for one in FEATURES if not any(f"-{one}" in name for name in names)] == []
    assert {name.partition("-")[0] for name in names} == {"cluster", "cron", "serve", "job", "with"}


def test_every_story_is_recorded_step_by_step() -> None:
    recorded = {
        name: [each.step for each in told]
        for family in golden.families()
        for name, told in golden.read(family).stories.items()
    }
    told = {story.name: [step.name for step in story.steps] for story in stories()}

    assert {name: recorded.get(name) for name in told} == told


def test_every_explanation_points_to_words_on_the_page_of_differences() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert [each.name for each in EVERY if each.page not in page] == []
    assert len({each.name for each in EVERY}) == len(EVERY)


@pytest.mark.timeout(480)
async def test_nothing_differs_that_is_not_explained(tmp_path: Path) -> None:
    ended: list[str] = []

    def told(name: str, _: list[Telling]) -> None:
        ended.append(name)

    chosen = share()
    with heliograph(tmp_path, "sandbox") as side:
        ours = await played_on(side.here.kubeconfig, side.scrape, chosen, told)

    verdict = judge(ours)
    print(verdict.told())
    assert sorted(ended) == sorted(story.name for story in chosen)
    assert [each.told() for each, _ in gathered(verdict.unexplained)] == []
