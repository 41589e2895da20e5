"""Which timers to arm and which to cancel. Pure.

A schedule holds the sequence of the act that asked for it, and an older act never replaces a newer
one's. A timer that has gone off already is not armed again.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from shared.events import subjects
from shared.events.decisions import Decided, Timer
from shared.kernel.keys import ResourceKey


class Arm(Struct, frozen=True, kw_only=True):
    """Arm this timer for this act."""

    key: ResourceKey
    uid: str
    act: int
    timer: Timer


class Disarm(Struct, frozen=True, kw_only=True):
    """Cancel what is armed under this subject, unless a later act asked for it."""

    subject: str
    act: int


Change = Arm | Disarm


class Asked(Struct, frozen=True, kw_only=True):
    """An act, as far as timers go."""

    key: ResourceKey
    uid: str
    sequence: int
    act: Decided


def changes_of(asked: Asked) -> Iterator[Change]:
    """Yield what one act asks for."""
    for timer in asked.act.timers:
        yield Arm(key=asked.key, uid=asked.uid, act=asked.sequence, timer=timer)
    for name in asked.act.cancelled:
        yield Disarm(subject=subjects.timer(asked.key, name), act=asked.sequence)


def repairs(
    acts: Mapping[ResourceKey, Asked],
    armed: Mapping[str, int],
    fired: Mapping[str, datetime],
    unread: Collection[ResourceKey] = (),
) -> Iterator[Change]:
    """Compare the last acts with what is armed (subject to act) and what went off (to due time).

    `armed` must have been read first: then whatever is armed was asked for by an act that is read
    here or by an earlier one. Armed for a later one means that the log has lost that act. Of
    resources whose act is `unread`, nothing is touched.
    """
    wanted = set()
    for asked in acts.values():
        for timer in asked.act.timers:
            subject = subjects.timer(asked.key, timer.name)
            wanted.add(subject)
            act = armed.get(subject, -1)
            if act > asked.sequence:
                yield Disarm(subject=subject, act=act + 1)
            gone_off = fired.get(subjects.fired(asked.key, timer.name)) == timer.due_at
            if not gone_off and act != asked.sequence:
                yield Arm(key=asked.key, uid=asked.uid, act=asked.sequence, timer=timer)
    left_alone = {subjects.timer(key, "").rpartition(".")[0] for key in unread}
    for subject, act in armed.items():
        if subject not in wanted and subject.rpartition(".")[0] not in left_alone:
            yield Disarm(subject=subject, act=act + 1)
