"""The page about the states of a RayJob says what the table says."""

from pathlib import Path

from services.status.conditions.rayjob.table import TABLE
from tests.house.sources import HOME
from tools.generate_states import main, page, stale, ways


def test_the_page_about_states_is_fresh() -> None:
    assert not stale(HOME / "docs" / "reference" / "rayjob-states.md")


def test_a_page_that_was_changed_by_hand_is_found(tmp_path: Path) -> None:
    changed = tmp_path / "rayjob-states.md"
    changed.write_text(page().replace("Running", "Walking"), encoding="utf-8")

    assert stale(changed)


def test_the_page_has_every_state_and_every_way() -> None:
    lines = page().splitlines()
    told = [
        (phase or "New", to or "New") for phase, out in TABLE.items() for w in out for to in w.to
    ]

    assert [way for way in told if f"    {way[0]} --> {way[1]}" not in lines] == []
    assert [way for way in ways() if f"| {' | '.join(way)} |" not in lines] == []


def test_a_fresh_page_is_no_reason_to_complain() -> None:
    assert main(["--check"]) == 0
