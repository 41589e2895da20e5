"""An event as the request that carries it, after the HTTP binding of CloudEvents.

The id is in every mode in a header of its own, and is the same however often an event is sent: a
receiver drops duplicates by it.
"""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from services.courier.signature import HEADER, sign
from shared.events.cloudevents import CloudEvent, Mode, write

ID = "Webhook-Id"
ATTEMPT = "Webhook-Attempt"


class Posting(Struct, frozen=True):
    """What is sent; it may hold secrets, and is never printed."""

    headers: Mapping[str, str]
    body: bytes

    def __repr__(self) -> str:
        return f"Posting({len(self.body)} bytes)"


class Credentials(Struct, frozen=True):
    """What only the sink and we know: read for each request, kept nowhere."""

    url: str
    headers: Mapping[str, str]
    key: bytes = b""

    def __repr__(self) -> str:
        return "Credentials(...)"


def posting(
    event: CloudEvent, mode: Mode, credentials: Credentials, *, at: datetime, attempt: int = 1
) -> Posting:
    """Return the request for an event that is sent now."""
    written = write(event, mode)
    own = {ID: event.id, ATTEMPT: str(attempt)}
    if credentials.key:
        own[HEADER] = sign(credentials.key, written.body, at)
    return Posting({**credentials.headers, **written.headers, **own}, written.body)
