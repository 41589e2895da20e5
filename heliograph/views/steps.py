"""Decision after decision: what was new, what was decided, and whether it still would be. Pure."""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from heliograph.views.replay import Verdict
from heliograph.views.timeline import Moment, Teller
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey


class Step(Struct, frozen=True, kw_only=True):
    """One decision. `news` is what the view had that the one before had not."""

    resource: str
    sequence: int
    at: datetime
    based_on: int
    news: tuple[Moment, ...]
    decided: str
    because: tuple[str, ...]
    verdict: str
    """identical, different or missing."""
    differences: tuple[str, ...] = ()


class Stepping:
    """Tells the steps of resources as records and verdicts come."""

    def __init__(self) -> None:
        self._tellers: dict[ResourceKey, Teller] = {}
        self._news: dict[ResourceKey, list[Moment]] = {}
        self._acts: dict[int, tuple[Record, Moment]] = {}

    def hear(self, record: Record) -> None:
        """Take a record, before its verdict."""
        place = place_of(record.subject)
        if place is None:
            return
        teller = self._tellers.setdefault(place.key, Teller())
        news = self._news.setdefault(place.key, [])
        for moment in teller.tell(record):
            if isinstance(record.envelope.body, Decided):
                self._acts[record.sequence] = record, moment
            else:
                news.append(moment)

    def step(self, verdict: Verdict) -> Iterator[Step]:
        """Tell the step that a verdict ends."""
        record, moment = self._acts.pop(verdict.sequence, (None, None))
        body = record.envelope.body if record else None
        if record is None or moment is None or not isinstance(body, Decided):
            return
        news = self._news.get(verdict.key, [])
        count = sum(1 for each in news if each.sequence <= body.based_on)
        yield Step(
            resource=str(verdict.key),
            sequence=verdict.sequence,
            at=record.at,
            based_on=body.based_on,
            news=tuple(news[:count]),
            decided=moment.text,
            because=moment.because,
            verdict=_word(verdict),
            differences=verdict.differences,
        )
        del news[:count]


def _word(verdict: Verdict) -> str:
    if verdict.missing:
        return "missing"
    return "different" if verdict.differences else "identical"
