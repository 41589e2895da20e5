"""Nobody decides on one resource again and again without a pause.

Whoever refuses, contradicts themselves or forgets may do so for as long as they are asked: then
every answer leads to the next question, as fast as the log can be written.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from tests.simulation.invariants.invariant import Invariant, Scene

SPAN = timedelta(seconds=3)
MOST = 40
"""More than a life needs that is made, changed and deleted in that time."""


class InNoHaste(Invariant):
    """Acts of one resource within a few seconds."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._since = datetime.min.replace(tzinfo=scene.nature.cluster.state.clock().tzinfo)
        self._counts: Counter[ResourceKey] = Counter()

    def recorded(self, record: Record) -> Iterator[str]:
        place = place_of(record.subject)
        if not isinstance(record.envelope.body, Decided) or place is None:
            return
        if record.at - self._since > SPAN:
            self._since = record.at
            self._counts.clear()
        self._counts[place.key] += 1
        if self._counts[place.key] > MOST:
            span = SPAN.total_seconds()
            yield f"42: {place.key.kind} {place.key.name} was decided on {MOST} times in {span:g} s"
