"""What an answer means.

Taken       the sink has it
TryLater    it may take it another time: no answer, a redirect, what is PASSING, 5xx
Refused     it will never take this one: any other 4xx
Retired     it wants nothing any more: 410 Gone
"""

from datetime import datetime, timedelta

from msgspec import Struct

from services.courier.patience import retry_after

PASSING = (401, 403, 404, 408, 409, 425, 429)
"""Of the 4xx, those that may pass: a key on its way, a sink between two versions, haste."""
GONE = 410


class Taken(Struct, frozen=True):
    """The sink has it."""


class TryLater(Struct, frozen=True):
    """It may take it another time."""

    because: str
    after: timedelta | None = None


class Refused(Struct, frozen=True):
    """It will never take this one."""

    because: str


class Retired(Struct, frozen=True):
    """It wants nothing any more."""


Verdict = Taken | TryLater | Refused | Retired


def judge(status: int, asked: str, now: datetime) -> Verdict:
    """Say what a status means; `asked` is the Retry-After header, empty if there is none."""
    said = f"the sink answered {status}"
    if 200 <= status < 300:  # noqa: PLR2004 - every 2xx
        return Taken()
    if status == GONE:
        return Retired()
    if 400 <= status < 500 and status not in PASSING:  # noqa: PLR2004 - every other 4xx
        return Refused(said)
    if 300 <= status < 400:  # noqa: PLR2004 - every 3xx
        said = f"{said}, a redirect, which is not followed"
    return TryLater(said, retry_after(asked, now))
