"""Pages made from code say what the code says."""

from pathlib import Path

from tests.house.sources import HOME
from tools.generate_reference import PAGES, stale, write


def test_the_reference_pages_are_fresh() -> None:
    assert stale(HOME / "docs" / "reference") == []


def test_a_page_that_was_changed_by_hand_is_found(tmp_path: Path) -> None:
    write(tmp_path)
    first = next(iter(PAGES))
    (tmp_path / first).write_text("changed", encoding="utf-8")

    assert stale(tmp_path) == [first]
