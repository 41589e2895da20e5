"""A fact as an entry of the log, and the last message of a subject as what is known of it.

Pure. The headers let a reader take stock without the bodies. The id covers subject, uid, version
and presence, so that who writes it a second time stores nothing; what is repeated on purpose
covers its fence as well, because it must be stored.
"""

from datetime import datetime

from msgspec import Struct

from services.watcher.gaps import Known
from services.watcher.translate.facts import Fact
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Envelope
from shared.events.objects import RECORD_BYTES_MAX
from shared.kernel.ids import content_id
from shared.ports.event_log import Entry, Message

VERSION = "Ray-RV"
UID = "Ray-UID"
GONE = "Ray-Gone"

LARGEST = RECORD_BYTES_MAX


class TooLarge(Struct, frozen=True, kw_only=True):
    """The record would pass the payload limit: it is not cut short but left out."""

    subject: str
    size: int


def entry_of(
    fact: Fact, *, fence: int, repeated: bool = False, code: str, now: datetime
) -> Entry | TooLarge:
    """Return the entry that tells a fact, to be stored after `fence`."""
    parts = (fact.subject, fact.uid, fact.version, int(fact.gone))
    record_id = content_id(*parts, fence) if repeated else content_id(*parts)
    envelope = Envelope(
        schema=SCHEMA,
        id=record_id,
        body=fact.body,
        code=code,
        written_at=now,
        key=fact.key,
        uid=fact.uid,
    )
    data = encode(envelope)
    if len(data) > LARGEST:
        return TooLarge(subject=fact.subject, size=len(data))
    headers = {VERSION: str(fact.version), UID: fact.uid, GONE: str(int(fact.gone))}
    return Entry(subject=fact.subject, id=record_id, data=data, fence=fence, headers=headers)


def known_of(message: Message) -> Known:
    """Return what a message of the log tells, from its headers alone."""
    version = message.headers.get(VERSION, "")
    return Known(
        sequence=message.sequence,
        version=int(version) if version.isascii() and version.isdigit() else 0,
        uid=message.headers.get(UID, ""),
        gone=message.gone or message.headers.get(GONE) == "1",
        at=message.at,
    )
