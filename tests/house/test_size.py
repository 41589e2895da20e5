"""Nothing grows past a screen or two: files, functions, and what a function takes."""

import ast
from pathlib import Path

import pytest

from tests.house.sources import CODE, Function, files, functions, name

PARAMETERS_MAX = 6
KINDS = pytest.mark.parametrize(
    ("paths", "lines_max", "body_max"),
    [(files(*CODE), 300, 40), (files("tests"), 400, 30)],
    ids=["code", "tests"],
)


def body_lines(function: Function) -> int:
    """Count a function's lines without its docstring and decorators."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    documented = ast.get_docstring(function) is not None
    return lines - ((first.end_lineno or 0) - first.lineno + 1 if documented else 0)


def parameters(function: Function) -> int:
    taken = function.args
    every = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
    return len([parameter for parameter in every if parameter.arg not in {"self", "cls"}])


@KINDS
def test_no_file_outgrows_its_limit(paths: list[Path], lines_max: int, body_max: int) -> None:
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}

    assert {file: lines for file, lines in lengths.items() if lines > lines_max} == {}


@KINDS
def test_no_function_outgrows_its_limit(paths: list[Path], lines_max: int, body_max: int) -> None:
    long = [
        f"{name(path)}: {function.name} has {body_lines(function)} lines"
        for path in paths
        for function in functions(path)
        if body_lines(function) > body_max
    ]

    assert long == []


def test_no_function_takes_too_many_parameters() -> None:
    greedy = [
        f"{name(path)}: {function.name} takes {parameters(function)}"
        for path in files(*CODE)
        for function in functions(path)
        if parameters(function) > PARAMETERS_MAX
    ]

    assert greedy == []
