"""Why an object is as it is, or is no more: one sentence that names the cause, and the way to it.

Pure. A resource is asked what it waits for first, then what befell it last; one that is gone, who
took it. What a resource owns is asked in objects.py.
"""

from collections.abc import Callable, Iterator
from datetime import datetime

from msgspec.structs import replace

from heliograph.views import findings
from heliograph.views.chronicle import RESOURCES, Chapter, Chronicle, Deed
from heliograph.views.discretion import redactor_for
from heliograph.views.findings import Awaited, Finding, Why
from heliograph.views.objects import BECAUSE, answer, going, why_object
from heliograph.views.prompts import NEW, PHASE, SPEC, kind_of
from heliograph.views.resources import SETTLED, effect_of, state_of
from heliograph.views.tracing import Tracer
from heliograph.views.waits import WaitBook, book_of, usual, wait_words
from shared.actions.objects import ConfirmObject, PostNotice
from shared.aggregates.blame import PATIENT, Wait
from shared.aggregates.rayjob import OVER
from shared.aggregates.view import view
from shared.events.envelope import Record
from shared.events.objects import ObjectGone
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import text_at

LAST = "; the last that befell it: "
"""How a sentence goes on from a settled state to the cause."""


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
        found = why_object(chronicle, told[0], key)
    return _discreet(found, chronicle)


def _discreet(found: Why, chronicle: Chronicle) -> Why:
    """Return an answer without secrets, wherever a message repeats one."""
    records = (one for chapter in chronicle.chapters.values() for one in chapter.records)
    return _hidden(found, redactor_for(records).text)


def _hidden(found: Why, hide: Callable[[str], str]) -> Why:
    return replace(
        found,
        sentence=hide(found.sentence),
        links=tuple(
            replace(link, text=hide(link.text), because=tuple(map(hide, link.because)))
            for link in found.links
        ),
        waits=tuple(replace(wait, text=hide(wait.text)) for wait in found.waits),
        hints=tuple(map(hide, found.hints)),
        former=tuple(_hidden(one, hide) for one in found.former),
    )


def _of_resource(chronicle: Chronicle, chapter: Chapter, at: datetime | None) -> Why:
    key, tracer = chapter.key, Tracer(chronicle)
    now = view(key, chapter.records)
    effect = effect_of(now)
    if now.own is None:
        found = tracer.fact(chapter, going(chapter.itself) or chapter.records[-1])
        return answer(key, effect, found)
    books = {one: book_of(one, each.records) for one, each in chronicle.chapters.items()}
    waits = tuple(_waits(chronicle, chapter, books))
    worst = next(((book, wait) for book, wait in waits if wait.cause not in PATIENT), None)
    if worst is not None and text_at(now.status, "jobDeploymentStatus") not in OVER:
        found, joint = _waiting(chronicle, tracer, *worst), " and "
    else:
        found = _latest(tracer, chapter, books[key])
        joint = LAST if state_of(now) in SETTLED else BECAUSE
    awaited = tuple(_awaited(wait, at or now.now, books) for _, wait in waits)
    return replace(answer(key, effect, found, joint), waits=awaited)


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
    because = f"waits for {wait.where}: {wait.words}"
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
