"""Which subjects a filter names: `*` stands for one token, `>` for one or more at the end."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache


def matcher(filters: Sequence[str]) -> Callable[[str], bool]:
    """Return a test for subjects that any of the filters names."""
    pattern = _pattern(tuple(filters))
    return lambda subject: pattern.fullmatch(subject) is not None


@lru_cache(maxsize=4096)
def _pattern(filters: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_expression(one) for one in filters))


def _expression(one: str) -> str:
    words = {"*": r"[^.]+", ">": r".+"}
    return r"\.".join(words.get(token, re.escape(token)) for token in one.split("."))
