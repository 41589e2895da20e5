"""Why an object is as it is, or is no more: one sentence that names the cause, and the way to it.

Pure. A resource is asked what it waits for first, then what befell it last; an object of a resource
is asked whether it suffers, then who made it; one that is gone, who took it.
"""

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from heliograph.views import findings, roots
from heliograph.views.chronicle import RESOURCES, Chapter, Chronicle, Deed, about, is_gone, seen_in
from heliograph.views.discretion import redactor_for
from heliograph.views.findings import Awaited, Finding, Why
from heliograph.views.linking import link_of
from heliograph.views.origins import deed_on
from heliograph.views.prompts import NEW, PHASE, POD_ILL, SPEC, kind_of
from heliograph.views.resources import SETTLED, effect_of, state_of
from heliograph.views.tracing import Tracer
from heliograph.views.waits import WaitBook, book_of, usual, wait_words
from shared.actions.objects import ConfirmObject, CreateObject, PostNotice
from shared.actions.outcomes import Occupied, Refused
from shared.aggregates.blame import PATIENT, Wait, waits_of_pod
from shared.aggregates.obstacles import is_ready
from shared.aggregates.rayjob import OVER
from shared.aggregates.view import view
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, Observation, PodSeen
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import text_at

BECAUSE, SUFFERS, MADE, LAST = " because ", ": ", ", made because ", "; the last that befell it: "
"""How a sentence goes on from the effect to the cause."""


def why(chronicle: Chronicle, key: ResourceKey, now: datetime | None = None) -> Why | None:
    """Answer for one object; None if the chronicle knows nothing of it.

    Without a moment, now is when the last record was written.
    """
    told = chronicle.telling_of(key)
    if not told:
        return None
    if key.kind in RESOURCES.values() and key in chronicle.chapters:
        found = _of_resource(chronicle, chronicle.chapters[key], now)
    else:
        found = _of_object(chronicle, told[0], key)
    return _discreet(found, chronicle)


def _discreet(found: Why, chronicle: Chronicle) -> Why:
    """Return an answer without secrets, wherever a message repeats one."""
    records = (one for chapter in chronicle.chapters.values() for one in chapter.records)
    hide = redactor_for(records).text
    return replace(
        found,
        sentence=hide(found.sentence),
        links=tuple(
            replace(link, text=hide(link.text), because=tuple(map(hide, link.because)))
            for link in found.links
        ),
        waits=tuple(replace(wait, text=hide(wait.text)) for wait in found.waits),
        hints=tuple(map(hide, found.hints)),
    )


def _of_object(chronicle: Chronicle, chapter: Chapter, key: ResourceKey) -> Why:
    sights, tracer = chapter.sights(key.kind, key.name), Tracer(chronicle)
    last = sights[-1] if sights else None
    name = f"{key.kind} {key.name}"
    if last is None:
        return _never_seen(tracer, chapter, key, name)
    seen = seen_in(last)
    going = _going(sights)
    if going is not None:
        found = tracer.fact(chapter, going)
        effect = f"{name} is gone" if is_gone(last) else f"{name} is ending"
        return _answer(key, effect, found)
    made = deed_on(chapter, CreateObject, key, last)
    found = tracer.deed(chapter, made) if made else tracer.fact(chapter, sights[0])
    state, suffers = _state(name, seen)
    ill = _illness(chapter, sights)
    if suffers is not None or ill is not None:
        finding = suffers or (roots.restarted(seen) if isinstance(seen, PodSeen) else None)
        links = (link_of(chapter, ill),) if ill is not None else ()
        if finding is not None:
            whole = replace(finding, links=(*links, *found.links))
            return _answer(key, state, whole, SUFFERS)
    return _answer(key, state, found, MADE)


def _going(sights: tuple[Record, ...]) -> Record | None:
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
    return _answer(key, effect, tracer.deed(chapter, last))


def _of_resource(chronicle: Chronicle, chapter: Chapter, at: datetime | None) -> Why:
    key, tracer = chapter.key, Tracer(chronicle)
    now = view(key, chapter.records)
    effect = effect_of(now)
    if now.own is None:
        found = tracer.fact(chapter, _going(chapter.itself) or chapter.records[-1])
        return _answer(key, effect, found)
    books = {one: book_of(one, each.records) for one, each in chronicle.chapters.items()}
    waits = tuple(_waits(chronicle, chapter, books))
    worst = next(((book, wait) for book, wait in waits if wait.cause not in PATIENT), None)
    if worst is not None and text_at(now.status, "jobDeploymentStatus") not in OVER:
        found, joint = _waiting(chronicle, tracer, *worst), " and "
    else:
        found = _latest(tracer, chapter, books[key])
        joint = LAST if state_of(now) in SETTLED else BECAUSE
    awaited = tuple(_awaited(wait, at or now.now, books) for _, wait in waits)
    return replace(_answer(key, effect, found, joint), waits=awaited)


def _waits(
    chronicle: Chronicle, chapter: Chapter, books: dict[ResourceKey, WaitBook]
) -> Iterator[tuple[WaitBook, Wait]]:
    """Yield what a resource waits for, and what the clusters below it do, the worst first."""
    now = view(chapter.key, chapter.records)
    below = {
        ResourceKey("raycluster", chapter.key.namespace, name)
        for kind, name in now.children
        if kind == "raycluster" and not isinstance(now.children[kind, name], ObjectGone)
    }
    found = [(books[chapter.key], wait) for wait in books[chapter.key].now()]
    for key in sorted(below & set(chronicle.chapters)):
        through = f"raycluster {key.name}"
        found += [(books[key], replace(wait, through=through)) for wait in books[key].now()]
        found = [one for one in found if one[0].key == key or one[1].through != through]
    yield from sorted(found, key=lambda one: (one[1].rank, one[1].what))


def _waiting(chronicle: Chronicle, tracer: Tracer, book: WaitBook, wait: Wait) -> Finding:
    """Trace what a resource waits for."""
    chapter = chronicle.chapters[book.key]
    began = book.began_with(wait)
    record = next((one for one in chapter.records if one.sequence == began), None)
    through = f" of {wait.through}" if wait.through else ""
    because = f"waits for {wait.what}{through}: {wait.words}"
    if record is None:
        return Finding(cause=wait.cause, because=because)
    found = tracer.fact(chapter, record)
    return replace(found, cause=wait.cause, because=because)


def _latest(tracer: Tracer, chapter: Chapter, book: WaitBook) -> Finding:
    """Trace what befell a resource last: an end, a deed of ours, or a wait that is over."""
    ended = _end_of_job(chapter)
    deed = _last_deed(chapter)
    past = max(
        (one for one in book.over if one.wait.cause not in PATIENT),
        key=lambda one: one.record,
        default=None,
    )
    if ended is not None:
        return tracer.fact(chapter, ended)
    written = [one for one in chapter.itself if kind_of(chapter, one) in (NEW, SPEC)]
    since = max(deed.act.sequence if deed else 0, past.record if past else 0)
    if written and written[-1].sequence > since:
        return tracer.fact(chapter, written[-1])
    if past is not None and (deed is None or past.record > deed.act.sequence):
        record = next(one for one in chapter.records if one.sequence == past.record)
        found = tracer.fact(chapter, record)
        if found.cause == findings.UNKNOWN:
            found = replace(
                found, cause=past.wait.cause, because=f"{past.wait.what}: {past.wait.words}"
            )
        return found
    if deed is not None:
        return tracer.deed(chapter, deed)
    return tracer.fact(chapter, chapter.itself[-1])


def _end_of_job(chapter: Chapter) -> Record | None:
    """Return the status that told the end of a job, if it has ended."""
    statuses = [one for one in chapter.statuses if kind_of(chapter, one) == PHASE]
    for one in reversed(statuses):
        status = getattr(one.envelope.body, "status", {})
        if text_at(status, "jobDeploymentStatus") not in OVER:
            return None
        former = chapter.before(one)
        before = getattr(former.envelope.body, "status", {}) if former else {}
        if text_at(before, "jobDeploymentStatus") not in OVER:
            return one
    return None


def _last_deed(chapter: Chapter) -> Deed | None:
    """Return the last thing that was asked for; of one act what people were told comes first."""
    deeds = [one for one in chapter.deeds if not isinstance(one.action, ConfirmObject)]
    if not deeds:
        return None
    last = [one for one in deeds if one.act is deeds[-1].act]
    notices = [one for one in last if isinstance(one.action, PostNotice)]
    return (notices or last)[0]


def _awaited(wait: Wait, now: datetime, books: dict[ResourceKey, WaitBook]) -> Awaited:
    text = wait_words(wait, now, usual(wait.cause, books.values()))
    return Awaited(cause=wait.cause, text=text, since=wait.since)


def _answer(key: ResourceKey, effect: str, found: Finding, joint: str = BECAUSE) -> Why:
    return Why(
        about=str(key),
        cause=found.cause,
        sentence=f"{effect}{joint}{found.because}",
        links=found.links,
        hints=found.hints,
    )
