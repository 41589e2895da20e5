"""Bugs planted in what is told and to whom, and in what is counted."""

from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from services.executor.budgets import Account
from services.executor.performing import Performer
from services.status.lifecycle import telling
from shared.actions.outcomes import Refused
from shared.following.follower import Follower


def spends_without_counting() -> AbstractContextManager[object]:
    """Take away whatever an act asks for, however much that was lately."""
    return patch.object(Account, "take", lambda *_: None)


def counts_events_anew() -> AbstractContextManager[object]:
    """Give every event of a resource the number of the first."""
    real = telling._event

    def forgetful(*of: Any, **more: Any) -> telling.Event:
        event = real(*of, **more)
        return replace(event, body=replace(event.body, number=1))

    return patch.object(telling, "_event", forgetful)


def tells_what_it_drew() -> AbstractContextManager[object]:
    """Say of a Secret that was made what is in it."""
    real = Performer._create

    async def talkative(self: Performer, job: Any, action: Any, calls: Any) -> Any:
        outcome = await real(self, job, action, calls)
        words = " ".join(calls.secrets.values())
        return Refused(code=422, reason="Invalid", message=words) if words else outcome

    return patch.object(Performer, "_create", talkative)


def remembers_what_the_log_lost() -> AbstractContextManager[object]:
    """Wait for records of a log that is another one by now, and tell it nothing anew."""
    never = property(lambda _: 0, lambda *_: None)
    return patch.object(Follower, "losses", never, create=True)


PLANTS = (
    spends_without_counting,
    counts_events_anew,
    tells_what_it_drew,
    remembers_what_the_log_lost,
)
