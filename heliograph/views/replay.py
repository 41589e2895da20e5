"""Decide recorded history again and compare, byte for byte. Pure.

Each act names the sequence it was based on. The records up to there are folded again and decided
with the settings of that day; the same log prefix must give the same bytes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct

from shared.aggregates.view import View, view
from shared.events.codec import encode
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey

Again = Callable[[View, Decided], Decided | None]
"""Decide a view again, the way the recorded act was decided."""


class Verdict(Struct, frozen=True, kw_only=True):
    """One act, compared. `differences` is empty if it is identical."""

    key: ResourceKey
    sequence: int
    differences: tuple[str, ...] = ()
    missing: bool = False
    """What it rests on, records or settings, is no longer in the log."""


def replay(records: Iterable[Record], again: Again) -> Iterator[Verdict]:
    """Compare every act among the records with what is decided now."""
    histories: dict[ResourceKey, list[Record]] = defaultdict(list)
    settings: set[str] = set()
    for record in records:
        place, body = place_of(record.subject), record.envelope.body
        if isinstance(body, SettingsUsed):
            settings.add(body.digest)
        elif place is not None:
            histories[place.key].append(record)
    for key, history in sorted(histories.items()):
        yield from _replay_one(key, history, settings, again)


def _replay_one(
    key: ResourceKey, history: list[Record], settings: set[str], again: Again
) -> Iterator[Verdict]:
    wanted = {
        body.based_on for record in history if isinstance(body := record.envelope.body, Decided)
    }
    views = dict(_views(key, history, wanted))
    for record in history:
        body = record.envelope.body
        if not isinstance(body, Decided):
            continue
        based = views.get(body.based_on)
        if based is None or body.settings not in settings:
            yield Verdict(key=key, sequence=record.sequence, missing=True)
            continue
        found = tuple(differences(body, again(based, body)))
        yield Verdict(key=key, sequence=record.sequence, differences=found)


def _views(key: ResourceKey, history: list[Record], wanted: set[int]) -> Iterator[tuple[int, View]]:
    latest: dict[str, Record] = {}
    for record in history:
        latest[record.subject] = record
        if record.sequence in wanted:
            yield record.sequence, view(key, latest.values())


def differences(recorded: Decided, again: Decided | None) -> Iterator[str]:
    """Say where two decisions differ, down to the value; nothing if their bytes are equal."""
    if again is None:
        yield "nothing is decided now"
    elif encode(recorded) != encode(again):
        before, now = msgspec.to_builtins(recorded), msgspec.to_builtins(again)
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
