"""Where a new subscription begins: now, with the oldest event that is kept, or at a moment."""

from datetime import datetime

from services.courier.filters import EVERYTHING
from shared.ports.event_log import Batch, EventLog, FromTime


async def start_of(news: EventLog, begin: datetime | str) -> int:
    """Return the sequence at which to begin."""
    if begin == "beginning":
        return 1
    if isinstance(begin, datetime):
        return await sequence_at(news, begin)
    return (await news.end()).last + 1


async def sequence_at(news: EventLog, at: datetime) -> int:
    """Return the sequence of the first event of a moment or later."""
    after = (await news.end()).last + 1
    async with news.follow(EVERYTHING, FromTime(at), headers_only=True) as told:
        async for each in told:
            if isinstance(each, Batch) and each.messages:
                return min(each.messages[0].sequence, after)
            if isinstance(each, Batch) and each.synced:
                break
    return after
