"""What every record carries around its body.

The sequence and the moment of a record are the log's, not the writer's: they come with the
message (`Record`), the rest is in the bytes (`Envelope`).
"""

from datetime import datetime

from msgspec import Struct

from shared.events.approvals import Approved
from shared.events.decisions import Answered, Decided, SettingsUsed
from shared.events.lifecycle import LifeTold
from shared.events.modes import ModeChosen
from shared.events.objects import ChildSeen, ObjectGone, PodSeen, ResourceSeen, ServiceSeen
from shared.events.records import KindListed, Parked, StatusWritten, TimerFired
from shared.events.told import HealthTold, JobTold, Looked, ServeTold
from shared.kernel.keys import ResourceKey

SCHEMA = 1

Body = (
    ResourceSeen
    | PodSeen
    | ServiceSeen
    | ChildSeen
    | ObjectGone
    | Decided
    | Answered
    | SettingsUsed
    | StatusWritten
    | TimerFired
    | Parked
    | KindListed
    | JobTold
    | Looked
    | ServeTold
    | HealthTold
    | LifeTold
    | Approved
    | ModeChosen
)


class Envelope(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record as it is written. `cause` is the sequence of the record that led to this one."""

    schema: int
    id: str
    body: Body
    code: str
    written_at: datetime
    key: ResourceKey | None = None
    uid: str = ""
    cause: int = 0
    trace: str = ""


class Record(Struct, frozen=True, kw_only=True):
    """A record as it is read: the envelope and its place in the log."""

    sequence: int
    at: datetime
    subject: str
    envelope: Envelope
