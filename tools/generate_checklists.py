"""Write docs/internals/checklists from the checklists and the tests that carry their marks.

    python -m tools.generate_checklists            write the pages
    python -m tools.generate_checklists --check    exit 1 if one is stale

A checklist is `tests/checklists/KIND.txt`: a number and a line for each item. A test shows an item
by a mark in its docstring, or in that of its module: `Checklist 3, 7: ...` for a RayCluster,
`RayJob checklist 3: ...` and the like for the others. A kind without a
checklist has no page. `tests/house/test_checklists.py` holds the pages fresh and every item shown.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

HOME = Path(__file__).resolve().parents[1]
CHECKLISTS = HOME / "tests" / "checklists"
PAGES = HOME / "docs" / "internals" / "checklists"
TESTS = HOME / "tests"
KINDS = {
    "raycluster": "RayCluster",
    "rayjob": "RayJob",
    "rayservice": "RayService",
    "raycronjob": "RayCronJob",
}
_ITEM = re.compile(r"^(\d+)[.:]?\s+(.*\S)\s*$")
_MARK = re.compile(r"(?:\b(Ray\w+)\s+)?\b[Cc]hecklist\s+(\d+(?:\s*(?:,|and|-)\s*\d+)*)")
_NUMBERS = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")
_NOTE = "<!-- Made by tools/generate_checklists.py from tests/checklists. Run it again. -->"

Items = Mapping[int, str]


class Shown(Struct, frozen=True, order=True):
    """A test that shows an item: its file below the repository, and its name."""

    path: str
    name: str


Tests = Mapping[int, Sequence[Shown]]


def items_of(kind: str, folder: Path = CHECKLISTS) -> Items:
    """Return the items of a checklist by number; none if there is no checklist."""
    path = folder / f"{kind}.txt"
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    found = (_ITEM.match(line) for line in lines if not line.startswith("#"))
    return {int(item[1]): item[2] for item in found if item}


def marks_in(docstring: str) -> Iterator[tuple[str, int]]:
    """Yield kind and number of every item that a docstring names."""
    for owner, numbers in _MARK.findall(docstring):
        kind = owner.lower() or "raycluster"
        for first, last in _NUMBERS.findall(numbers):
            yield from ((kind, number) for number in range(int(first), int(last or first) + 1))


def shown_in(path: Path, home: Path = HOME) -> Iterator[tuple[str, int, Shown]]:
    """Yield kind, item and test for every mark in one test file."""
    source = path.read_text(encoding="utf-8")
    if "hecklist " not in source:
        return
    tree = ast.parse(source)
    place = path.relative_to(home).as_posix()
    whole = list(marks_in(ast.get_docstring(tree) or ""))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_test(node.name):
            told = Shown(place, node.name)
            for kind, number in {*whole, *marks_in(ast.get_docstring(node) or "")}:
                yield kind, number, told


def _is_test(name: str) -> bool:
    return name.startswith("test_")


def shown_by_kind(folder: Path = TESTS, home: Path = HOME) -> Mapping[str, Tests]:
    """Return the tests of every item, by kind and number."""
    found: dict[str, dict[int, list[Shown]]] = {kind: {} for kind in KINDS}
    for path in sorted(folder.rglob("test_*.py")):
        for kind, number, shown in shown_in(path, home):
            found.setdefault(kind, {}).setdefault(number, []).append(shown)
    return {
        kind: {number: sorted(tests) for number, tests in numbers.items()}
        for kind, numbers in found.items()
    }


def page(kind: str, items: Items, tests: Tests) -> str:
    """Return the page of one kind: each item and the tests that show it."""
    head = [
        f"# Checklist of a {KINDS[kind]}",
        "",
        _NOTE,
        "",
        f"{len(items)} items, each with the tests that show it.",
        "",
        "| Item | What must hold | Shown by |",
        "| --- | --- | --- |",
    ]
    rows = [
        f"| {number} | {line} | {'<br>'.join(map(_link, tests.get(number, ())))} |"
        for number, line in sorted(items.items())
    ]
    return "\n".join((*head, *rows, ""))


def _link(shown: Shown) -> str:
    words = shown.name.removeprefix("test_").replace("_", " ")
    return f"[{words}](../../../{shown.path})"


def pages() -> dict[Path, str]:
    """Return every page by its place."""
    tests = shown_by_kind()
    return {
        PAGES / f"{kind}.md": page(kind, items, tests[kind])
        for kind in KINDS
        if (items := items_of(kind))
    }


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    made = pages()
    if arguments == ["--check"]:
        stale = [path for path, text in made.items() if not is_fresh(path, text)]
        for path in stale:
            print(f"{path.relative_to(HOME)} is stale: run python -m tools.generate_checklists")
        return 1 if stale else 0
    PAGES.mkdir(parents=True, exist_ok=True)
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    return 0


def is_fresh(path: Path, text: str) -> bool:
    """Whether a page says what it should."""
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
