"""The page about validation says what the rules say."""

from pathlib import Path

from shared.validation.rules import RULES
from tests.house.sources import HOME
from tools.generate_validation import page, stale


def test_the_page_about_validation_is_fresh() -> None:
    assert not stale(HOME / "docs" / "reference" / "validation.md")


def test_a_page_that_was_changed_by_hand_is_found(tmp_path: Path) -> None:
    changed = tmp_path / "validation.md"
    changed.write_text(page().replace("RayCluster", "RayClutter"), encoding="utf-8")

    assert stale(changed)


def test_the_page_has_every_rule_once() -> None:
    lines = page().splitlines()

    assert [rule for rule in RULES if sum(f"| `{rule}`" in line for line in lines) != 1] == []
