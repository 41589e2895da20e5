"""Names say what a thing is; some words never do."""

import ast
from pathlib import Path

from tests.house.sources import CODE, HOME, PACKAGES, files, functions, name, tree

EMPTY_WORDS = frozenset(
    {
        *("base", "common", "misc", "util", "utils", "helper", "helpers"),
        *("handler", "handlers", "manager", "managers", "processor", "processors"),
    }
)
TESTS = [path for path in files("tests") if path.name.startswith("test_")]


def words(path: Path) -> set[str]:
    return {word for part in Path(name(path)).with_suffix("").parts for word in part.split("_")}


def is_a_sentence(test: str) -> bool:
    return "_should_" not in test and test.count("_") > 1


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [name(path) for path in files(*CODE, "tests") if words(path) & EMPTY_WORDS] == []


def test_no_class_has_a_name_that_says_nothing() -> None:
    endings = tuple(word.capitalize() for word in EMPTY_WORDS)
    classes = {
        node.name: name(path)
        for path in files(*PACKAGES)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    }

    assert {each: where for each, where in classes.items() if each.endswith(endings)} == {}


def test_every_test_is_named_by_a_sentence() -> None:
    names = [(each.name, name(path)) for path in TESTS for each in functions(path)]
    tests = [(each, where) for each, where in names if each.startswith("test_")]

    assert [(each, where) for each, where in tests if not is_a_sentence(each)] == []


def test_unit_tests_stand_where_their_sources_stand() -> None:
    unit = HOME / "tests" / "unit"
    folders = {path.parent.relative_to(unit) for path in TESTS if unit in path.parents}

    assert sorted(str(folder) for folder in folders if not (HOME / folder).is_dir()) == []
