"""Every module says what it is, and a package's door holds nothing but that."""

import ast
from pathlib import Path

from tests.house.sources import CODE, HOME, PACKAGES, files, name, tree

DOORS = [path for path in files(*PACKAGES) if path.name == "__init__.py"]
FRONT_DOOR = HOME / "heliograph" / "__init__.py"


def tells_what_it_is(path: Path) -> bool:
    """Say whether a module opens with a whole sentence."""
    first, *_ = (ast.get_docstring(tree(path)) or "").split("\n\n")
    return first.endswith((".", ":", "?", "!")) and not first.lower().startswith("this module")


def holdings(door: Path) -> list[str]:
    """Return what a package's door holds besides its docstring."""
    others = [node for node in tree(door).body if not isinstance(node, ast.Expr)]
    return [ast.unparse(other).split(" = ")[0] for other in others]


def test_every_module_opens_with_a_whole_sentence() -> None:
    assert [name(path) for path in files(*CODE, "tests") if not tells_what_it_is(path)] == []


def test_a_package_door_holds_a_docstring_only() -> None:
    full = {name(door): holdings(door) for door in DOORS if holdings(door)}

    assert full == {name(FRONT_DOOR): ["__version__"]}


def test_every_folder_of_code_is_a_package() -> None:
    folders = {path.parent for path in files(*PACKAGES)}

    assert (
        sorted(name(folder) for folder in folders if not (folder / "__init__.py").is_file()) == []
    )
