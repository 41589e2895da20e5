"""Every item of a checklist is shown by a test, and the pages say by which."""

from pathlib import Path

import pytest

from tests.house.sources import HOME
from tools.generate_checklists import (
    CHECKLISTS,
    KINDS,
    Shown,
    is_fresh,
    items_of,
    marks_in,
    page,
    pages,
    shown_by_kind,
    shown_in,
)

HERE = [kind for kind in KINDS if (CHECKLISTS / f"{kind}.txt").is_file()]


@pytest.mark.parametrize("kind", HERE)
def test_every_item_is_shown_by_a_test(kind: str) -> None:
    items, tests = items_of(kind), shown_by_kind()[kind]

    assert {number: line for number, line in items.items() if number not in tests} == {}
    assert {number: tests[number] for number in tests if number not in items} == {}


@pytest.mark.parametrize("kind", HERE)
def test_items_are_numbered_from_one_without_a_gap(kind: str) -> None:
    assert list(items_of(kind)) == list(range(1, len(items_of(kind)) + 1))


def test_the_pages_are_fresh() -> None:
    stale = [
        str(path.relative_to(HOME)) for path, text in pages().items() if not is_fresh(path, text)
    ]

    assert stale == []


def test_marks_are_read_one_by_one_in_lists_and_in_spans() -> None:
    told = "Checklist 3: this. RayJob checklist 4, 9 and 11-13: that. RayCronJob checklist 2."

    assert list(marks_in(told)) == [
        ("raycluster", 3),
        ("rayjob", 4),
        ("rayjob", 9),
        ("rayjob", 11),
        ("rayjob", 12),
        ("rayjob", 13),
        ("raycronjob", 2),
    ]


def test_a_mark_of_the_module_counts_for_each_of_its_tests(tmp_path: Path) -> None:
    path = tmp_path / "test_some.py"
    path.write_text('"""Checklist 1."""\ndef test_a(): ...\ndef test_b():\n    "Checklist 2"\n')

    found = {(number, shown.name) for _, number, shown in shown_in(path, tmp_path)}

    assert found == {(1, "test_a"), (1, "test_b"), (2, "test_b")}


def test_a_page_names_the_shown_by_kind_each_item() -> None:
    told = page("rayjob", {1: "It runs"}, {1: [Shown("tests/test_a.py", "test_it_runs")]})

    assert told.splitlines()[-1] == "| 1 | It runs | [it runs](../../../tests/test_a.py) |"
