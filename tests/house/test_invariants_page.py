"""Every invariant of the architecture page has a judge in the simulation, and each is told."""

import re

from tests.house.sources import HOME

JUDGES = HOME / "tests" / "simulation" / "invariants"
PAGE = HOME / "docs" / "architecture.md"
TABLE = HOME / "docs" / "internals" / "simulation.md"
NO_JUDGES = {"__init__", "everything", "invariant", "judges"}
ROW = re.compile(r"^\| ([\d, ]+) \| (.+) \|$", re.MULTILINE)
COMPLAINT = re.compile(r"(?:yield|assert|from).*\"(?:\{who\}: |service \{[^}]*\}: )?(\d+): ")


def listed() -> list[int]:
    """Return the numbers of the invariants that the architecture page lists."""
    _, _, rest = PAGE.read_text().partition("\n## Invariants\n")
    section, _, _ = rest.partition("\n## ")
    return [int(number) for number in re.findall(r"^(\d+)\. [SL] ", section, re.MULTILINE)]


def judged() -> dict[int, str]:
    """Return who judges which, as the page of the simulation tells."""
    rows = ROW.findall(TABLE.read_text())
    return {int(one): judges for numbers, judges in rows for one in numbers.split(",")}


def test_invariants_are_numbered_one_after_the_other() -> None:
    assert listed() == list(range(1, len(listed()) + 1))


def test_every_invariant_has_a_judge() -> None:
    assert sorted(judged()) == listed()


def test_every_judge_is_told_and_there() -> None:
    told = {name for judges in judged().values() for name in re.findall(r"`(\w+)`", judges)}
    there = {path.stem for path in JUDGES.glob("*.py")} - NO_JUDGES

    assert told == there


def test_complaints_begin_with_the_number_of_an_invariant() -> None:
    laws = [*JUDGES.glob("*.py"), *(HOME / "tests" / "support").glob("*laws.py")]
    numbers = {int(one) for path in laws for one in COMPLAINT.findall(path.read_text())}

    assert len(numbers) > len(listed()) / 3
    assert numbers <= set(listed())
