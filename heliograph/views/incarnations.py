"""Objects that had one name, one after the other: a head is made anew under the name it had. Pure.

Invariant: what is told of one is told of its uid; no record, deed or cause of another is mixed in,
and where a chain comes to another one it says so.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from heliograph.views.chronicle import Chapter, Chronicle, Deed, about, seen_in
from heliograph.views.findings import Link, Why
from shared.actions.objects import DeleteObject
from shared.events.envelope import Record
from shared.events.objects import uid_of
from shared.kernel.keys import ResourceKey, parse_key

FORMER_MAX = 5
"""How many former ones are told of."""


def lives_of(sights: Iterable[Record]) -> Mapping[str, tuple[Record, ...]]:
    """Return what was seen of each object of a name, by uid, the oldest first."""
    found: dict[str, list[Record]] = {}
    for one in sights:
        seen = seen_in(one)
        if seen is not None:
            found.setdefault(uid_of(seen), []).append(one)
    return {uid: tuple(records) for uid, records in found.items()}


def formerly(because: str, name: str, uid: str) -> str:
    """Say of a reason why something was made that it is about the one before, not about itself."""
    whole = re.compile(rf"{re.escape(name)}(?![\w-])")
    return whole.sub(f"the former {name} (uid {uid})", because, count=1)


def deletion_of(chapter: Chapter, key: ResourceKey, uid: str) -> Deed | None:
    """Return how we took away an object that nobody saw go."""
    for deed in reversed(chapter.deeds):
        named = about(deed.action) == (key.kind, key.name)
        if named and isinstance(deed.action, DeleteObject) and deed.action.uid == uid:
            return deed
    return None


def joined(chronicle: Chronicle, key: ResourceKey, answers: Sequence[Why]) -> Why:
    """Make one answer of those for each life, oldest first: of the last, and then of the former."""
    *old, last = (_marked(chronicle, key, one) for one in answers)
    kept = tuple(reversed(old[-FORMER_MAX:]))
    left = len(old) - len(kept)
    hints = (f"{left} more had this name before",) if left else ()
    return replace(last, former=kept, hints=(*last.hints, *hints))


def _marked(chronicle: Chronicle, key: ResourceKey, found: Why) -> Why:
    """Say at every link that is about an object of the name, about which."""
    return replace(found, links=tuple(_with_uid(chronicle, key, link) for link in found.links))


def _with_uid(chronicle: Chronicle, key: ResourceKey, link: Link) -> Link:
    chapter = chronicle.chapters.get(parse_key(link.resource))
    uid = _uid_at(chapter, key, link) if chapter is not None else ""
    return replace(link, text=f"{link.text} (uid {uid})") if uid else link


def _uid_at(chapter: Chapter, key: ResourceKey, link: Link) -> str:
    """Return the uid that a record tells of under this name; empty if of none."""
    for one in chapter.sights(key.kind, key.name):
        seen = seen_in(one)
        if one.sequence == link.sequence and seen is not None:
            return uid_of(seen)
    for deed in chapter.deeds:
        answer = deed.answer.sequence if deed.answer is not None else 0
        if about(deed.action) == (key.kind, key.name) and link.sequence == answer:
            return str(getattr(deed.outcome, "uid", "") or getattr(deed.action, "uid", ""))
    return ""
