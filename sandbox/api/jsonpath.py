r"""The JSONPath of printer columns: `.status.x`, `[0]`, `[*]`, `['a.b']`, `[?(@.type=="Ready")]`.

Pure. A path is read once into steps; each step takes the values found so far to the next ones. What
is absent is simply not found: a column then stays empty.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

Step: TypeAlias = Callable[[Any], Iterator[Any]]

TOKEN = re.compile(
    r"""\.(?P<field>(?:\\.|[^.\[\\])+)
      | \[\?\(@\.(?P<test>[^=!\]]+?)\s*(?P<operator>==|!=)\s*["']?(?P<value>[^"')]*)["']?\)\]
      | \[(?P<index>-?\d+)\]
      | \[(?P<all>\*)\]
      | \[["'](?P<key>[^"']+)["']\]""",
    re.VERBOSE,
)


def found(path: str, value: Any) -> list[Any]:
    """Return everything the path leads to."""
    values = [value]
    for step in _steps(path):
        values = [after for before in values for after in step(before)]
    return values


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[Step, ...]:
    text = path.strip().removeprefix("{").removesuffix("}").removeprefix("$")
    text = text if text.startswith((".", "[")) else f".{text}"
    return tuple(_read(text))


def _read(text: str) -> Iterable[Step]:
    position = 0
    while position < len(text):
        token = TOKEN.match(text, position)
        if token is None:
            yield _nothing
            return
        position = token.end()
        yield _step(token)


def _step(token: re.Match[str]) -> Step:
    if token["field"] is not None:
        return _field(re.sub(r"\\(.)", r"\1", token["field"]))
    if token["key"] is not None:
        return _field(token["key"])
    if token["index"] is not None:
        return _index(int(token["index"]))
    if token["test"] is not None:
        return _filter(token["test"], token["value"], equal=token["operator"] == "==")
    return _every


def _nothing(_: Any) -> Iterator[Any]:
    return iter(())


def _field(name: str) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and value.get(name) is not None:
            yield value[name]

    return step


def _index(index: int) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list) and -len(value) <= index < len(value):
            yield value[index]

    return step


def _every(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        yield from value.values()


def _filter(path: str, wanted: str, *, equal: bool) -> Step:
    def step(value: Any) -> Iterator[Any]:
        for item in value if isinstance(value, list) else ():
            held = found(f".{path}", item)
            if (bool(held) and str(held[0]) == wanted) is equal:
                yield item

    return step
