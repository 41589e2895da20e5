"""From an effect back to its cause, record by record. Pure.

A deed leads to its act, an act to the news it was written for, a fact to whoever made it: an act of
the same or another resource, or somebody outside. What a chain ends with is its finding. No record
is passed twice, so every chain ends.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from heliograph.views import findings, roots
from heliograph.views.chronicle import Chapter, Chronicle, Deed, about, act_in, seen_in
from heliograph.views.findings import Finding, Link
from heliograph.views.incarnations import lives_of
from heliograph.views.linking import act_link, answer_link, fired_in, is_retry, link_of
from heliograph.views.losses import gone_before, head_lost, of_group
from heliograph.views.origins import deadline, deed_on, hastened, refined, refused, stayed
from heliograph.views.prompts import (
    BEHIND_STATUS,
    BY_RULE,
    CHILD_LEFT,
    DELETED,
    NEW,
    ORIGINS,
    PHASE,
    POD_ENDED,
    POD_ILL,
    POD_LEFT,
    REFUSED,
    SPEC,
    TIMER,
    TOLD,
    USUAL,
    chosen,
    kind_of,
    news_behind,
    news_for,
)
from shared.actions.objects import Action, CreateObject, DeleteObject, PatchObject
from shared.actions.outcomes import Occupied, Refused
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, PodSeen, ResourceSeen, uid_of
from shared.events.told import HealthTold, JobTold, Looked, ServeTold
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import text_at

IN_OWN_WORDS = {
    "run": findings.SCHEDULE,
    "skipped": findings.MISSED_RUN,
    "occupied": "Occupied",
    "invalid": findings.INVALID,
}
"""Rules whose own words are the cause."""


class Tracer:
    """Traces one question through a chronicle."""

    def __init__(self, chronicle: Chronicle) -> None:
        self._chronicle = chronicle
        self._passed: set[tuple[ResourceKey, int]] = set()

    def deed(self, chapter: Chapter, deed: Deed) -> Finding:
        """Trace an action of ours."""
        links = (*answer_link(chapter, deed), act_link(chapter, deed.act, deed.action))
        if isinstance(deed.outcome, Refused | Occupied):
            return self._behind(refused(deed), links, chapter, deed.act, deed.action)
        own_words = IN_OWN_WORDS.get(deed.action.rule)
        if own_words is not None:
            found = Finding(cause=own_words, because=deed.action.because)
            return self._behind(found, links, chapter, deed.act, deed.action)
        prompt = self._prompt(chapter, deed.act, deed.action)
        if prompt is None:
            found = Finding(cause=findings.UNKNOWN, because=deed.action.because)
            return replace(found, links=links)
        found = refined(chapter, deed, self.fact(chapter, prompt))
        hints = (*found.hints, *self._delays(chapter, deed.act, prompt))
        return replace(found, links=(*links, *found.links), hints=hints)

    def _behind(
        self, found: Finding, links: tuple[Link, ...], chapter: Chapter, act: Record, action: Action
    ) -> Finding:
        """Add what led to an act whose own words are the cause; not every try of many."""
        prompt = self._prompt(chapter, act, action)
        if prompt is not None and is_retry(prompt):
            prompt = self._origin(chapter, act)
        more = self.fact(chapter, prompt) if prompt is not None else found
        hints = (*more.hints, *(self._delays(chapter, act, prompt) if prompt else ()))
        return replace(found, links=(*links, *more.links), hints=hints)

    def _delays(self, chapter: Chapter, act: Record, prompt: Record) -> Iterator[str]:
        return hastened(act, prompt, fresh=prompt in news_for(chapter, act))

    def act(self, chapter: Chapter, act: Record) -> Finding:
        """Trace a decision as a whole."""
        deeds = [one for one in chapter.deeds if one.act is act]
        telling = next((one for one in deeds if about(one.action) != ("", "")), None)
        if telling is not None:
            return self.deed(chapter, telling)
        link = act_link(chapter, act)
        prompt = self._prompt(chapter, act, None)
        if prompt is None:
            return Finding(cause=findings.UNKNOWN, because=act_in(act).because[0], links=(link,))
        found = self.fact(chapter, prompt)
        return replace(found, links=(link, *found.links))

    def _prompt(self, chapter: Chapter, act: Record, action: Action | None) -> Record | None:
        """Return the fact that an act was written for."""
        news = news_for(chapter, act)
        if isinstance(action, DeleteObject) and action.rule == "unhealthy":
            sights = lives_of(chapter.sights(action.kind, action.name)).get(action.uid, ())
            return next((one for one in reversed(sights) if one.sequence < act.sequence), None)
        prefer = (*BY_RULE.get(action.rule, ()), *USUAL) if action is not None else USUAL
        group = action.group if isinstance(action, CreateObject) else ""
        found = chosen(chapter, news, prefer, lambda one: of_group(chapter, one, group))
        return found or self._origin(chapter, act)

    def _origin(self, chapter: Chapter, before: Record) -> Record | None:
        earlier = [one for one in chapter.itself if one.sequence < before.sequence]
        return next((one for one in reversed(earlier) if kind_of(chapter, one) in ORIGINS), None)

    def fact(self, chapter: Chapter, record: Record) -> Finding:
        """Trace something that was seen, told or fired."""
        link = link_of(chapter, record)
        place = (chapter.key, record.sequence)
        if place in self._passed:
            return Finding(cause=findings.UNKNOWN, because=link.text)
        self._passed.add(place)
        found = self._cause(chapter, record)
        return replace(found, links=(link, *found.links))

    def _cause(self, chapter: Chapter, record: Record) -> Finding:
        kind = kind_of(chapter, record)
        if kind in (SPEC, NEW, DELETED):
            return self._itself(chapter, record, kind)
        if kind in (POD_LEFT, CHILD_LEFT):
            return self._left(chapter, record)
        if kind == PHASE:
            return self._status(chapter, record)
        if kind == TIMER:
            return self._timer(chapter, record)
        if kind == REFUSED:
            return self._refusal(chapter, record)
        return self._told(chapter, record, kind)

    def _refusal(self, chapter: Chapter, record: Record) -> Finding:
        """Trace an answer of the API server that was no."""
        deed = next(
            one
            for one in chapter.deeds
            if one.answer is record and isinstance(one.outcome, Refused | Occupied)
        )
        links = (act_link(chapter, deed.act, deed.action),)
        return self._behind(refused(deed), links, chapter, deed.act, deed.action)

    def _told(self, chapter: Chapter, record: Record, kind: str) -> Finding:
        body, text = record.envelope.body, chapter.text(record)
        if kind in (POD_ENDED, POD_ILL) and isinstance(body, PodSeen):
            found = roots.befallen(body) or roots.restarted(body)
            return found or Finding(cause=findings.POD_FAILED, because=text)
        if kind == TOLD and isinstance(body, JobTold | ServeTold | HealthTold | Looked):
            return self._answer(chapter, record, roots.answered(body, text))
        if isinstance(body, PodSeen):
            return roots.befallen(body) or Finding(cause=findings.POD_FAILED, because=text)
        return self._fallback(chapter, record, text)

    def _fallback(self, chapter: Chapter, record: Record, text: str) -> Finding:
        origin = self._origin(chapter, record)
        if origin is None:
            return Finding(cause=findings.UNKNOWN, because=text)
        return self.fact(chapter, origin)

    def _itself(self, chapter: Chapter, record: Record, kind: str) -> Finding:
        """Trace who wrote or deleted a resource: the resource above it, or somebody outside."""
        verbs: Mapping[str, type[Action]] = {
            SPEC: PatchObject,
            NEW: CreateObject,
            DELETED: DeleteObject,
        }
        key = chapter.key
        above = self._chronicle.above(key)
        for other in (above, chapter if kind == DELETED else None):
            deed = deed_on(other, verbs[kind], key, record) if other is not None else None
            if other is not None and deed is not None:
                return self.deed(other, deed)
        now, former = seen_in(record), chapter.before(record)
        before = seen_in(former) if former else None
        if kind == SPEC and isinstance(now, ResourceSeen) and isinstance(before, ResourceSeen):
            return roots.edited(before, now, chapter.text(record))
        if kind == NEW and isinstance(now, ResourceSeen):
            return roots.written(now, key.kind)
        return self._deleted(chapter, above, record)

    def _deleted(self, chapter: Chapter, above: Chapter | None, record: Record) -> Finding:
        key = chapter.key
        going = gone_before(above, record) if above is not None else None
        if above is not None and going is not None:
            found = self.fact(above, going)
            if found.cause == findings.SOMEBODY_DELETED:
                found = replace(found, cause=findings.OWNER_GONE)
            return found
        clause = f"somebody deleted {key.kind} {key.name}: no act of ours did"
        return Finding(cause=findings.SOMEBODY_DELETED, because=clause, hints=(roots.COULD_BE,))

    def _left(self, chapter: Chapter, record: Record) -> Finding:
        """Trace why an object is going or gone."""
        seen = seen_in(record)
        kind, name = _name(seen, record)
        deed = deed_on(chapter, DeleteObject, ResourceKey(kind, "", name), record)
        if deed is not None:
            return self.deed(chapter, deed)
        going = gone_before(chapter, record)
        if going is not None:
            found = self.fact(chapter, going)
            if found.cause == findings.SOMEBODY_DELETED:
                found = replace(found, cause=findings.OWNER_GONE)
            return found
        uid = uid_of(seen) if seen is not None else ""
        sights = [
            body
            for one in chapter.sights(kind, name)
            if one.sequence <= record.sequence
            and isinstance(body := one.envelope.body, PodSeen)
            and body.meta.uid == uid
        ]
        return roots.vanished(kind, name, sights)

    def _status(self, chapter: Chapter, record: Record) -> Finding:
        """Trace why a status was told."""
        news = news_behind(chapter, record)
        fresh = [one for one in news if (chapter.key, one.sequence) not in self._passed]
        prompt = chosen(chapter, fresh, BEHIND_STATUS)
        former = chapter.before(record)
        if prompt is None and former is not None and kind_of(chapter, former) == PHASE:
            return self.fact(chapter, former)
        if prompt is None:
            return self._fallback(chapter, record, link_of(chapter, record).text)
        return self.fact(chapter, prompt)

    def _timer(self, chapter: Chapter, record: Record) -> Finding:
        """Trace what a timer was for: an end in itself, or the act that armed it."""
        fired = fired_in(record)
        armed = next(
            (
                one
                for one in chapter.acts
                if fired is not None
                and one.sequence < record.sequence
                and (fired.timer, fired.due_at)
                in {(timer.name, timer.due_at) for timer in act_in(one).timers}
            ),
            None,
        )
        ended = deadline(chapter, record) or stayed(chapter, record)
        if ended is not None:
            links = (act_link(chapter, armed),) if armed is not None else ()
            return replace(ended, links=links)
        if armed is None:
            return self._fallback(chapter, record, chapter.text(record))
        return self.act(chapter, armed)

    def _answer(self, chapter: Chapter, record: Record, found: Finding) -> Finding:
        """Add what befell the head, where that is why Ray says so."""
        if found.cause not in (findings.JOB_FAILED, findings.DASHBOARD):
            return found
        for one in reversed(chapter.statuses):
            if one.sequence > record.sequence:
                continue
            name = text_at(getattr(one.envelope.body, "status", {}), "rayClusterName")
            below = self._chronicle.chapters.get(
                ResourceKey("raycluster", chapter.key.namespace, name)
            )
            lost = head_lost(below, record) if below is not None else None
            if below is None or lost is None:
                return found
            deeper = self.fact(below, lost)
            return replace(deeper, because=f"{deeper.because}, and {found.because}")
        return found


def _name(seen: object, record: Record) -> tuple[str, str]:
    if isinstance(seen, ObjectGone):
        return seen.kind, seen.name
    if isinstance(seen, PodSeen):
        return "pod", seen.meta.name
    raise TypeError(f"record {record.sequence} is about no object that left")
