"""What differs between two tellings of one story. Pure.

Objects of a kind are matched by name; those that share a masked name (the workers of a group) are
matched by what they have in common. A difference names the story, the step, the place and both
values. Read next: `explained.py`, which says which ones are known.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from msgspec import Struct

ABSENT = "<absent>"


class Difference(Struct, frozen=True, kw_only=True):
    """One place where the two do not agree."""

    story: str
    step: str
    place: str
    theirs: Any
    ours: Any

    def told(self) -> str:
        """Say it in a line or three."""
        at = f"{self.story} / {self.step}: {self.place}"
        return f"{at}\n    KubeRay:    {self.theirs!r}\n    Heliograph: {self.ours!r}"


class Telling(Struct, frozen=True, kw_only=True):
    """What one operator made of one step, masked."""

    step: str
    reached: bool
    objects: Mapping[str, list[Any]]
    events: list[list[str]]
    metrics: list[str] = []
    heard: bool = False
    """Whether every Event was there: a busy operator tells late, and then they prove nothing."""


def differences(
    story: str, theirs: Sequence[Telling], ours: Sequence[Telling]
) -> Iterator[Difference]:
    """Yield every difference, step by step."""
    for left, right in zip(theirs, ours, strict=True):
        for place, one, other in _in_step(left, right):
            yield Difference(story=story, step=left.step, place=place, theirs=one, ours=other)


def _in_step(left: Telling, right: Telling) -> Iterator[tuple[str, Any, Any]]:
    if left.reached != right.reached:
        yield "reached", left.reached, right.reached
    for plural in sorted({*left.objects, *right.objects}):
        yield from _of_kind(plural, left.objects.get(plural, []), right.objects.get(plural, []))
    if left.heard and right.heard:
        yield from _events(left.events, right.events)
    yield from (("metrics", each, ABSENT) for each in left.metrics if each not in right.metrics)
    yield from (("metrics", ABSENT, each) for each in right.metrics if each not in left.metrics)


def _events(left: list[list[str]], right: list[list[str]]) -> Iterator[tuple[str, Any, Any]]:
    """Yield what one side alone told; `joined` if the other told something else for that reason."""
    reasons = [_reason(each) for each in left]
    yield from (("events", each, ABSENT) for each in left if each not in right)
    for each in right:
        if each not in left:
            yield "events/joined" if _reason(each) in reasons else "events", ABSENT, each


def _reason(event: list[str]) -> list[str]:
    """Return what KubeRay joins Events by: everything but the words."""
    kind, type_, reason, _, teller = event
    return [kind, type_, reason, teller]


def _of_kind(plural: str, left: list[Any], right: list[Any]) -> Iterator[tuple[str, Any, Any]]:
    ones, others = _by_name(left), _by_name(right)
    for name in sorted({*ones, *others}):
        pairs = zip_longest(ones.get(name, ()), others.get(name, ()))
        for one, other in pairs:
            place = f"{plural}/{name}"
            if one is None or other is None:
                yield place, _there(one), _there(other)
            else:
                yield from _values(place, one, other)


def _by_name(objects: list[Any]) -> Mapping[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for one in objects:
        found[one["metadata"]["name"]].append(one)
    return found


def _there(value: Any) -> str:
    return ABSENT if value is None else "<there>"


def _values(place: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    if place.endswith(("annotations", "labels")):  # told one by one, also where there are none
        one, other = ({} if each == ABSENT else each for each in (one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}):
            yield from _values(f"{place}.{key}", one.get(key, ABSENT), other.get(key, ABSENT))
    elif isinstance(one, list) and isinstance(other, list) and _keyed(one) and _keyed(other):
        yield from _values(place, _keys(one), _keys(other))
    elif one != other:
        yield place, one, other


def _keyed(entries: list[Any]) -> bool:
    names = [_key(each) for each in entries]
    return None not in names and len(set(names)) == len(names)


def _key(entry: Any) -> str | None:
    if not isinstance(entry, Mapping):
        return None
    return next((str(entry[key]) for key in ("name", "type", "groupName") if key in entry), None)


def _keys(entries: list[Any]) -> Mapping[str, Any]:
    """Return a list of named entries as a map that still knows their order."""
    named = {f"[{_key(each)}]": each for each in entries}
    return {**named, "order": [_key(each) for each in entries]}
