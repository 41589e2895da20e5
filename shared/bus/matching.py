"""Which subjects a filter names: `*` stands for one token, `>` for one or more at the end."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

Test = Callable[[str], bool]


def matcher(filters: Sequence[str]) -> Test:
    """Return a test for subjects that any of the filters names."""
    return _test(tuple(filters))


@lru_cache(maxsize=1024)
def _test(filters: tuple[str, ...]) -> Test:
    """Return a test that remembers: readers ask about the same subjects again and again."""
    pattern = re.compile("|".join(_expression(one) for one in filters))
    return lru_cache(maxsize=1024)(lambda subject: pattern.fullmatch(subject) is not None)


def _expression(one: str) -> str:
    words = {"*": r"[^.]+", ">": r".+"}
    return r"\.".join(words.get(token, re.escape(token)) for token in one.split("."))
