"""Two forks of one history compared: what differs, how each ends, and both told side by side. Pure.

Names that the operator draws differ between forks and mean nothing, so lines are compared without
them. Forks are the same if the operator decided, did and told the same and everything ends alike;
what was merely seen on the way does not count.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher

from msgspec import Struct

from heliograph.views.chatter import summed_up
from heliograph.views.resources import effect_of
from heliograph.views.timeline import Moment, Teller
from shared.aggregates.obstacles import is_ready
from shared.aggregates.raycluster import group_of
from shared.aggregates.view import View, view
from shared.events.envelope import Record
from shared.events.objects import PodSeen
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey

DRAWN = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b")
"""The ends of names that are drawn."""
CLOCKS = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?")
BESIDE = re.compile(r"(observedGeneration|lastUpdateTime): [^;]*(; )?")
"""What a status says of itself, and not of what it is about."""
COUNTED = frozenset({"decided", "done", "told"})
WAITING = "to wait"
"""What an act says that does nothing."""


class Happened(Struct, frozen=True, kw_only=True):
    """One line of a timeline: `base` and `other` are the seconds after the fork in each, if any."""

    resource: str
    what: str
    text: str
    because: tuple[str, ...] = ()
    base: float | None = None
    other: float | None = None


class Ending(Struct, frozen=True, kw_only=True):
    """How a resource ends in each fork; empty where there is none."""

    resource: str
    base: str
    other: str


class Comparison(Struct, frozen=True, kw_only=True):
    """Two forks: `only_base` and `only_other` are what just one of them has, in order."""

    same: bool
    ends_alike: bool
    later: float
    """How many seconds later the other fork does what both do, at most; below zero if sooner."""
    endings: tuple[Ending, ...]
    only_base: tuple[Happened, ...]
    only_other: tuple[Happened, ...]
    timeline: tuple[Happened, ...]


class _Line(Struct, frozen=True, kw_only=True):
    resource: str
    moment: Moment
    after: float

    @property
    def meaning(self) -> tuple[str, str, str]:
        """What it says, without what was drawn."""
        text = CLOCKS.sub("*", DRAWN.sub("-*", self.moment.text))
        return self.resource_alike, self.moment.what, BESIDE.sub("", text).rstrip("; ")

    @property
    def resource_alike(self) -> str:
        """Whose it is, without what was drawn."""
        return DRAWN.sub("-*", self.resource)


def compare(
    history: Sequence[Record], base: Sequence[Record], other: Sequence[Record], moment: datetime
) -> Comparison:
    """Compare what two forks recorded after the same history."""
    lines = [_told(history, fork, moment) for fork in (base, other)]
    endings = tuple(_endings(history, base, other))
    only_base, only_other = (tuple(_only(*pair)) for pair in (lines, lines[::-1]))
    decisive = [
        *(one for one in only_base if _decisive(one, lines[1])),
        *(one for one in only_other if _decisive(one, lines[0])),
    ]
    ends_alike = all(alike(one.base) == alike(one.other) for one in endings)
    timeline = tuple(_aligned(*lines))
    return Comparison(
        same=not decisive and ends_alike,
        ends_alike=ends_alike,
        later=_later(timeline),
        endings=endings,
        only_base=tuple(_happened(one, base=True) for one in only_base),
        only_other=tuple(_happened(one, other=True) for one in only_other),
        timeline=timeline,
    )


def _decisive(line: _Line, others: Sequence[_Line]) -> bool:
    """Whether a line that only one fork has matters; what is told together may be told apart."""
    moment = line.moment
    if moment.what not in COUNTED or moment.text == WAITING:
        return False
    if moment.what != "told":
        return True
    known = {part for other in others if other.moment.what == "told" for part in _parts(other)}
    return not _parts(line) <= known


def _parts(line: _Line) -> set[str]:
    return set(line.meaning[2].removeprefix("status: ").split("; "))


def _later(timeline: Iterable[Happened]) -> float:
    shifts = [
        round(one.other - one.base, 1)
        for one in timeline
        if one.base is not None and one.other is not None and one.what in COUNTED
    ]
    return max(shifts, key=abs, default=0.0)


def alike(text: str) -> str:
    """Return a text without the ends of names that are drawn."""
    return DRAWN.sub("-*", text)


def _told(history: Sequence[Record], fork: Iterable[Record], moment: datetime) -> list[_Line]:
    tellers: dict[ResourceKey, Teller] = {}
    found: dict[ResourceKey, list[Moment]] = {}
    for record in history:
        if (place := place_of(record.subject)) is not None:
            list(tellers.setdefault(place.key, Teller()).tell(record))
    for record in fork:
        if (place := place_of(record.subject)) is not None:
            told = tellers.setdefault(place.key, Teller()).tell(record)
            found.setdefault(place.key, []).extend(told)
    lines = [
        _Line(resource=str(key), moment=one, after=(one.at - moment).total_seconds())
        for key, moments in found.items()
        for one in summed_up(moments)
        if BESIDE.sub("", one.text).rstrip("; ") != "status:"
    ]
    return sorted(lines, key=lambda line: line.moment.sequence)


def _only(lines: Sequence[_Line], others: Sequence[_Line]) -> Iterator[_Line]:
    left = Counter(line.meaning for line in others)
    for line in lines:
        if left[line.meaning] > 0:
            left[line.meaning] -= 1
        else:
            yield line


def _happened(line: _Line, *, base: bool = False, other: bool = False) -> Happened:
    after = round(line.after, 1)
    return Happened(
        resource=line.resource,
        what=line.moment.what,
        text=line.moment.text,
        because=line.moment.because,
        base=after if base else None,
        other=after if other else None,
    )


def _aligned(base: Sequence[_Line], other: Sequence[_Line]) -> Iterator[Happened]:
    """Yield both timelines as one; a line that both have stands once, with both times."""
    matcher = SequenceMatcher(
        None, [one.meaning for one in base], [one.meaning for one in other], autojunk=False
    )
    for verb, first, last, start, end in matcher.get_opcodes():
        if verb == "equal":
            for one, two in zip(base[first:last], other[start:end], strict=True):
                both = _happened(two, other=True)
                yield Happened(
                    resource=both.resource,
                    what=both.what,
                    text=both.text,
                    because=both.because,
                    base=round(one.after, 1),
                    other=both.other,
                )
            continue
        apart = [
            *((one.after, _happened(one, base=True)) for one in base[first:last]),
            *((one.after, _happened(one, other=True)) for one in other[start:end]),
        ]
        yield from (one for _, one in sorted(apart, key=lambda pair: pair[0]))


def _endings(
    history: Sequence[Record], base: Sequence[Record], other: Sequence[Record]
) -> Iterator[Ending]:
    ends = [_ends([*history, *fork]) for fork in (base, other)]
    for name in sorted({**ends[0], **ends[1]}):
        words = [each.get(name, ("", ""))[1] for each in ends]
        shown = next(each[name][0] for each in ends if name in each)
        yield Ending(resource=shown, base=words[0], other=words[1])


def _ends(records: Iterable[Record]) -> dict[str, tuple[str, str]]:
    """Return how every resource is at the end, by its name without what was drawn.

    One that is gone is left out where another took its place.
    """
    kept: dict[ResourceKey, dict[str, Record]] = {}
    for record in records:
        if (place := place_of(record.subject)) is not None:
            kept.setdefault(place.key, {})[record.subject] = record
    views = {key: view(key, latest.values()) for key, latest in sorted(kept.items())}
    found: dict[str, tuple[str, str]] = {}
    for key, seen in sorted(views.items(), key=lambda item: item[1].own is None):
        name, number = alike(str(key)), 1
        if seen.own is None and name in found:
            continue
        while name in found:
            number += 1
            name = f"{alike(str(key))} {number}"
        found[name] = (str(key), _end(seen))
    return found


def _end(seen: View) -> str:
    groups: Counter[tuple[str, str]] = Counter()
    for child in seen.children.values():
        if isinstance(child, PodSeen):
            groups[group_of(child.meta) or "others", _state(child)] += 1
    pods = (f"{count} of {group} {state}" for (group, state), count in sorted(groups.items()))
    return "; ".join((effect_of(seen), *pods))


def _state(pod: PodSeen) -> str:
    if pod.meta.deleted_at is not None:
        return "ending"
    if pod.phase == "Running":
        return "ready" if is_ready(pod) else "not ready"
    return f"{pod.phase} ({pod.reason})" if pod.reason else pod.phase or "new"
