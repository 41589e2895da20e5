"""How much may be destroyed in a while: per resource, per namespace, and in all. Pure.

A fold over what executors did and what people approved. Every executor follows the same records,
so they count the same; what is in hand and not in the log yet is counted by whoever holds it. What
a user asked for by deleting the resource itself is not counted: nobody has to be saved from that.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from shared.actions.objects import Action, DeleteObject
from shared.actions.outcomes import Done, Outcome
from shared.events.approvals import FLEET, HELD, Approved, namespace_scope, resource_scope
from shared.events.decisions import Answered, Decided
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey

WORKLOADS = frozenset({"pod", "raycluster", "rayjob", "job"})
"""What does work: other objects can be made again without anybody noticing."""


class Budgets(Struct, frozen=True, kw_only=True):
    """How many deletions are allowed in a window; 0 for any number."""

    window: timedelta = timedelta(minutes=10)
    resource: int = 0
    namespace: int = 0
    fleet: int = 5000


class Deed(Struct, frozen=True, kw_only=True):
    """So many deletions, done at a time."""

    at: datetime
    key: ResourceKey
    count: int


class Account:
    """What was spent lately, and what people approved."""

    def __init__(self, budgets: Budgets) -> None:
        self._budgets = budgets
        self._deeds: deque[Deed] = deque()
        self._spent: dict[str, int] = {}
        self._in_hand: dict[str, Deed] = {}
        """Deletions by the act that asks for them, until the log tells of them."""
        self._approved: dict[str, datetime] = {}

    def clear(self) -> None:
        """Forget what the log told: it is read anew. What is in hand still counts."""
        self._deeds.clear()
        self._spent.clear()
        self._approved.clear()
        for deed in self._in_hand.values():
            self._count(deed, 1)

    def note(self, record: Record) -> None:
        """Take in what the log tells."""
        body = record.envelope.body
        if isinstance(body, Approved):
            self._approved[body.scope] = record.at + timedelta(seconds=body.seconds)
        place = place_of(record.subject)
        if not isinstance(body, Answered) or place is None:
            return
        if body.act in self._in_hand:
            self._count(self._in_hand.pop(body.act), -1)
        if body.destroyed:
            deed = Deed(at=record.at, key=place.key, count=body.destroyed)
            self._deeds.append(deed)
            self._count(deed, 1)

    def take(self, key: ResourceKey, act: str, now: datetime) -> str | None:
        """Allow one deletion more, or say why not."""
        self._forget(now)
        limits = self._limits(key)
        for index, (scope, limit, words) in enumerate(limits):
            if limit and self._spent.get(scope, 0) >= limit:
                if any(self._is_approved(wider, now) for wider, _, _ in limits[index:]):
                    continue
                return self._refusal(words, limit, scope)
        former = self._in_hand.get(act)
        if former is not None:
            self._count(former, -1)
        deed = Deed(at=now, key=key, count=(former.count if former else 0) + 1)
        self._in_hand[act] = deed
        self._count(deed, 1)
        return None

    def _is_approved(self, scope: str, now: datetime) -> bool:
        until = self._approved.get(scope)
        return until is not None and now <= until

    def drop(self, act: str) -> None:
        """Stop counting what was in hand and came to nothing."""
        former = self._in_hand.pop(act, None)
        if former is not None:
            self._count(former, -1)

    def spent(self) -> Mapping[str, int]:
        """Return what was spent, by scope."""
        return {scope: count for scope, count in self._spent.items() if count}

    def exhausted(self, now: datetime) -> bool:
        """Whether all that may be destroyed in the fleet was."""
        self._forget(now)
        limit = self._budgets.fleet
        return bool(limit) and self._spent.get(FLEET, 0) >= limit

    def _limits(self, key: ResourceKey) -> tuple[tuple[str, int, str], ...]:
        limits, where = self._budgets, namespace_scope(key.namespace)
        return (
            (resource_scope(key), limits.resource, f"of {key}"),
            (where, limits.namespace, f"in namespace {key.namespace}"),
            (FLEET, limits.fleet, "in all"),
        )

    def _refusal(self, words: str, limit: int, scope: str) -> str:
        minutes = self._budgets.window.total_seconds() / 60
        return (
            f"{HELD}{limit} deletions {words} within {minutes:g} minutes are the limit; if more "
            f"are meant: heliograph approve {scope} --for 1h"
        )

    def _count(self, deed: Deed, sign: int) -> None:
        scopes = (resource_scope(deed.key), namespace_scope(deed.key.namespace), FLEET)
        for scope in scopes:
            left = self._spent.get(scope, 0) + sign * deed.count
            if left > 0:
                self._spent[scope] = left
            else:
                self._spent.pop(scope, None)

    def _forget(self, now: datetime) -> None:
        oldest = now - self._budgets.window
        while self._deeds and self._deeds[0].at < oldest:
            self._count(self._deeds.popleft(), -1)
        for act in [act for act, deed in self._in_hand.items() if deed.at < oldest]:
            self.drop(act)


def destructive(action: Action) -> bool:
    """Whether an action takes work away."""
    return isinstance(action, DeleteObject) and action.kind in WORKLOADS


def destroyed(act: Decided, outcomes: Sequence[Outcome]) -> int:
    """Count what an act took away, unless its resource was deleted by its user."""
    if act.seen.deleting:
        return 0
    return sum(
        destructive(action) and isinstance(outcome, Done) and outcome.deleting
        for action, outcome in zip(act.actions, outcomes, strict=False)
    )
