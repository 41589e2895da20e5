"""One resource at one moment: spec, children, status, and what the operator has in mind. Pure.

Everything is folded from the records up to that moment, so any moment of the log can be asked for.
`Folding` goes through a history and says what each record changed, for `heliograph.views.diff`.
Secrets are replaced before anything is kept; equal ones by equal stand-ins.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from heliograph.views.bounds import Bound, Bounds
from heliograph.views.changes import Change, changes
from heliograph.views.children import state_words
from heliograph.views.discretion import names_in
from heliograph.views.minds import mind_of
from heliograph.views.redaction import Redactor
from heliograph.views.resources import effect_of
from heliograph.views.waits import WaitBook, usual, wait_words
from shared.aggregates.view import View, view
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, ResourceSeen
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey

Plain = dict[str, object]
SECTIONS = ("metadata", "spec", "children", "status", "mind")
"""The parts that a resource is told in, in this order."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """A resource at a moment. `record` is the last that counts."""

    resource: str
    at: datetime
    record: int
    state: str
    waits: tuple[str, ...]
    metadata: Plain
    spec: Plain
    children: Plain
    status: Plain
    mind: Plain


class Folding:
    """One resource's records, taken one after another."""

    def __init__(self, key: ResourceKey) -> None:
        self.key = key
        self.record: Record | None = None
        self._latest: dict[str, Record] = {}
        self._beside: dict[str, Record] = {}
        """What is not about children."""
        self._redactor = Redactor()
        self._learnt: set[tuple[str, int]] = set()
        self._book = WaitBook(key)
        self._parts: dict[str, Plain] = {name: {} for name in SECTIONS}

    def take(self, record: Record, *, compare: bool = True) -> tuple[Change, ...]:
        """Take the next record in; return what it changed, by section and path, if asked to."""
        place = place_of(record.subject)
        if place is None or place.key != self.key:
            return ()
        self.record = record
        self._latest[record.subject] = record
        self._book.take(record)
        self._learn(record)
        if place.facet == "obs" and place.rest != (self.key.kind, self.key.name):
            return tuple(self._child(record, " ".join(place.rest))) if compare else ()
        self._beside[record.subject] = record
        return tuple(self._fold()) if compare else ()

    def _learn(self, record: Record) -> None:
        body = record.envelope.body
        if isinstance(body, ResourceSeen) and (body.meta.uid, body.meta.generation) not in (
            self._learnt
        ):
            self._learnt.add((body.meta.uid, body.meta.generation))
            self._redactor.learn((body.spec,), names=names_in(body))

    def _child(self, record: Record, name: str) -> Iterator[Change]:
        """Take in what was seen of one child: all others stay as they are."""
        body, known = record.envelope.body, self._parts["children"]
        old = known.pop(name, None)
        if not isinstance(body, ObjectGone):
            known[name] = self._redactor.text(state_words(body))
        yield from changes({name: old}, {name: known.get(name)}, "children")

    def _fold(self) -> Iterator[Change]:
        """Compare with before, children aside: what is expected of them is not told here."""
        now = view(self.key, self._beside.values())
        fresh = {**self._own(now), "mind": self._plain(mind_of(now))}
        for name, value in fresh.items():
            old, self._parts[name] = self._parts[name], value
            yield from changes(old, value, name)

    def compare_from_here(self) -> None:
        """Let what was taken so far be what later records are compared with."""
        self._parts = {**self._own(self.view()), "children": self._children()}
        self._parts["mind"] = self._plain(mind_of(view(self.key, self._beside.values())))

    def _children(self) -> Plain:
        """Return how every child is that was not seen to go."""
        found: Plain = {}
        for subject, record in self._latest.items():
            place, body = place_of(subject), record.envelope.body
            if subject in self._beside or place is None or isinstance(body, ObjectGone):
                continue
            found[" ".join(place.rest)] = self._redactor.text(state_words(body))
        return dict(sorted(found.items()))

    def _own(self, now: View) -> dict[str, Plain]:
        meta = now.own.meta if now.own else None
        about: Plain = {}
        if meta is not None:
            about = {
                "generation": meta.generation,
                "labels": dict(meta.labels),
                "annotations": dict(meta.annotations),
                "finalizers": list(meta.finalizers),
                "createdAt": meta.created_at,
                "deletedAt": meta.deleted_at,
                "changedBy": meta.changed_by,
            }
        about = {name: value for name, value in about.items() if value}
        spec = self._plain(now.own.spec) if now.own else {}
        return {
            "metadata": self._plain(about),
            "spec": spec,
            "status": self._plain(dict(now.status)),
        }

    def _plain(self, value: Mapping[str, object]) -> Plain:
        found = self._redactor.redacted(dict(value))
        return dict(found) if isinstance(found, Mapping) else {}

    def view(self) -> View:
        """Fold what was taken so far."""
        return view(self.key, self._latest.values())

    def snapshot(self, moment: datetime | None = None) -> Snapshot | None:
        """Return the resource as it stands; None if nothing was taken.

        Waits are counted up to the moment that is asked about: of the last record if none is.
        """
        if self.record is None:
            return None
        now = self.view()
        mind = self._plain(mind_of(now))
        until = max(moment or now.now, now.now)
        waits = tuple(
            self._redactor.text(wait_words(wait, until, usual(wait.cause, (self._book,))))
            for wait in self._book.now()
        )
        return Snapshot(
            resource=str(self.key),
            at=self.record.at,
            record=self.record.sequence,
            state=effect_of(now),
            waits=waits,
            children=self._children(),
            mind=mind,
            **self._own(now),
        )


def snapshot_at(
    key: ResourceKey,
    records: Iterable[Record],
    at: Bound | None = None,
    *,
    now: datetime | None = None,
) -> Snapshot | None:
    """Return a resource as it was at a moment, or after a record; None if nothing was known.

    If neither is given, it is as it is `now`.
    """
    bounds, folding = Bounds(last=at), Folding(key)
    for record in records:
        if bounds.passed(record.sequence, record.at):
            break
        folding.take(record, compare=False)
    return folding.snapshot(now if at is None else at if isinstance(at, datetime) else None)
