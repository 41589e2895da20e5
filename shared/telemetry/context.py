"""What the current work is about, bound once and carried by every log line below.

    with about(resource="demo/raycluster/first", revision=17):
        ...

Bindings follow the task, not the thread, and end with the block.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_NOTHING: Mapping[str, object] = MappingProxyType({})
_bound: ContextVar[Mapping[str, object]] = ContextVar("bound", default=_NOTHING)


@contextmanager
def about(**fields: object) -> Iterator[None]:
    """Add fields to every log line written inside the block."""
    token = _bound.set(MappingProxyType({**_bound.get(), **fields}))
    try:
        yield
    finally:
        _bound.reset(token)


def current() -> Mapping[str, object]:
    """Return the fields that are bound here."""
    return _bound.get()
