"""What Kubernetes adds to CEL: functions on lists, sets and texts.

Only what can be said with plain values: quantities, addresses, URLs and versions are types of their
own, which the library does not let us add. Read next: expressions.py.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

Signature = tuple[str, Callable[..., Any], str, Sequence[str]]


def _is_sorted(items: list[Any]) -> bool:
    return all(first <= second for first, second in pairwise(items))


def _index(items: list[Any], wanted: Any) -> int:
    return items.index(wanted) if wanted in items else -1


def _last_index(items: list[Any], wanted: Any) -> int:
    found = [index for index, item in enumerate(items) if item == wanted]
    return found[-1] if found else -1


def _find(text: str, pattern: str) -> str:
    found = re.search(pattern, text)
    return found.group() if found else ""


def _find_all(text: str, pattern: str) -> list[str]:
    return [found.group() for found in re.finditer(pattern, text)]


def _contains(items: list[Any], wanted: list[Any]) -> bool:
    return all(each in items for each in wanted)


def _equivalent(some: list[Any], others: list[Any]) -> bool:
    return _contains(some, others) and _contains(others, some)


def _intersects(some: list[Any], others: list[Any]) -> bool:
    return any(each in others for each in some)


MEMBERS: tuple[Signature, ...] = (
    ("isSorted", _is_sorted, "BOOL", ("LIST",)),
    ("sum", sum, "DYN", ("LIST",)),
    ("min", min, "DYN", ("LIST",)),
    ("max", max, "DYN", ("LIST",)),
    ("find", _find, "STRING", ("STRING", "STRING")),
    ("findAll", _find_all, "LIST", ("STRING", "STRING")),
)
FUNCTIONS: tuple[Signature, ...] = (
    ("sets.contains", _contains, "BOOL", ("LIST", "LIST")),
    ("sets.equivalent", _equivalent, "BOOL", ("LIST", "LIST")),
    ("sets.intersects", _intersects, "BOOL", ("LIST", "LIST")),
)
LIST_MEMBERS: tuple[Signature, ...] = (
    ("indexOf", _index, "INT", ("LIST", "DYN")),
    ("lastIndexOf", _last_index, "INT", ("LIST", "DYN")),
)


def extension(cel: Any) -> Any:
    """Declare the functions to the library (`cel` is its module)."""
    rows = [(row, True) for row in (*MEMBERS, *LIST_MEMBERS)] + [(row, False) for row in FUNCTIONS]
    declared = []
    for (name, implementation, answer, parameters), member in rows:
        overload = cel.Overload(
            id=f"kubernetes_{name.replace('.', '_')}",
            return_type=_type(cel, answer),
            parameters=[_type(cel, each) for each in parameters],
            is_member=member,
            impl=implementation,
        )
        declared.append(cel.FunctionDecl(name, [overload]))
    return cel.CelExtension("kubernetes", declared)


def _type(cel: Any, name: str) -> Any:
    return cel.Type.List(cel.Type.DYN) if name == "LIST" else getattr(cel.Type, name)
