"""Decide recorded history again and compare, byte for byte. Pure.

Each act names the sequence it was based on. The records up to there are folded again and decided
with the settings of that day; the same log prefix must give the same bytes.

A log may be long, so it is read once, in order, and only what views are made of is held: the last
record of each subject, and what came since a resource's last act, for the next act may rest on any
of it. Bodies are decoded when an act needs them, and most never are. An act that rests on less
than the act before it, which no honest reconciler writes, is set aside (`late`) and compared from
its resource's history, read once more (`revisit`).
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import timedelta

import msgspec
from msgspec import Struct

from heliograph.views.redaction import Redactor
from shared.aggregates.view import View, view
from shared.events.codec import UnreadableRecordError, decode, encode
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message

Again = Callable[[View, Decided], Decided | None]
"""Decide a view again, the way the recorded act was decided."""
Told = Message | Record
"""A record, decoded or not."""

WITHIN = timedelta(minutes=5)
_MANY = 64
"""How old and how many records since the last act are kept apart; older ones are folded."""


class Verdict(Struct, frozen=True, kw_only=True):
    """One act, compared. `differences` is empty if it is identical."""

    key: ResourceKey
    sequence: int
    differences: tuple[str, ...] = ()
    missing: bool = False
    """What it rests on, records or settings, is no longer in the log."""
    then: Decided | None = None
    """What was decided; told only if it differs."""
    now: Decided | None = None
    """What is decided now; told only if it differs."""


class _Kept:
    """One resource: the last record of each subject up to `upto`, and what came after that."""

    __slots__ = ("latest", "news", "upto")

    def __init__(self) -> None:
        self.latest: dict[str, Told] = {}
        self.news: list[Told] = []
        self.upto = 0

    def fold(self, sequence: int) -> None:
        """Take in what came up to a sequence."""
        count = 0
        for told in self.news:
            if told.sequence > sequence:
                break
            if isinstance(told, Message) and told.gone:
                self.latest.pop(told.subject, None)
            else:
                self.latest[told.subject] = told
            self.upto = told.sequence
            count += 1
        del self.news[:count]

    def view(self, key: ResourceKey) -> View | None:
        """Fold the records; None if one of them cannot be read."""
        records = []
        for subject, told in self.latest.items():
            record = _readable(told)
            if record is None:
                return None
            self.latest[subject] = record
            records.append(record)
        return view(key, records)


class Replayer:
    """Compares acts as the log goes by."""

    def __init__(self, again: Again, settings: Container[str]) -> None:
        self._again = again
        self._settings = settings
        self._kept: dict[ResourceKey, _Kept] = {}
        self.late: dict[ResourceKey, list[Record]] = {}

    def take(self, told: Told, *, judge: bool = True) -> Verdict | None:
        """Take the next record; compare it if it is an act, unless it is not to be judged."""
        place = place_of(told.subject)
        if place is None:
            return None
        kept = self._kept.get(place.key)
        if kept is None:
            kept = self._kept[place.key] = _Kept()
        if place.facet != "act":
            kept.news.append(told)
            if len(kept.news) > _MANY and told.at - kept.news[0].at > WITHIN:
                kept.fold(kept.news[len(kept.news) // 2].sequence)
            return None
        act = (_readable(told) or told) if judge else told
        verdict = self._judge(place.key, kept, act) if judge else None
        kept.fold(told.sequence)
        kept.news.append(act)
        return verdict

    def judge(self, told: Told) -> Verdict | None:
        """Compare an act with what is decided now, without taking it."""
        place = place_of(told.subject)
        kept = self._kept.get(place.key) if place is not None else None
        if place is None or kept is None:
            return None
        return self._judge(place.key, kept, told)

    def _judge(self, key: ResourceKey, kept: _Kept, told: Told) -> Verdict | None:
        record = _readable(told)
        act = record.envelope.body if record is not None else None
        if record is None or not isinstance(act, Decided):
            return Verdict(key=key, sequence=told.sequence, missing=True)
        if act.based_on < kept.upto:
            self.late.setdefault(key, []).append(record)
            return None
        kept.fold(act.based_on)
        based = kept.view(key) if kept.upto == act.based_on else None
        return self._compare(key, record.sequence, act, based)

    def _compare(
        self, key: ResourceKey, sequence: int, act: Decided, based: View | None
    ) -> Verdict:
        if based is None or act.settings not in self._settings:
            return Verdict(key=key, sequence=sequence, missing=True)
        now = self._again(based, act)
        found = tuple(differences(act, now))
        if not found:
            return Verdict(key=key, sequence=sequence)
        return Verdict(key=key, sequence=sequence, differences=found, then=act, now=now)

    def revisit(self, key: ResourceKey, history: Iterable[Told]) -> Iterator[Verdict]:
        """Compare the late acts of a resource, from its whole history."""
        waiting: dict[int, list[tuple[int, Decided]]] = {}
        for record in self.late.get(key, ()):
            if isinstance(body := record.envelope.body, Decided):
                waiting.setdefault(body.based_on, []).append((record.sequence, body))
        kept = _Kept()
        for told in history:
            place = place_of(told.subject)
            if place is None or place.key != key:
                continue
            kept.news.append(told)
            kept.fold(told.sequence)
            for sequence, act in waiting.pop(told.sequence, ()):
                yield self._compare(key, sequence, act, kept.view(key))
        for sequence, act in (each for acts in waiting.values() for each in acts):
            yield self._compare(key, sequence, act, None)


def replay(records: Iterable[Record], again: Again) -> Iterator[Verdict]:
    """Compare every act among the records with what is decided now."""
    known = tuple(records)
    replayer = Replayer(again, settings_in(known))
    for record in known:
        verdict = replayer.take(record)
        if verdict is not None:
            yield verdict
    for key in replayer.late:
        yield from replayer.revisit(key, known)


def _readable(told: Told) -> Record | None:
    if isinstance(told, Record):
        return told
    try:
        return decode(told)
    except UnreadableRecordError:
        return None


def differences(recorded: Decided, again: Decided | None) -> Iterator[str]:
    """Say where two decisions differ, down to the value, without secrets; nothing if equal."""
    if again is None:
        yield "nothing is decided now"
    elif encode(recorded) != encode(again):
        raw = tuple(msgspec.json.decode(encode(each)) for each in (recorded, again))
        redactor = Redactor()
        redactor.learn(raw)
        before, now = map(redactor.redacted, raw)
        yield from _apart(before, now, "") or ("the bytes differ",)


def _apart(before: object, now: object, path: str) -> list[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        return [
            line
            for key in {**before, **now}
            for line in _apart(before.get(key), now.get(key), f"{path}.{key}" if path else str(key))
        ]
    if isinstance(before, list | tuple) and isinstance(now, list | tuple):
        if len(before) != len(now):
            return [f"{path}: {len(before)} entries then, {len(now)} now"]
        return [
            line
            for index, (old, new) in enumerate(zip(before, now, strict=True))
            for line in _apart(old, new, f"{path}[{index}]")
        ]
    return [] if before == now else [f"{path}: {_plain(before)} then, {_plain(now)} now"]


def _plain(value: object) -> str:
    return "nothing" if value is None else repr(value)


def settings_in(records: Iterable[Record]) -> Mapping[str, Mapping[str, object]]:
    """Return the settings that acts name, by digest."""
    return {
        body.digest: body.settings
        for record in records
        if isinstance(body := record.envelope.body, SettingsUsed)
    }
