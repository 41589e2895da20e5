"""Every act is decided again from the log alone, byte for byte the same.

What was decided from a log that is lost meanwhile cannot be; nor can it do harm, others see to it.
Nor can anything be decided while a fault lets the rules break.
"""

from collections.abc import Iterator

import msgspec

from heliograph.views.replay import differences
from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import DecisionSettings
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import place_of
from tests.simulation.invariants.invariant import Invariant


class Replays(Invariant):
    """Acts, decided again as they are written."""

    def recorded(self, record: Record) -> Iterator[str]:
        act, place = record.envelope.body, place_of(record.subject)
        if not isinstance(act, Decided) or place is None:
            return
        if act.based_on < self.scene.archive.first or self.scene.puzzled.get(place.key):
            return
        used = self.scene.archive.settings(act.settings)
        if used is None:
            yield f"act {record.sequence} names settings that the log does not tell"
            return
        settings = msgspec.convert(used.settings, DecisionSettings)
        view = self.scene.archive.view(place.key, act.based_on)
        again = decide(view, Context(settings=settings, session=act.seen.session))
        for apart in differences(act, again):
            yield f"act {record.sequence} of {place.key.name} decided again: {apart}"
