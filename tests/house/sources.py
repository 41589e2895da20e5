"""The project's own files, as the house tests see them."""

import ast
from collections.abc import Iterator
from configparser import ConfigParser
from functools import cache
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
PACKAGES = ("heliograph", "services", "shared", "sandbox")
CODE = (*PACKAGES, "tools", "benchmarks")
NOT_OURS = frozenset({"__pycache__", "node_modules", "build", "dist"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


def files(*folders: str, ending: str = ".py") -> list[Path]:
    """Return the files under some folders of the house, in order."""
    return sorted(
        path
        for folder in folders
        for path in (HOME / folder).rglob(f"*{ending}")
        if not NOT_OURS & set(path.parts)
    )


def everything(ending: str) -> list[Path]:
    """Return the files of the whole house, hidden folders left out."""
    seen = [path for path in HOME.iterdir() if not path.name.startswith(".")]
    here = [path for path in seen if path.is_file() and path.name.endswith(ending)]
    return sorted([*here, *files(*(path.name for path in seen if path.is_dir()), ending=ending)])


def name(path: Path) -> str:
    """Return a path as a person would say it."""
    return path.relative_to(HOME).as_posix()


def module(path: Path) -> str:
    """Return the name a file is imported under."""
    parts = path.relative_to(HOME).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    """Parse a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[Function]:
    """Yield every function of a file, also the inner ones."""
    return (node for node in ast.walk(tree(path)) if isinstance(node, Function))


def pure_modules() -> list[str]:
    """Return what `.importlinter` declares to be the pure core."""
    contracts = ConfigParser()
    contracts.read(HOME / ".importlinter", encoding="utf-8")
    return contracts["importlinter:contract:pure"]["source_modules"].split()


def pure_files() -> list[Path]:
    """Return the files of the pure core."""
    places = [HOME / module.replace(".", "/") for module in pure_modules()]
    inside = files(*(name(place) for place in places if place.is_dir()))
    alone = [place.with_suffix(".py") for place in places if not place.is_dir()]
    return [*inside, *alone]
