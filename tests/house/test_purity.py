"""The core knows no network, clock, environment or chance: looked at in a running process.

`.importlinter` holds the same for the import graph; here nothing can hide behind a late import.
"""

import ast
import subprocess
import sys
from pathlib import Path

from tests.house.sources import HOME, module, name, pure_files, pure_modules, tree

WORLD = {"aiohttp", "asyncio", "http.client", "kubernetes", "nats", "random", "socket", "ssl"}
TOUCHING = WORLD | {"http", "os", "pathlib", "secrets", "subprocess", "threading", "time", "urllib"}
ASKING = {
    *("datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time"),
    *("uuid.uuid1", "uuid.uuid4", "os.environ", "os.getenv", "open", "input", "print"),
}
WORDS_ONLY = ("shared.kernel", "shared.events", "shared.actions", "shared.ports")
FOREIGN = ("jsonschema_rs", "pydantic", "pydantic_core")


def loaded_by(modules: list[str], *, after: tuple[str, ...] = ()) -> set[str]:
    """Import modules in a new process; return what of the world came with them."""
    program = (
        f"import importlib, sys\n"
        f"for each in {list(after)!r}: importlib.import_module(each)\n"
        f"before = set(sys.modules)\n"
        f"for each in {modules!r}: importlib.import_module(each)\n"
        f"print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return WORLD & {*done.stdout.split()}


def imports(path: Path) -> set[str]:
    """Return the roots of everything a file imports, wherever in it."""
    nodes = list(ast.walk(tree(path)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    sources = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {each.split(".")[0] for each in plain | sources}


def questions(path: Path) -> set[str]:
    """Return what a file asks the world, by name."""
    nodes = ast.walk(tree(path))
    asked = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute | ast.Name)}
    return {".".join(each.split(".")[-2:]) for each in asked} & ASKING


def test_the_words_of_the_log_load_nothing_of_the_world() -> None:
    words = [module(path) for path in pure_files() if module(path).startswith(WORDS_ONLY)]

    assert loaded_by(words) == set()


def test_the_core_loads_no_more_of_the_world_than_its_libraries_do() -> None:
    assert loaded_by([module(path) for path in pure_files()], after=FOREIGN) == set()


def test_the_core_asks_the_world_nothing() -> None:
    asked = {name(path): imports(path) & TOUCHING | questions(path) for path in pure_files()}

    assert {file: names for file, names in asked.items() if names} == {}


def test_every_pure_module_that_is_promised_exists() -> None:
    assert len(pure_modules()) == len(set(pure_modules()))
    assert [path for path in pure_files() if not path.is_file()] == []
