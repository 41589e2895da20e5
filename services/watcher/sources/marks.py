"""Sessions in the log: their numbers, and the mark that a session has listed its kind.

Invariant: the mark of a kind never goes back to an older session. Others decide only while the mark
names the session that holds the lease.
"""

from datetime import datetime

from msgspec import Struct

from services.watcher.publishing import SessionOverError
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.envelope import SCHEMA, Envelope
from shared.events.records import KindListed
from shared.kernel.ids import content_id
from shared.kernel.invariants import InvariantError
from shared.ports.event_log import Appended, Entry, EventLog

ATTEMPTS_MAX = 8


class Mark(Struct, frozen=True, kw_only=True):
    """The last mark of a kind and where it stands; number 0 at sequence 0 if there is none."""

    sequence: int = 0
    number: int = 0
    session: str = ""
    at: datetime | None = None


NO_MARK = Mark()


def token(number: int, member: str) -> str:
    """Return the name of a session, which is also the value of its lease."""
    return f"{number}:{member}"


async def last_mark(log: EventLog, kind: str) -> Mark:
    """Read which session has listed a kind last."""
    message = await log.last(subjects.sync(kind))
    if message is None:
        return NO_MARK
    body = decode(message).envelope.body
    if not isinstance(body, KindListed):
        raise InvariantError("what stands at ray.sync is a mark")
    return Mark(sequence=message.sequence, number=body.number, session=body.session, at=message.at)


async def write_mark(
    log: EventLog, listed: KindListed, *, code: str, now: datetime, refresh: bool = False
) -> Mark:
    """Say that a session has listed; raise `SessionOverError` if a newer one has.

    Saying it twice writes once, unless it is a `refresh` of a mark that would age out.
    """
    for _ in range(ATTEMPTS_MAX):
        last = await last_mark(log, listed.kind)
        if last.number > listed.number:
            raise SessionOverError(f"session {last.session} has listed the kind since")
        if last.session == listed.session and not refresh:
            return last
        answer = await log.append(_entry(listed, fence=last.sequence, code=code, now=now))
        if isinstance(answer, Appended) and not answer.duplicate:
            return Mark(
                sequence=answer.sequence, number=listed.number, session=listed.session, at=now
            )
    raise SessionOverError("somebody else keeps writing the mark")


def _entry(listed: KindListed, *, fence: int, code: str, now: datetime) -> Entry:
    subject = subjects.sync(listed.kind)
    mark_id = content_id(subject, listed.session, listed.resource_version, fence)
    envelope = Envelope(schema=SCHEMA, id=mark_id, body=listed, code=code, written_at=now)
    return Entry(subject=subject, id=mark_id, data=encode(envelope), fence=fence)
