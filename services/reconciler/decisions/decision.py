"""From a draft to an act.

Concerns fill a draft: what should be done now. Sealing it adds what every act has to say: what it
saw, what earlier acts have in flight, the timers it wants, what is in its way, its id. Two rules
live here because they hold for every kind: what was refused waits for a growing timer or a new
spec (`waiting.py`), and what stays unseen is read again instead of guessed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import chain, groupby

from msgspec import Struct, field
from msgspec.structs import replace

from services.reconciler.decisions.settings import DecisionSettings, digest_of
from services.reconciler.decisions.short_lived import found_going, read_itself
from services.reconciler.decisions.waiting import Waiting, growing, wait_for
from shared.actions.objects import Action, ConfirmObject, CreateObject, DeleteObject
from shared.aggregates.shadows import wishes_stand
from shared.aggregates.troubles import wish_of
from shared.aggregates.view import View
from shared.events import subjects
from shared.events.codec import encode
from shared.events.decisions import REFRESH, WAKE, Decided, Expectation, Seen, Timer, Trouble
from shared.events.told import Want
from shared.kernel.ids import content_id

RULES = "1"
"""Version of the rules; a worker leaves acts of newer rules alone."""
WAKE_AFTER = timedelta(seconds=20)
"""Longer than the executor's call deadline and its acknowledgement wait."""
ACTIONS_MAX = 64
BYTES_MAX = 800_000
"""What the actions and manifests of one act may take; a message holds a little more than this."""
"""How many actions one act may hold, unless it is one unit that has more."""


class Draft(Struct, frozen=True, kw_only=True):
    """What the concerns of a kind want now, in order."""

    phase: str
    actions: tuple[Action, ...] = ()
    manifests: dict[str, dict[str, object]] = field(default_factory=dict)
    noted: tuple[str, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    timers: tuple[Timer, ...] = ()
    """Carried by every act of the phase, with the same due time, until no longer wanted."""
    wants: tuple[Want, ...] = ()
    """What to ask beside what is watched, until no longer wanted."""
    because: tuple[str, ...] = ()
    """Set when the act must be written although it asks for nothing."""


class Context(Struct, frozen=True, kw_only=True):
    """What every decision is made in: the settings, and the watchers' session it rests on."""

    settings: DecisionSettings
    session: str


def seal(view: View, draft: Draft, context: Context) -> Decided | None:
    """Turn a draft into an act; None if there is nothing new to say."""
    waiting = wait_for(view, draft.actions)
    actions = tuple(_bounded(view, draft, waiting))
    because = _reasons(actions) if actions else _because(view, draft, waiting)
    if not because:
        return None
    act = Decided(
        id="",
        fence=view.act_fence,
        based_on=view.based_on,
        decided_at=view.now,
        seen=Seen(
            session=context.session,
            generation=view.own.meta.generation if view.own else 0,
            phase=draft.phase,
            deleting=view.own is not None and view.own.meta.deleted_at is not None,
        ),
        rules=RULES,
        settings=digest_of(context.settings),
        because=because,
        actions=actions,
        manifests={name: draft.manifests[name] for name in _used(actions)},
        expectations=view.expectations,
        timers=(
            *_wake(view, actions),
            *waiting.timers,
            *draft.timers,
            _refresh(view, context),
        ),
        wants=draft.wants,
        noted=draft.noted,
        troubles=waiting.troubles + draft.troubles,
        refusals=waiting.refusals,
    )
    return identify(view, act)


def identify(view: View, act: Decided) -> Decided:
    """Give an act its list of cancelled timers and its id."""
    wanted = {timer.name for timer in act.timers}
    former = view.last_act.timers if view.last_act else ()
    named = replace(
        act, cancelled=tuple(timer.name for timer in former if timer.name not in wanted)
    )
    return replace(named, id=content_id(subjects.act(view.key), act.fence, encode(named)))


def _bounded(view: View, draft: Draft, waiting: Waiting) -> Iterator[Action]:
    """Return what is due to be read again, then as much of the draft as one act may hold."""
    due = [_confirm(entry) for entry in view.expectations if _overdue(view, entry)]
    wanted = [action for action in draft.actions if wish_of(action) not in waiting.blocked]
    if found_going(view):
        wanted = [action for action in wanted if not isinstance(action, CreateObject)]
    runs = tuple(_fitting((*due, *read_itself(view, wanted), *wanted)))
    if len(encode((runs, draft.manifests))) <= BYTES_MAX:
        return chain.from_iterable(runs)
    return _small_enough(runs, draft.manifests)


def _fitting(actions: Sequence[Action]) -> Iterator[tuple[Action, ...]]:
    """Yield from the front what fits into one act, no unit in part, each run by itself."""
    left = ACTIONS_MAX
    for unit, alike in groupby(actions, key=_unit_of):
        run = tuple(alike)
        if unit and len(run) > left < ACTIONS_MAX:
            return
        if unit:
            yield run
        else:
            yield from ((action,) for action in run[:left])
        left = max(left - len(run), 0)


def _small_enough(
    runs: Iterable[tuple[Action, ...]], manifests: Mapping[str, object]
) -> Iterator[Action]:
    """Yield runs until the act would be too large for one message; one always goes."""
    size, known = 0, set[str]()
    for run in runs:
        named = set(_used(run)) - known
        more = sum(len(encode(manifests[name])) for name in named) + len(encode(run))
        if size and size + more > BYTES_MAX:
            return
        size, known = size + more, known | named
        yield from run


def _unit_of(action: Action) -> str:
    return action.unit if isinstance(action, CreateObject | DeleteObject) else ""


def _overdue(view: View, entry: Expectation) -> bool:
    waited = view.now - entry.since >= _patience(entry.asked)
    return entry.what != "gone" and (WAKE in view.woken or waited)


def _patience(asked: int) -> timedelta:
    """Return how long to wait for the sight of something that was read so often in vain.

    A minute at most: the same timer is all that ends the wait for an answer that never comes.
    """
    return growing(WAKE_AFTER, asked, outage=True)


def _confirm(entry: Expectation) -> ConfirmObject:
    return ConfirmObject(
        kind=entry.kind,
        name=entry.name,
        rule="confirm",
        because=f"the {entry.what} of {entry.kind} {entry.name} has not been seen for too long",
    )


def _because(view: View, draft: Draft, waiting: Waiting) -> tuple[str, ...]:
    """Say why an act must be written although it asks for nothing; empty if it need not."""
    if view.open:
        return ("the act before this one stayed without an answer", *draft.because)
    if REFRESH in view.woken:
        return ("the last act is kept from ageing out", *draft.because)
    if wishes_stand(view):
        return ("what was wanted is there, or wanted no longer", *draft.because)
    news = (_wanted_timers(view, draft), _changed_wants(view, draft))
    new = (*waiting.because, *draft.because, *chain.from_iterable(news))
    return new or _looked_at(view, draft)


def _wanted_timers(view: View, draft: Draft) -> Iterator[str]:
    """Say why each timer is wanted that the last act does not have."""
    known = view.act.timers if view.act else ()
    return (timer.because for timer in draft.timers if timer not in known)


def _changed_wants(view: View, draft: Draft) -> Iterator[str]:
    """Say what is to be asked from now on, and that something no longer is."""
    known = view.act.wants if view.act else ()
    yield from (want.because for want in draft.wants if want not in known)
    left = {want.name for want in known} - {want.name for want in draft.wants}
    yield from (f"nothing more is asked about {name}" for name in sorted(left))


def _looked_at(view: View, draft: Draft) -> tuple[str, ...]:
    """Say that a generation was looked at, once per verdict; the status waits for this word."""
    generation = view.own.meta.generation if view.own else 0
    act = view.act
    known = act.troubles if act and act.seen.generation == generation else None
    if known is not None and _makes_sense(known) == _makes_sense(draft.troubles):
        return ()
    return (f"generation {generation} asks for nothing that is not there",)


def _makes_sense(troubles: tuple[Trouble, ...]) -> bool:
    return all(trouble.verb != "validate" for trouble in troubles)


def _reasons(actions: tuple[Action, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(action.because for action in actions))


def _wake(view: View, actions: tuple[Action, ...]) -> Iterator[Timer]:
    """Yield a timer for the first answer or sight that will be overdue."""
    if not actions and not view.expectations:
        return
    read = {(one.kind, one.name) for one in actions if isinstance(one, ConfirmObject)}
    pauses = [
        _patience(entry.asked + 1)
        if (entry.kind, entry.name) in read
        else _patience(entry.asked) - (view.now - entry.since)
        for entry in view.expectations
        if entry.what != "gone"
    ]
    changes = len(read) < len(actions)
    pause = WAKE_AFTER if changes else max(min(pauses, default=WAKE_AFTER), WAKE_AFTER)
    yield Timer(name=WAKE, due_at=view.now + pause, because="an answer or a sight is overdue")


def _refresh(view: View, context: Context) -> Timer:
    due_at = view.now + context.settings.refresh_after
    return Timer(name=REFRESH, due_at=due_at, because="the log forgets what is old")


def _used(actions: tuple[Action, ...]) -> tuple[str, ...]:
    names = (action.manifest for action in actions if isinstance(action, CreateObject))
    return tuple(dict.fromkeys(names))
