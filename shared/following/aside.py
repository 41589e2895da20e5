"""Who broke their service: each waits by itself, longer each time, and the others go on.

What breaks at one look breaks at the next, unless its user wishes otherwise meanwhile: another
generation is looked at at once, whatever came of the one before.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from weakref import WeakSet

from msgspec import Struct

from shared.kernel.keys import ResourceKey
from shared.telemetry.metrics import gauge

ASIDE_FIRST = 1.0
ASIDE_LONGEST = 300.0
"""How long a resource waits that broke its service, in seconds."""
ASIDE = gauge("resources_set_aside", "Resources that broke their service and wait.")
_DOUBLINGS_MAX = 20

Wish = tuple[str, int]
"""A resource's uid and generation."""


class Broken(Struct, frozen=True, kw_only=True):
    """How often a resource broke its service in a row, with which wish, and whether it waits."""

    failures: int
    wish: Wish
    waiting: bool


class Aside:
    """Knows of each resource that broke its service."""

    def __init__(self) -> None:
        self._broken: dict[ResourceKey, Broken] = {}

    def __len__(self) -> int:
        return len(self._broken)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Let the gauge count these, too, until the end of the block."""
        _EVERYBODY.add(self)
        try:
            yield
        finally:
            _EVERYBODY.discard(self)

    def waits(self, key: ResourceKey, wish: Callable[[ResourceKey], Wish]) -> bool:
        """Whether a resource is not to be looked at yet; few ever broke anything."""
        broken = self._broken.get(key)
        return broken is not None and broken.waiting and broken.wish == wish(key)

    def put(self, key: ResourceKey, wish: Wish) -> tuple[int, float]:
        """Set a resource aside; return how often it failed in a row and how long it waits."""
        former = self._broken.get(key)
        failures = former.failures + 1 if former else 1
        self._broken[key] = Broken(failures=failures, wish=wish, waiting=True)
        return failures, min(ASIDE_FIRST * 2 ** min(failures - 1, _DOUBLINGS_MAX), ASIDE_LONGEST)

    def release(self, key: ResourceKey, failures: int) -> bool:
        """Let a resource be looked at again, unless it failed anew or was well meanwhile."""
        broken = self._broken.get(key)
        if broken is None or broken.failures != failures:
            return False
        self._broken[key] = Broken(failures=failures, wish=broken.wish, waiting=False)
        return True

    def forget(self, keys: Iterable[ResourceKey]) -> None:
        """Drop resources that are well, or somebody else's now."""
        for key in keys if self._broken else ():
            self._broken.pop(key, None)


_EVERYBODY: WeakSet[Aside] = WeakSet()
ASIDE.set_function(lambda: sum(map(len, tuple(_EVERYBODY))))
