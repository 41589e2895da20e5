"""Why an object that is no resource is there, suffers, or is gone: a pod, a service, a job. Pure.

One that is gone is asked who took it, one that lives whether it suffers, then who made it. Several
may have had its name, one after the other: each is answered for by its uid. Read next:
incarnations.py, and tracing.py for the way back to a cause.
"""

from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from heliograph.views import roots
from heliograph.views.chronicle import Chapter, Chronicle, about, is_gone, seen_in
from heliograph.views.findings import Finding, Why
from heliograph.views.incarnations import deletion_of, formerly, joined, lives_of
from heliograph.views.linking import link_of
from heliograph.views.origins import deed_on
from heliograph.views.prompts import POD_ILL, kind_of
from heliograph.views.tracing import Tracer
from shared.actions.objects import CreateObject
from shared.actions.outcomes import Occupied, Refused
from shared.aggregates.blame import Wait, waits_of_pod
from shared.aggregates.obstacles import is_ready
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, Observation, PodSeen
from shared.kernel.keys import ResourceKey

BECAUSE, SUFFERS, MADE = " because ", ": ", ", made because "
"""How a sentence goes on from the effect to the cause."""


class Life(Struct, frozen=True, kw_only=True):
    """One object of a name: what was seen of it, how it is called, and which one was before it."""

    key: ResourceKey
    uid: str
    sights: tuple[Record, ...]
    name: str
    before: str = ""
    replaced: bool = False
    """Whether another one has its name now."""


def why_object(chronicle: Chronicle, chapter: Chapter, key: ResourceKey) -> Why:
    """Answer for the last object of a name, and for those before it."""
    known = lives_of(chapter.sights(key.kind, key.name))
    name = f"{key.kind} {key.name}"
    if not known:
        return _never_seen(Tracer(chronicle), chapter, key, name)
    several, last = len(known) > 1, tuple(known)[-1]
    lives = (
        Life(
            key=key,
            uid=uid,
            sights=known[uid],
            name=f"{name} (uid {uid})" if several else name,
            before=before,
            replaced=uid != last,
        )
        for before, uid in pairwise(("", *known))
    )
    told = [replace(_of_life(Tracer(chronicle), chapter, one), uid=one.uid) for one in lives]
    return joined(chronicle, key, told) if several else told[0]


def _of_life(tracer: Tracer, chapter: Chapter, life: Life) -> Why:
    key, sights, last = life.key, life.sights, life.sights[-1]
    leaves = going(sights)
    if leaves is not None:
        found = tracer.fact(chapter, leaves)
        gone = life.replaced or is_gone(last)
        return answer(key, f"{life.name} is {'gone' if gone else 'ending'}", found)
    if life.replaced:
        return _unseen_end(tracer, chapter, life)
    seen = seen_in(last)
    made = deed_on(chapter, CreateObject, key, last)
    found = tracer.deed(chapter, made) if made else tracer.fact(chapter, sights[0])
    state, suffers = _state(life.name, seen)
    ill = _illness(chapter, sights)
    if suffers is not None or ill is not None:
        finding = suffers or (roots.restarted(seen) if isinstance(seen, PodSeen) else None)
        links = (link_of(chapter, ill),) if ill is not None else ()
        if finding is not None:
            whole = replace(finding, links=(*links, *found.links))
            return answer(key, state, whole, SUFFERS)
    if life.before:
        because = formerly(found.because, f"{key.kind} {key.name}", life.before)
        found = replace(found, because=because)
    return answer(key, state, found, MADE)


def _unseen_end(tracer: Tracer, chapter: Chapter, life: Life) -> Why:
    """Answer for an object that nobody saw go before another one had its name."""
    effect = f"{life.name} is gone"
    deed = deletion_of(chapter, life.key, life.uid)
    if deed is not None:
        return answer(life.key, effect, tracer.deed(chapter, deed))
    pods = [body for one in life.sights if isinstance(body := one.envelope.body, PodSeen)]
    found = roots.vanished(life.key.kind, life.key.name, pods)
    links = (link_of(chapter, life.sights[-1]),)
    return answer(life.key, effect, replace(found, links=links))


def going(sights: tuple[Record, ...]) -> Record | None:
    """Return the record with which an object that is going or gone began to go."""
    first = None
    for one in reversed(sights):
        if not _leaving(seen_in(one)):
            break
        first = one
    return first


def _leaving(seen: Observation | None) -> bool:
    return isinstance(seen, ObjectGone) or (seen is not None and seen.meta.deleted_at is not None)


def _state(name: str, seen: Observation | None) -> tuple[str, Finding | None]:
    """Say how an object is, and what it suffers from."""
    if not isinstance(seen, PodSeen):
        return f"{name} is there", None
    if is_ready(seen):
        again = roots.restarted(seen)
        state = "is ready again" if again is not None else "is ready"
        return f"{name} {state}", again
    suffers = roots.befallen(seen) or next(map(_as_finding, waits_of_pod(seen)), None)
    return f"{name} is {seen.phase or 'new'} and not ready", suffers


def _as_finding(wait: Wait) -> Finding:
    return Finding(cause=wait.cause, because=wait.words)


def _illness(chapter: Chapter, sights: tuple[Record, ...]) -> Record | None:
    ill = (one for one in reversed(sights) if kind_of(chapter, one) == POD_ILL)
    return next(ill, None)


def _never_seen(tracer: Tracer, chapter: Chapter, key: ResourceKey, name: str) -> Why:
    """Answer for an object that was asked for and never seen."""
    deeds = [one for one in chapter.deeds if about(one.action) == (key.kind, key.name)]
    last = deeds[-1]
    bad = isinstance(last.outcome, Refused | Occupied)
    effect = f"{name} was never made" if bad else f"{name} was asked for and not seen"
    return answer(key, effect, tracer.deed(chapter, last))


def answer(key: ResourceKey, effect: str, found: Finding, joint: str = BECAUSE) -> Why:
    """Make an answer of an effect and of what was found to be behind it."""
    return Why(
        about=str(key),
        cause=found.cause,
        sentence=f"{effect}{joint}{found.because}",
        links=found.links,
        hints=found.hints,
    )
