"""The pages about the states of RayJobs and RayServices say what the tables say."""

from pathlib import Path

import pytest

from services.status.conditions.rayjob.table import TABLE
from services.status.conditions.rayservice.table import TABLE as SERVICE_TABLE
from tools.generate_states import main, pages, service_ways, stale, ways

JOBS, SERVICES = "rayjob-states.md", "rayservice-states.md"


def test_the_pages_about_states_are_fresh() -> None:
    assert stale() == []


@pytest.mark.parametrize(("name", "word"), [(JOBS, "Running"), (SERVICES, "Upgrading")])
def test_a_page_that_was_changed_by_hand_is_found(tmp_path: Path, name: str, word: str) -> None:
    for each, text in pages().items():
        (tmp_path / each).write_text(text, encoding="utf-8")
    assert stale(tmp_path) == []
    changed = pages()[name].replace(word, "Walking")
    (tmp_path / name).write_text(changed, encoding="utf-8")

    assert stale(tmp_path) == [name]


def test_the_page_of_jobs_has_every_state_and_every_way() -> None:
    lines = pages()[JOBS].splitlines()
    told = [
        (phase or "New", to or "New") for phase, out in TABLE.items() for w in out for to in w.to
    ]

    assert [way for way in told if f"    {way[0]} --> {way[1]}" not in lines] == []
    assert [way for way in ways() if f"| {' | '.join(way)} |" not in lines] == []


def test_the_page_of_services_has_every_state_and_every_way() -> None:
    lines = pages()[SERVICES].splitlines()
    told = [(state, way.to) for state, out in SERVICE_TABLE.items() for way in out]

    assert [way for way in told if f"    {way[0]} --> {way[1]}" not in lines] == []
    assert [way for way in service_ways() if f"| {' | '.join(way)} |" not in lines] == []


def test_fresh_pages_are_no_reason_to_complain() -> None:
    assert main(["--check"]) == 0
