"""When a shadow has something new to say: as soon as it wants something else, and not before.

Its wishes are never fulfilled by itself, so deciding the same once more would repeat them at bus
speed, and waiting for a timer would miss what the other operator does meanwhile. Names that a
decision draws do not make a wish another one. What nobody watches is asked for again when the timer
of the act goes off, so that the executor looks once more.
"""

from collections import Counter

from shared.actions.objects import Action
from shared.aggregates.shadows import out_of_sight
from shared.aggregates.troubles import Wish, wish_of
from shared.aggregates.view import View
from shared.events.decisions import REFRESH, WAKE, Decided, Timer

_OF_EVERY_ACT = frozenset({WAKE, REFRESH})


def nothing_new(view: View, act: Decided) -> bool:
    """Whether an act only repeats the wishes that stand in the last one."""
    last = view.act
    if last is None or REFRESH in view.woken:
        return False
    if WAKE in view.woken and any(map(out_of_sight, act.actions)):
        return False
    return _said(act) == _said(last)


def _said(act: Decided) -> tuple[object, ...]:
    """Return what an act says beside names, ids and moments of its own."""
    return (
        _wishes(act.actions),
        (act.seen.generation, act.seen.phase, act.seen.deleting),
        act.wants,
        act.noted,
        act.troubles,
        frozenset(timer for timer in act.timers if _chosen(timer)),
    )


def _wishes(actions: tuple[Action, ...]) -> Counter[Wish | None]:
    return Counter(map(wish_of, actions))


def _chosen(timer: Timer) -> bool:
    return timer.name not in _OF_EVERY_ACT
