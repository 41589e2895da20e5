"""Words that have no place in the house, and calls that stand in one place only."""

import ast
import re
from pathlib import Path

from tests.house.sources import CODE, HOME, PACKAGES, everything, files, name, tree

ENDINGS = (".py", ".md", ".yaml", ".yml", ".toml", ".lock", ".ini", ".sh", ".txt", ".json")
PLAIN = ("Makefile", ".importlinter", ".pre-commit-config.yaml", ".ci/run", "tools/check")
TEXTS = sorted(
    {path for ending in ENDINGS for path in everything(ending)}
    | {HOME / each for each in PLAIN if (HOME / each).is_file()}
)
# Spelled in pieces, so that this file does not hold what it forbids.
PLACES = "|".join(("/wor" + r"k\b", "/roo" + r"t\b", "/hom" + r"e/\w"))
HOSTS = "|".join(
    (r"py" + r"pi\.org", r"python" + r"hosted", r"npm" + r"js\.", r"--(extra-)?index" + "-url")
)
FORBIDDEN = re.compile(rf"(?<![\w.$\}}])({PLACES})|({HOSTS})")
LOG_CALLS = {"debug", "info", "warning", "error", "exception", "critical", "log"}
CATCH_ALL = {"", "Exception", "BaseException"}
BUILT = (ast.JoinedStr, ast.BinOp, ast.Call)
SUPERVISION = "shared/runtime/supervision.py"


def log_messages(path: Path) -> list[ast.expr]:
    """Return the sentence of each log call in a file."""
    calls = (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call))
    return [
        call.args[0]
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in LOG_CALLS
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in {"log", "logger", "logging"}
        and call.args
    ]


def caught(path: Path) -> set[str]:
    """Return what the `except` clauses of a file catch; an empty name for a bare one."""
    clauses = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ExceptHandler)]
    types = [clause.type for clause in clauses]
    each = [one for kind in types for one in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
    return {"" if one is None else ast.unparse(one) for one in each}


def test_no_file_speaks_of_a_machine_or_a_registry() -> None:
    told = [
        f"{name(path)}:{number}: {line[:100]}"
        for path in TEXTS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if FORBIDDEN.search(line)
    ]

    assert told == []


def test_no_log_line_is_built_from_pieces() -> None:
    built = [
        f"{name(path)}: {ast.unparse(message)}"
        for path in files(*PACKAGES)
        for message in log_messages(path)
        if isinstance(message, BUILT)
    ]

    assert built == []


def test_only_the_supervisor_catches_everything() -> None:
    wide = {name(path): caught(path) & CATCH_ALL for path in files(*CODE, "tests")}

    assert {file: kinds for file, kinds in wide.items() if kinds} == {SUPERVISION: {"Exception"}}
