"""One resource beside another operator: what is wanted of it, what was done, what differs. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from heliograph.views.effects import observation_in
from heliograph.views.likeness import CREATE, DELETE, Likeness, likeness_of
from heliograph.views.supposing import Effect, Would, wanted_in
from heliograph.views.wishes import wish_words
from shared.actions.objects import Action
from shared.actions.outcomes import AlreadySo, Done, Gone
from shared.aggregates.view import View, view
from shared.events.decisions import Answered, Decided
from shared.events.envelope import Record
from shared.events.objects import Observation
from shared.kernel.keys import ResourceKey


class Match(Struct, frozen=True, kw_only=True):
    """Something that both operators did, or would have."""

    rule: str
    at: datetime
    verdict: str = "matched"


class Parted(Struct, frozen=True, kw_only=True):
    """Something that one of them wanted and the other did not. `verdict` is missing or extra."""

    resource: str
    rule: str
    verdict: str
    what: str
    because: str
    at: datetime
    sequence: int


class Standing(Struct, frozen=True, kw_only=True):
    """A wish that no sight has fulfilled yet, and since when."""

    action: Action
    since: datetime
    sequence: int
    met: bool = False
    """Whether something of its kind was done since."""


Wish = tuple[Likeness, str]
"""What is wanted, and the rule that wants it."""


class Course:
    """Follows one resource."""

    def __init__(self, key: ResourceKey, would: Would, within: timedelta) -> None:
        self._key = key
        self._would = would
        self._within = within
        self._latest: dict[str, Record] = {}
        self._wishes: dict[Wish, Standing] = {}
        self._effects: list[Effect] = []
        self._uid = ""
        self._ending = False
        self.matches: list[Match] = []
        self.parted: list[Parted] = []
        self.undecided = 0

    def seen(self, subject: str) -> Observation | None:
        """Return what is known of an object."""
        return observation_in(self._latest.get(subject))

    def expect(self, effects: Iterable[Effect]) -> None:
        """Judge effects that the next record shows: first as things stand before it."""
        for effect in effects:
            self._effects.append(effect)
            self._judge(self._view())

    def take(self, record: Record) -> None:
        """Fold the next record, and look again at what nobody has explained yet."""
        self._expire(record.at)
        self._latest[record.subject] = record
        body = record.envelope.body
        if self._effects or isinstance(body, Decided):
            found = self._view()
            self._judge(found)
            if isinstance(body, Decided):
                self._hear_wishes(body, record, found)
        if isinstance(body, Answered):
            self._hear_answer(body, record.at)

    def end(self, now: datetime) -> None:
        """Judge what has waited long enough by now; the rest is undecided."""
        self._expire(now)
        for wish, stands in tuple(self._wishes.items()):
            if now - stands.since > self._within:
                self._miss(wish, stands)
        self.undecided = len(self._wishes) + len(self._effects)

    def _view(self) -> View:
        return view(self._key, self._latest.values())

    def _judge(self, found: View) -> None:
        """Ask of every effect whether the rules would have brought it about."""
        own = found.own
        if own is None:
            self._drop_after(found)
            return
        self._uid, self._ending = own.meta.uid, own.meta.deleted_at is not None
        for effect in tuple(self._effects):
            if effect.owner == own.meta.uid:
                action = wanted_in(found, effect, self._would)
                if action is not None:
                    self._match(effect, action)

    def _drop_after(self, found: View) -> None:
        """Forget what happened to the belongings of a resource that is gone: nobody decided it."""
        if found.former is not None:
            self._effects.clear()
            self._wishes.clear()

    def _match(self, effect: Effect, action: Action) -> None:
        self._effects.remove(effect)
        self.matches.append(Match(rule=action.rule, at=effect.at))
        wish = effect.like, action.rule
        stands = self._wishes.get(wish)
        if stands is not None:
            since = max(stands.since, effect.at)
            self._wishes[wish] = replace(stands, since=since, met=True)

    def _expire(self, now: datetime) -> None:
        """Give up on effects that nothing explained in time."""
        for effect in tuple(self._effects):
            if now - effect.at <= self._within:
                continue
            self._effects.remove(effect)
            ours = effect.owner == self._uid
            if ours and not (self._ending and effect.like[0] == DELETE):
                self.parted.append(self._extra(effect))

    def _extra(self, effect: Effect) -> Parted:
        verb, kind, name = effect.like
        of_group = f" of group {name}" if name != effect.name[1] else ""
        came = "appeared" if verb == CREATE else "went"
        return Parted(
            resource=str(self._key),
            rule=effect.rule or f"{verb} {kind}",
            verdict="extra",
            what=f"{kind} {effect.name[1]}{of_group} {came}",
            because="no rule of ours asks for it",
            at=effect.at,
            sequence=effect.sequence,
        )

    def _hear_wishes(self, act: Decided, record: Record, found: View) -> None:
        """Let the wishes of an act take the place of those before it."""
        before, self._wishes = self._wishes, {}
        if found.own is None:
            return
        for action in act.actions:
            like = likeness_of(action, found.children)
            if like is None or (like, action.rule) in self._wishes:
                continue
            fresh = Standing(action=action, since=record.at, sequence=record.sequence)
            former = before.pop((like, action.rule), fresh)
            self._wishes[like, action.rule] = replace(former, action=action)
        for wish, stands in before.items():
            self._withdraw(wish, stands, record.at)

    def _withdraw(self, wish: Wish, stands: Standing, at: datetime) -> None:
        """Settle a wish that is no longer one: makings and endings were judged when seen."""
        (verb, _, _), rule = wish
        if verb not in (CREATE, DELETE):
            self.matches.append(Match(rule=rule, at=at))
        elif at - stands.since > self._within and not stands.met:
            self._miss(wish, stands)

    def _hear_answer(self, answer: Answered, at: datetime) -> None:
        """Take as matched what was looked at and found done."""
        found = self._view()
        act = found.act
        if act is None or act.id != answer.act:
            return
        for action, outcome in zip(act.actions, answer.outcomes, strict=False):
            like = likeness_of(action, found.children)
            wish = (like, action.rule) if like is not None else None
            if wish in self._wishes and isinstance(outcome, Done | AlreadySo | Gone):
                del self._wishes[wish]
                self.matches.append(Match(rule=action.rule, at=at))

    def _miss(self, wish: Wish, stands: Standing) -> None:
        self._wishes.pop(wish, None)
        action = stands.action
        self.parted.append(
            Parted(
                resource=str(self._key),
                rule=action.rule,
                verdict="missing",
                what=wish_words(action),
                because=action.because,
                at=stands.since,
                sequence=stands.sequence,
            )
        )
