"""Where a chain can end, beside what a single fact says: refusals, deadlines, upgrades, delays."""

from collections.abc import Iterator
from datetime import timedelta

from msgspec.structs import replace

from heliograph.views import findings
from heliograph.views.chronicle import Chapter, Deed, about, act_in
from heliograph.views.findings import Finding
from heliograph.views.linking import fired_in
from heliograph.views.waits import span_words
from heliograph.views.wishes import deed_words
from shared.actions.objects import Action
from shared.actions.outcomes import AlreadySo, Done, Gone, Occupied, Refused, Unknown
from shared.aggregates.obstacles import REFUSED, UNAVAILABLE, cause_of_refusal
from shared.aggregates.rayjob import ACTIVE_DEADLINE, EXPIRY, PRE_RUNNING_DEADLINE
from shared.aggregates.rayservice import INITIALIZING, ROLLBACK
from shared.events.envelope import Record
from shared.events.objects import Observation, ResourceSeen, uid_of
from shared.kernel.keys import ResourceKey

LATE = timedelta(seconds=30)
"""An act that comes so long after its reason is told as late."""
_LIMITS = {
    ACTIVE_DEADLINE: "activeDeadlineSeconds",
    PRE_RUNNING_DEADLINE: "preRunningDeadlineSeconds",
    INITIALIZING: "",
}


def refused(deed: Deed) -> Finding:
    """Say that the API server said no, in its own words."""
    asked, outcome = deed_words(deed.action), deed.outcome
    if isinstance(outcome, Occupied):
        clause = f"the name is somebody else's: {asked}: {outcome.message}"
        return Finding(cause="Occupied", because=clause)
    message = outcome.message if isinstance(outcome, Refused) else ""
    if isinstance(outcome, Refused) and outcome.outage:
        clause = f"the API server could not {asked}: {message}"
        return Finding(cause=cause_of_refusal(message, UNAVAILABLE), because=clause)
    clause = f"the API server refused to {asked}: {message}"
    return Finding(cause=cause_of_refusal(message, REFUSED), because=clause)


def deadline(chapter: Chapter, record: Record) -> Finding | None:
    """Say which limit of the user's a timer was for."""
    fired = fired_in(record)
    if fired is None or fired.timer not in _LIMITS:
        return None
    field = _LIMITS[fired.timer]
    limit = _field(chapter, record, field)
    told = f"its {field} ({limit}) had passed" if field else "its patience was over"
    return Finding(cause=findings.DEADLINE, because=told)


def stayed(chapter: Chapter, record: Record) -> Finding | None:
    """Say that a job's time after its end is over."""
    fired = fired_in(record)
    if fired is None or fired.timer != EXPIRY:
        return None
    limit = _field(chapter, record, "ttlSecondsAfterFinished")
    told = f" (ttlSecondsAfterFinished: {limit})" if limit is not None else ""
    return Finding(
        cause=findings.EXPIRED, because=f"the job was over, and its time after that, too{told}"
    )


def _field(chapter: Chapter, before: Record, name: str) -> object:
    for one in reversed(chapter.itself):
        body = one.envelope.body
        if one.sequence < before.sequence and isinstance(body, ResourceSeen):
            return body.spec.get(name)
    return None


def refined(chapter: Chapter, deed: Deed, found: Finding) -> Finding:
    """Call a change of the spec what it was for."""
    if found.cause != findings.SPEC_EDIT:
        return found
    if deed.action.rule == "recreate":
        return replace(found, cause=findings.UPGRADE)
    if chapter.key.kind != "rayservice":
        return found
    edited = found.links[-1].sequence if found.links else 0
    back = any(
        mark.startswith(ROLLBACK)
        for act in chapter.acts
        if edited < act.sequence <= deed.act.sequence
        for mark in act_in(act).noted
    )
    return replace(found, cause=findings.ROLLBACK if back else findings.UPGRADE)


def hastened(act: Record, prompt: Record, *, fresh: bool) -> Iterator[str]:
    """Say where time was lost: a timer that was late, an act that was, if its reason was fresh."""
    fired = fired_in(prompt)
    if fired is not None and prompt.at - fired.due_at > LATE:
        late = span_words(prompt.at - fired.due_at)
        yield f"the timer {fired.timer} went off {late} late: no server kept the time meanwhile"
    if fresh and act.at - prompt.at > LATE:
        late = span_words(act.at - prompt.at)
        yield f"it was decided {late} later: no reconciler was deciding meanwhile"


def deed_on(chapter: Chapter, verb: type[Action], key: ResourceKey, before: Record) -> Deed | None:
    """Return the last action of this kind on the object that a record tells of, from before it.

    One that was refused, or overtaken, has not made it; nor one on a former object of that name.
    """
    body = before.envelope.body
    uid = uid_of(body) if isinstance(body, Observation) else ""
    for deed in reversed(chapter.deeds):
        asked = deed.act.sequence < before.sequence and isinstance(deed.action, verb)
        if not asked or about(deed.action) != (key.kind, key.name):
            continue
        told = {getattr(each, "uid", "") for each in (deed.action, deed.outcome)} - {""}
        if told <= {uid} and _may_have_worked(deed):
            return deed
    return None


def _may_have_worked(deed: Deed) -> bool:
    return deed.outcome is None or isinstance(deed.outcome, Done | AlreadySo | Gone | Unknown)
