"""Records as links of a chain, in people's words. Pure."""

from collections.abc import Iterator, Mapping

from heliograph.views.chronicle import Chapter, Deed, act_in
from heliograph.views.findings import Link
from heliograph.views.wishes import came_of, deed_words, wishes_of
from shared.actions.objects import Action
from shared.actions.outcomes import Occupied, Refused
from shared.events.envelope import Record
from shared.events.records import StatusWritten, TimerFired
from shared.kernel.manifests import entries_at, text_at

SHOWN_MAX = 1
"""How many refusals of one act are told: they are alike."""
_STAGES = ("state", "jobDeploymentStatus", "jobStatus", "reason", "message")


def link_of(chapter: Chapter, record: Record) -> Link:
    """Return a fact as a link."""
    moments = chapter.moments.get(record.sequence, ())
    what = moments[0].what if moments else "seen"
    text = _first(chapter, record)
    if isinstance(record.envelope.body, StatusWritten):
        what, text = "told", f"status: {'; '.join(_told(chapter, record)) or 'details only'}"
    return _link(chapter, record, what, text)


def _first(chapter: Chapter, record: Record) -> str:
    """Return what a record says; of many answers those that went wrong, and not all of them."""
    bad = [
        f"{deed_words(deed.action)}{came_of(deed.outcome)}"
        for deed in chapter.deeds
        if deed.answer is record and isinstance(deed.outcome, Refused | Occupied)
    ]
    left = len(bad) - SHOWN_MAX
    more = [f"and {left} more"] if left > 0 else []
    return "; ".join((*bad[:SHOWN_MAX], *more)) if bad else chapter.text(record)


def act_link(chapter: Chapter, act: Record, action: Action | None = None) -> Link:
    """Return a decision as a link; of one of its actions, if that is what is asked about."""
    body = act_in(act)
    because = (action.because,) if action is not None else body.because
    text = deed_words(action) if action is not None else wishes_of(body)
    rule = action.rule if action is not None else ""
    return Link(
        sequence=act.sequence,
        at=act.at,
        resource=str(chapter.key),
        what="decided",
        text=text,
        because=because,
        rule=rule,
        code=f"{act.envelope.code}, rules {body.rules}",
    )


def answer_link(chapter: Chapter, deed: Deed) -> Iterator[Link]:
    """Yield what came of an action, if that is told."""
    if deed.answer is not None and deed.outcome is not None:
        text = f"{deed_words(deed.action)}{came_of(deed.outcome)}"
        yield _link(chapter, deed.answer, "done", text)


def _link(chapter: Chapter, record: Record, what: str, text: str) -> Link:
    return Link(
        sequence=record.sequence, at=record.at, resource=str(chapter.key), what=what, text=text
    )


def _told(chapter: Chapter, record: Record) -> tuple[str, ...]:
    """Say what a status changed: in the words it came with, or else what is plain to see."""
    body, former = record.envelope.body, chapter.before(record)
    if not isinstance(body, StatusWritten) or body.because:
        return body.because if isinstance(body, StatusWritten) else ()
    known = former.envelope.body if former else None
    before = known.status if isinstance(known, StatusWritten) else {}
    return tuple(_differences(before, body.status))


def _differences(before: Mapping[str, object], now: Mapping[str, object]) -> Iterator[str]:
    for field in _STAGES:
        old, new = text_at(before, field), text_at(now, field)
        if old != new and new:
            yield f"{field}: {old} -> {new}" if old else f"{field}: {new}"
    held = {one.get("type"): one.get("status") for one in entries_at(before, "conditions")}
    for one in entries_at(now, "conditions"):
        type_, status = one.get("type"), one.get("status")
        if held.get(type_) != status and (status == "True" or type_ in held):
            yield f"{type_} is {status} ({one.get('reason')})"


def fired_in(record: Record) -> TimerFired | None:
    """Return the timer that a record tells of."""
    body = record.envelope.body
    return body if isinstance(body, TimerFired) else None


def is_retry(record: Record) -> bool:
    """Whether a record is the timer after which what was refused is tried again."""
    fired = fired_in(record)
    return fired is not None and fired.timer == "retry"
