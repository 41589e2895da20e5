"""Where collectors find what they show: the views of the status services of this process.

A resource is shown by whoever owns its partition and by nobody else, so that the sum over replicas
is the fleet; what is gone is not shown.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from prometheus_client.registry import Collector

from shared.aggregates.view import View

IDENTITY = ("name", "namespace", "uid")
Source = Callable[[], Iterable[View]]


class ViewCollector(Collector):
    """Makes metrics when they are asked for, from the views of its sources."""

    def __init__(self) -> None:
        self._sources: list[Source] = []

    @contextmanager
    def showing(self, source: Source) -> Iterator[None]:
        """Show what this source yields while the block runs."""
        self._sources.append(source)
        try:
            yield
        finally:
            self._sources.remove(source)

    def views(self) -> Iterator[View]:
        """Yield the views of all sources as of now."""
        return (view for source in self._sources for view in source())
