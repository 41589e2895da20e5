"""A trial: a base, some changes and the order of deeds, all from a seed and a number.

Trials of one seed go through the fields of a kind in turn; its own take turns with those of the
cluster in it, and come more often. Invariant: the same seed, kind and number are the same trial on
every machine; only the timing is the world's.
"""

from collections.abc import Iterator
from enum import StrEnum
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.fuzzing.bases import BASES
from tests.fuzzing.changes import Change, value_at
from tests.fuzzing.fields import CLUSTER_SPECS, Field, fields_of
from tests.fuzzing.values import values_for

MORE_CHANGES = 0.25
"""How many of all trials make a second change, and of those a third."""
OTHER_BASE = 0.4
"""How many trials do not begin with the plain base."""


class Shape(StrEnum):
    """In which order deeds are done."""

    CHANGE = "change"
    """At rest, change, at rest, back, at rest, delete."""
    BORN = "born"
    """Create as changed, at rest, back to the base, at rest, delete."""
    HURRY = "hurry"
    """At rest, changes and the way back without a pause between, at rest, delete."""
    CUT = "cut"
    """At rest, change, and delete in the middle of what that sets off."""


SHAPES = (Shape.CHANGE,) * 5 + (Shape.BORN,) * 3 + (Shape.HURRY, Shape.CUT)


class Trial(Struct, frozen=True, kw_only=True):
    """What is tried on one resource in a namespace of its own."""

    seed: int
    number: int
    kind: str
    base: str
    shape: Shape
    changes: tuple[Change, ...]
    pause: float
    """Before the deletion of a trial that is cut, in seconds."""

    @property
    def name(self) -> str:
        """Its namespace."""
        return f"fuzz-{self.kind.lower()}-{self.seed}-{self.number}"

    def told(self) -> str:
        """Return what is tried, in one line."""
        fields = ", ".join(f"{one.field}={_short(one.value)}" for one in self.changes)
        return f"{self.name} ({self.base}, {self.shape}): {fields}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def trials(kind: str, seed: int, count: int, prefix: str = "") -> Iterator[Trial]:
    """Yield so many trials of a seed."""
    fields = _in_turn(fields_of(kind, seed, prefix))
    for number in range(count):
        yield _drawn(kind, seed, number, fields)


def _in_turn(fields: list[Field]) -> list[Field]:
    """Return fields so that a kind's own and those of the cluster in it take turns."""
    inner = [one for one in fields if CLUSTER_SPECS & set(one.path)]
    own = [one for one in fields if not CLUSTER_SPECS & set(one.path)]
    if not inner or not own:
        return fields
    times = -(-len(inner) // len(own))
    pairs = zip(inner, own * times, strict=False)
    return [each for pair in pairs for each in pair]


def _drawn(kind: str, seed: int, number: int, fields: list[Field]) -> Trial:
    chance = Random(f"trial {seed} {kind} {number}")
    bases = tuple(BASES[kind])
    base = chance.choice(bases[1:]) if chance.random() < OTHER_BASE else bases[0]
    chosen = [fields[number % len(fields)]]
    while len(chosen) < 3 and chance.random() < MORE_CHANGES:
        chosen.append(chance.choice(fields))
    trial = Trial(
        seed=seed,
        number=number,
        kind=kind,
        base=base,
        shape=chance.choice(SHAPES),
        changes=(),
        pause=chance.choice((0.0, 0.05, 0.3, 1.0, 3.0)),
    )
    spec = BASES[kind][base]["spec"]
    changes = tuple(_change(one, value_at(spec, one.path), chance) for one in chosen)
    return replace(trial, changes=changes)


def _change(field: Field, current: object, chance: Random) -> Change:
    return Change(path=field.path, value=chance.choice(values_for(field, current)))
