"""What was refused waits: for a timer that grows with every refusal, or for a new spec.

Only the wish that was refused waits; everything else of the resource goes on. When the timer fires
all of it is tried again. When nobody wants it any more, that is said once, so that the trouble does
not outlive its cause. A budget that lets some deletions through is no refusal that would grow.
"""

from collections.abc import Iterator
from datetime import timedelta

from msgspec import Struct

from shared.actions.objects import Action, DeleteObject
from shared.actions.outcomes import UNREADY, Done
from shared.aggregates.expectations import answered
from shared.aggregates.obstacles import is_outage
from shared.aggregates.troubles import Wish, fresh_troubles, wish_of
from shared.aggregates.view import View
from shared.events.approvals import HELD
from shared.events.decisions import Timer, Trouble

RETRY = "retry"
RETRY_FIRST = timedelta(seconds=2)
RETRY_LONGEST = timedelta(minutes=5)
OUTAGE_LONGEST = timedelta(minutes=1)
"""An API server that could not answer will be back, and everything waits for it."""
UNREADY_LONGEST = timedelta(seconds=8)
"""Who was to take requests was not ready in that moment; whoever waits for them waits for this."""
_DOUBLINGS_MAX = 20


def growing(first: timedelta, times: int, *, outage: bool) -> timedelta:
    """Return how long to pause after so many times in vain."""
    longest = OUTAGE_LONGEST if outage else RETRY_LONGEST
    return min(first * (1 << min(times, _DOUBLINGS_MAX)), longest)


class Waiting(Struct, frozen=True, kw_only=True):
    """What an act has to say about refusals."""

    blocked: frozenset[Wish | None] = frozenset()
    troubles: tuple[Trouble, ...] = ()
    timers: tuple[Timer, ...] = ()
    refusals: int = 0
    because: tuple[str, ...] = ()


def wait_for(view: View, wanted: tuple[Action, ...]) -> Waiting:
    """Say what of the wanted actions must wait, how long, and what it waits for."""
    act = view.act
    if act is None or view.own is None or act.seen.generation != view.own.meta.generation:
        return Waiting()
    fresh = () if view.open else fresh_troubles(view)
    retry = next((timer for timer in act.timers if timer.name == RETRY), None)
    pending = retry is not None and RETRY not in view.woken
    former = act.troubles if pending else ()
    wishes = {wish_of(action) for action in wanted}
    waiting = tuple(trouble for trouble in (*former, *fresh) if wish_of(trouble) in wishes)
    tried = () if pending else tuple(t for t in act.troubles if wish_of(t) in wishes)
    again = tuple(t for t in tried if wish_of(t) not in {wish_of(other) for other in waiting})
    waited_for = () if again or retry is None else act.troubles
    doubted = any(entry.error for entry in view.expectations)
    kept = act.refusals if waiting or again or doubted else 0
    refusals = (0 if _some_let_through(view, fresh) else act.refusals) + 1 if fresh else kept
    return Waiting(
        blocked=frozenset(wish_of(trouble) for trouble in waiting),
        troubles=waiting + again,
        timers=tuple(_timers(view, waiting, retry if pending and not fresh else None, refusals)),
        refusals=refusals,
        because=tuple(_because(view, fresh, waiting, waited_for)),
    )


def _some_let_through(view: View, fresh: tuple[Trouble, ...]) -> bool:
    """Whether deletions were held back by their number alone, and others of them were done."""
    held = all(trouble.message.startswith(HELD) for trouble in fresh)
    return held and any(
        isinstance(action, DeleteObject) and isinstance(outcome, Done)
        for action, outcome in (answered(view.act, view.answer) if view.act else ())
    )


def _timers(
    view: View, waiting: tuple[Trouble, ...], former: Timer | None, refusals: int
) -> Iterator[Timer]:
    if not waiting:
        return
    outage = all(map(is_outage, waiting))
    delay = growing(RETRY_FIRST, refusals - 1, outage=outage)
    if any(trouble.message.startswith(UNREADY) for trouble in waiting):
        delay = min(delay, UNREADY_LONGEST)
    yield former or Timer(
        name=RETRY, due_at=view.now + delay, because="what was refused is tried again"
    )


def _because(
    view: View,
    fresh: tuple[Trouble, ...],
    waiting: tuple[Trouble, ...],
    waited_for: tuple[Trouble, ...],
) -> Iterator[str]:
    """Say what is new; what is in flight may be all that keeps a wish from being wanted again."""
    if fresh and waiting:
        told = "; ".join(dict.fromkeys(trouble.message for trouble in fresh))
        yield f"waiting before asking again: {told}"
    elif (waited_for or (fresh and not view.expectations)) and not waiting:
        yield "what was refused before is no longer wanted"
