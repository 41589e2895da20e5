"""Where the rules broke over a resource, in words that may stand in the log. Pure.

The error's own words may quote what the log must not hold, and line numbers change with every
build: what is told is the error's type and the last function of ours that it passed.
"""

from traceback import walk_tb

_OURS = ("services.", "shared.")
_DEEP = (RecursionError, MemoryError)
"""Errors that come wherever the limit happens to be met."""


def where_broken(error: Exception) -> str:
    """Name the error, and where it came from."""
    kind = type(error).__name__
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    passed = [
        f"{module}.{frame.f_code.co_qualname}"
        for frame in frames
        if (module := str(frame.f_globals.get("__name__", ""))).startswith(_OURS)
    ]
    return f"{kind} in {passed[-1]}" if passed and not isinstance(error, _DEEP) else kind
