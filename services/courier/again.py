"""Letters sent once more, oldest first: what is taken is removed, the first failure ends it.

What is removed was taken, or somebody said to forget it: the order stays what it was, and whoever
stops in between loses nothing.
"""

from collections.abc import AsyncIterator

from msgspec import Struct

from services.courier.letters import Letter, letters, subject_of
from services.courier.sink import Sink
from services.courier.verdict import Refused, Retired, Taken, TryLater, Verdict
from shared.ports.event_log import EventLog

GONE = "the sink answered 410 Gone: it wants nothing any more"


class Sent(Struct, frozen=True):
    """What came of one letter; `because` is empty if it was taken."""

    letter: Letter
    because: str = ""


async def send_again(news: EventLog, subscription: str, sink: Sink) -> AsyncIterator[Sent]:
    """Send each letter again until one is not taken."""
    waiting = [letter async for letter in letters(news, subscription)]
    for letter in waiting:
        if letter.event is None:
            yield Sent(letter, "the event cannot be read")
            return
        because = told(await sink.send(letter.event, letter.tries + 1))
        if not because:
            await news.purge(subject_of(subscription), up_to=letter.sequence)
        yield Sent(letter, because)
        if because:
            return


async def forget_oldest(news: EventLog, subscription: str) -> Letter | None:
    """Remove the letter that is in the way of all others; None if there is none."""
    async for letter in letters(news, subscription):
        await news.purge(subject_of(subscription), up_to=letter.sequence)
        return letter
    return None


def told(verdict: Verdict) -> str:
    """Say why an event was not taken; empty if it was."""
    match verdict:
        case Taken():
            return ""
        case Refused(because) | TryLater(because):
            return because
        case Retired():
            return GONE
