"""Events that a sink did not take: kept in RAYPUB under `undelivered.<subscription>`, with why.

A letter is the event as it was, and beside it where it stood, how often it was tried and what went
wrong last. No address and nothing that a sink said is in it.
"""

from collections.abc import AsyncIterator
from datetime import datetime

import msgspec
from msgspec import Struct

from shared.bus.declarations import UNDELIVERED
from shared.bus.wire import ID
from shared.events.cloudevents import CloudEvent, read
from shared.events.subjects import encode_token
from shared.kernel.ids import content_id
from shared.ports.event_log import Entry, EventLog, FromSequence, Message

SUBJECT, ERROR, TRIES = "Heliograph-Subject", "Heliograph-Error", "Heliograph-Tries"


class Letter(Struct, frozen=True, kw_only=True):
    """One event that was not taken."""

    sequence: int
    at: datetime
    subject: str
    because: str
    tries: int
    event: CloudEvent | None
    """None if it cannot be read."""


def subject_of(subscription: str) -> str:
    """Return where the letters of a subscription stand."""
    return f"{UNDELIVERED}.{encode_token(subscription)}"


def letter_entry(subscription: str, message: Message, because: str, tries: int) -> Entry:
    """Return what to append for a message that was not taken."""
    subject = subject_of(subscription)
    own = {name: value for name, value in message.headers.items() if name != ID}
    return Entry(
        subject=subject,
        id=content_id(subject, message.subject, message.sequence),
        data=message.data,
        headers={**own, SUBJECT: message.subject, ERROR: because, TRIES: str(tries)},
    )


async def letters(news: EventLog, subscription: str) -> AsyncIterator[Letter]:
    """Read the letters of a subscription, oldest first."""
    async for message in news.read((subject_of(subscription),), FromSequence(1)):
        if not message.gone:
            yield _read(message)


def _read(message: Message) -> Letter:
    return Letter(
        sequence=message.sequence,
        at=message.at,
        subject=message.headers.get(SUBJECT, ""),
        because=message.headers.get(ERROR, ""),
        tries=int(message.headers.get(TRIES, "0")),
        event=event_in(message),
    )


def event_in(message: Message) -> CloudEvent | None:
    """Return the event of a message; None if it cannot be read."""
    try:
        return read(message.headers, message.data)
    except (ValueError, msgspec.MsgspecError):
        return None
