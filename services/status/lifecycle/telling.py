"""The next lifecycle event of any resource, whole. Pure.

A resource that the log has told nothing of is told as new if it has no status yet, and else by one
event that holds its state: nothing is made up of what happened before. One that is gone, or whose
name another one has now, is told as deleted with the last state that is known of it.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct

from services.status.lifecycle import clusters, crons, jobs, serving
from services.status.lifecycle.steps import Step
from shared.aggregates.troubles import troubles
from shared.aggregates.view import View
from shared.events.approvals import HELD
from shared.events.lifecycle import (
    DATA,
    DELETED,
    HELD_BACK,
    PODS_MAX,
    RELEASED,
    SNAPSHOT,
    STATES,
    About,
    ClusterNews,
    CronNews,
    LifeTold,
)
from shared.kernel.manifests import text_at

Told = LifeTold
_KEPT = frozenset({"resource", "state", "held"})
"""What of an event is still so when nothing has happened since."""


class Kind(Struct, frozen=True, kw_only=True):
    """How one kind of resource is told."""

    first: str
    new: Callable[[View], Any]
    present: Callable[[View], Any]
    following: Callable[[Any, View], Step[Any] | None]


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind: Kind(
            first=first,
            new=module.first_state,
            present=module.present_state,
            following=module.next_step,
        )
        for kind, first, module in (
            ("raycluster", "provisioning", clusters),
            ("rayjob", "created", jobs),
            ("rayservice", "created", serving),
            ("raycronjob", "created", crons),
        )
    }
)


class Event(Struct, frozen=True, kw_only=True):
    """An event to tell, and of which uid it is."""

    body: LifeTold
    uid: str


def next_event(view: View, told: LifeTold | None, told_uid: str) -> Event | None:
    """Return what to tell after the last event, which is of this uid; None if all is told."""
    kind = KINDS.get(view.key.kind)
    if kind is None:
        return None
    number = (told.number if told else 0) + 1
    uid = view.own.meta.uid if view.own else ""
    if told is not None and told.what != DELETED and told_uid != uid:
        gone = view.own is not None or _is_gone(view, told_uid)
        return _deletion(view, told, told_uid, number) if gone else None
    if not uid:
        return None
    mine = told if told_uid == uid else None
    step = _step(kind, view, mine)
    known = text_at(mine.data, "held") if mine else ""
    if step is not None:
        return _event(view, step, uid, number, held=known)
    return _holding(view, mine, number) if mine is not None else None


def told_again(view: View, told: LifeTold, told_uid: str) -> Event | None:
    """Return the state of the last event once more, so that the log does not forget it."""
    if view.own is None or view.own.meta.uid != told_uid or told.what == DELETED:
        return None
    data: dict[str, object] = {"because": "nothing has happened for long"}
    data |= {name: each for name, each in told.data.items() if name in _KEPT}
    return Event(body=LifeTold(what=SNAPSHOT, number=told.number + 1, data=data), uid=told_uid)


def _holding(view: View, told: LifeTold, number: int) -> Event | None:
    """Tell that deletions are held back, or no longer are."""
    held = next((one.message for one in troubles(view) if one.message.startswith(HELD)), "")
    uid = view.own.meta.uid if view.own else ""
    if bool(held) == bool(text_at(told.data, "held")):
        return None
    state = msgspec.convert(told.data.get("state", {}), STATES[view.key.kind])
    what, because = (HELD_BACK, held) if held else (RELEASED, "nothing is held back any more")
    step: Step[Any] = Step(what=what, because=because, state=state)
    return _event(view, step, uid, number, held=held)


def _is_gone(view: View, uid: str) -> bool:
    """Whether a tombstone says so: a resource that is merely not seen may still be there."""
    return view.former is not None and view.former.uid == uid


def _step(kind: Kind, view: View, told: LifeTold | None) -> Step[Any] | None:
    if told is None:
        if view.status:
            state = kind.present(view)
            return Step(what=SNAPSHOT, because="nothing was told of it before", state=state)
        return Step(what=kind.first, because=_author(view), state=kind.new(view))
    state = msgspec.convert(told.data.get("state", {}), STATES[view.key.kind])
    return kind.following(state, view)


def _author(view: View) -> str:
    by = view.own.meta.changed_by if view.own else ""
    return f"it was written by {by}" if by else "it was written"


def _event(view: View, step: Step[Any], uid: str, number: int, *, held: str) -> Event:
    about = About(
        kind=view.key.kind,
        namespace=view.key.namespace,
        name=view.key.name,
        uid=uid,
        generation=view.own.meta.generation if view.own else 0,
    )
    more: dict[str, object] = {"held": held} if held else {}
    data_type = DATA[view.key.kind]
    if data_type is ClusterNews and step.pods:
        more |= {"pods": step.pods[:PODS_MAX], "count": len(step.pods)}
    if data_type is CronNews and step.run:
        more |= {"run": step.run}
    data = data_type(resource=about, because=step.because, state=step.state, **more)  # type: ignore[arg-type] # each type has what its own steps give
    plain = msgspec.json.decode(msgspec.json.encode(data))
    body = LifeTold(what=step.what, number=number, data=plain)
    return Event(body=body, uid=uid)


def _deletion(view: View, told: LifeTold, uid: str, number: int) -> Event:
    about = {**_mapping(told.data.get("resource")), "uid": uid}
    data: dict[str, object] = {
        "resource": about,
        "because": "it is gone" if view.own is None else "another one of this name is there now",
        "state": _mapping(told.data.get("state")),
    }
    return Event(body=LifeTold(what=DELETED, number=number, data=data), uid=uid)


def _mapping(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, dict) else {}
