"""What is lost as fast as it is made: the resource itself may be gone, and nobody has seen it.

What a deleted resource owned is taken away by the garbage collection, as fast as it is made anew
while no watch tells of the deletion. So when something that was made a moment ago is gone again,
the resource is read together with what is made anew, which nobody waits for. Once a reading has
found it going or gone, nothing more is made until that is seen.
"""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from shared.actions.objects import Action, ConfirmObject, CreateObject
from shared.aggregates.view import View
from shared.events.objects import ObjectGone

AT_ONCE = timedelta(seconds=10)
"""What lived shorter was hardly meant to be taken away."""


def read_itself(view: View, wanted: Iterable[Action]) -> Iterator[ConfirmObject]:
    """Yield a reading of the resource itself, if what is wanted was made and lost at once."""
    kinds = {action.kind for action in wanted if isinstance(action, CreateObject)}
    for seen in view.children.values():
        if isinstance(seen, ObjectGone) and seen.kind in kinds and _lost_at_once(view, seen):
            because = f"{seen.kind} {seen.name} was made a moment ago and is gone again"
            yield ConfirmObject(
                kind=view.key.kind, name=view.key.name, rule="confirm", because=because
            )
            return


def _lost_at_once(view: View, gone: ObjectGone) -> bool:
    return gone.created_at is not None and view.now - gone.created_at < AT_ONCE


def found_going(view: View) -> bool:
    """Whether a reading has found the resource going or gone, and no watch shows it yet."""
    return any(
        (entry.kind, entry.name) == (view.key.kind, view.key.name)
        and entry.what in ("delete", "gone")
        and entry.resource_version
        for entry in view.expectations
    )
