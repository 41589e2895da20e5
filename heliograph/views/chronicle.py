"""The records of several resources, arranged for questions that look back. Pure.

A chapter is one resource's records in order. A chronicle holds the chapters of a resource and of
those it belongs to or owns: what happened to a pod may have begun with the RayJob above its
cluster. `gather` reads no more than that.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import Struct

from heliograph.views.timeline import Moment, timeline
from shared.actions.objects import Action
from shared.actions.outcomes import Outcome
from shared.events.decisions import Answered, Decided
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, Observation, ResourceSeen
from shared.events.records import StatusWritten
from shared.events.subjects import encode_token, everything_of, own, place_of
from shared.events.told import Looked
from shared.kernel.keys import ResourceKey

RESOURCES: Mapping[str, str] = {
    "RayCluster": "raycluster",
    "RayJob": "rayjob",
    "RayCronJob": "raycronjob",
    "RayService": "rayservice",
}
"""Kinds that have chapters of their own, as Kubernetes calls them, and our word for each."""
ROUNDS_MAX = 4
"""From a pod over its cluster and job to a schedule."""

Read = Callable[[Sequence[str]], Iterable[Record]]
"""Read what these filters name."""


class Deed(Struct, frozen=True):
    """One action of an act, and what came of it, if that is told."""

    act: Record
    action: Action
    outcome: Outcome | None
    answer: Record | None


class Chapter:
    """One resource's records, oldest first."""

    def __init__(self, key: ResourceKey, records: Sequence[Record]) -> None:
        self.key = key
        self.records = tuple(records)

    @cached_property
    def moments(self) -> Mapping[int, tuple[Moment, ...]]:
        """What each record says in people's words, by sequence."""
        found: dict[int, list[Moment]] = defaultdict(list)
        for moment in timeline(self.records):
            found[moment.sequence].append(moment)
        return {sequence: tuple(told) for sequence, told in found.items()}

    @cached_property
    def acts(self) -> tuple[Record, ...]:
        """The decisions."""
        return tuple(one for one in self.records if isinstance(one.envelope.body, Decided))

    @cached_property
    def statuses(self) -> tuple[Record, ...]:
        """The statuses that were written."""
        return tuple(one for one in self.records if isinstance(one.envelope.body, StatusWritten))

    @cached_property
    def deeds(self) -> tuple[Deed, ...]:
        """Every action, in order."""
        answers = {
            body.act: one for one in self.records if isinstance(body := one.envelope.body, Answered)
        }
        return tuple(deed for act in self.acts for deed in _deeds(act, answers.get(act_in(act).id)))

    @cached_property
    def itself(self) -> tuple[Record, ...]:
        """What was seen of the resource itself."""
        return self.of_subject(own(self.key))

    def of_subject(self, subject: str) -> tuple[Record, ...]:
        """Return the records of one subject."""
        return self._subjects.get(subject, ())

    def before(self, record: Record) -> Record | None:
        """Return the record before this one on its subject."""
        return self._former.get(record.sequence)

    @cached_property
    def _former(self) -> Mapping[int, Record]:
        return {
            later.sequence: earlier
            for records in self._subjects.values()
            for earlier, later in pairwise(records)
        }

    def sights(self, kind: str, name: str) -> tuple[Record, ...]:
        """Return what was seen of an object, tombstones included."""
        return tuple(
            one
            for subject, records in self._subjects.items()
            if (place := place_of(subject)) is not None
            and place.facet == "obs"
            and place.rest == (kind, name)
            for one in records
        )

    def act_of(self, id_: str) -> Record | None:
        """Return the act of this id."""
        return next((one for one in self.acts if act_in(one).id == id_), None)

    def text(self, record: Record) -> str:
        """Return a record in people's words; empty if it says nothing new."""
        return "; ".join(moment.text for moment in self.moments.get(record.sequence, ()))

    @cached_property
    def _subjects(self) -> Mapping[str, tuple[Record, ...]]:
        found: dict[str, list[Record]] = defaultdict(list)
        for one in self.records:
            found[one.subject].append(one)
        return {subject: tuple(records) for subject, records in found.items()}


class Chronicle:
    """Chapters by resource."""

    def __init__(self, records: Iterable[Record]) -> None:
        found: dict[ResourceKey, dict[int, Record]] = defaultdict(dict)
        for one in records:
            place = place_of(one.subject)
            if place is not None:
                found[place.key][one.sequence] = one
        self.chapters: Mapping[ResourceKey, Chapter] = {
            key: Chapter(key, [known[number] for number in sorted(known)])
            for key, known in sorted(found.items())
        }

    def telling_of(self, key: ResourceKey) -> tuple[Chapter, ...]:
        """Return the chapters in which an object was seen or acted upon, its own ones first."""
        first = [self.chapters[key]] if key in self.chapters else []
        others = [
            chapter
            for other, chapter in self.chapters.items()
            if other != key and other.namespace == key.namespace and _tells(chapter, key)
        ]
        return (*first, *others)

    def above(self, key: ResourceKey) -> Chapter | None:
        """Return the chapter of the resource that controls this one."""
        for chapter in self.chapters.values():
            same = chapter.key.namespace == key.namespace and chapter.key != key
            if same and chapter.sights(key.kind, key.name):
                return chapter
        return None


def gather(read: Read, key: ResourceKey) -> Chronicle:
    """Read the chapters that a question about this object may need.

    Upwards all that own it, downwards all that it owns; what else those own is left out.
    """
    itself = {key} if key.kind in RESOURCES.values() else set()
    holders = set(_holders(read, key)) - itself
    records = [
        *_chapters(read, itself | holders, owners),
        *_chapters(read, itself, owned),
    ]
    return Chronicle(records)


def _chapters(
    read: Read, first: set[ResourceKey], onwards: Callable[[Record], Iterable[ResourceKey]]
) -> Iterator[Record]:
    asked: set[ResourceKey] = set()
    wanted = set(first)
    for _ in range(ROUNDS_MAX):
        fresh = sorted(wanted - asked)
        if not fresh:
            return
        asked.update(fresh)
        for one in read(tuple(everything_of(each) for each in fresh)):
            wanted.update(onwards(one))
            yield one


def owners(record: Record) -> Iterator[ResourceKey]:
    """Yield the resources of ours that control the one whose own record this is."""
    place, body = place_of(record.subject), record.envelope.body
    if place is None or not isinstance(body, ResourceSeen) or body.meta.name != place.key.name:
        return
    for owner in body.meta.owners:
        if owner.controller and owner.kind in RESOURCES:
            yield ResourceKey(RESOURCES[owner.kind], place.key.namespace, owner.name)


def owned(record: Record) -> Iterator[ResourceKey]:
    """Yield the resources of ours that this record tells of below its own resource."""
    place, body = place_of(record.subject), record.envelope.body
    if place is None:
        return
    if place.facet == "obs" and place.rest[0] in RESOURCES.values():
        yield ResourceKey(place.rest[0], place.key.namespace, place.rest[1])
    if isinstance(body, Looked) and body.kind in RESOURCES.values():
        for seen in body.objects:
            yield ResourceKey(body.kind, place.key.namespace, seen.meta.name)


def _holders(read: Read, key: ResourceKey) -> Iterator[ResourceKey]:
    """Yield the resources under which an object was seen, or failing that, asked for."""
    tokens = (encode_token(one) for one in (key.namespace, key.kind, key.name))
    namespace, kind, name = tokens
    seen = [*read((f"ray.*.*.{namespace}.*.obs.{kind}.{name}",))]
    if not seen and key.kind not in RESOURCES.values():
        acts = read((f"ray.*.*.{namespace}.*.act",))
        seen = [one for one in acts if names(act_in(one), key.kind, key.name)]
    for one in seen:
        place = place_of(one.subject)
        if place is not None:
            yield place.key


def act_in(record: Record) -> Decided:
    """Return the act that a record holds."""
    body = record.envelope.body
    if not isinstance(body, Decided):
        raise TypeError(f"record {record.sequence} is no act")
    return body


def names(act: Decided, kind: str, name: str) -> bool:
    """Whether an action of the act is about this object."""
    return any(about(action) == (kind, name) for action in act.actions)


def about(action: Action) -> tuple[str, str]:
    """Return kind and name of the object that an action is about; empty if it is about none."""
    return getattr(action, "kind", ""), getattr(action, "name", "")


def seen_in(record: Record) -> Observation | None:
    """Return what a record saw of an object."""
    place, body = place_of(record.subject), record.envelope.body
    if place is None or place.facet != "obs":
        return None
    return body if isinstance(body, Observation) else None


def is_gone(record: Record) -> bool:
    """Whether a record is a tombstone."""
    return isinstance(record.envelope.body, ObjectGone)


def _tells(chapter: Chapter, key: ResourceKey) -> bool:
    seen = bool(chapter.sights(key.kind, key.name))
    return seen or any(about(deed.action) == (key.kind, key.name) for deed in chapter.deeds)


def _deeds(act: Record, answer: Record | None) -> Iterator[Deed]:
    body = answer.envelope.body if answer else None
    outcomes = body.outcomes if isinstance(body, Answered) else ()
    for index, action in enumerate(act_in(act).actions):
        outcome = outcomes[index] if index < len(outcomes) else None
        yield Deed(act, action, outcome, answer)
