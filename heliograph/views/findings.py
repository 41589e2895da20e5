"""The links of a chain of causes, and what a question is answered with. Values only."""

from datetime import datetime

from msgspec import Struct

OUT_OF_MEMORY, NODE_LOST, EVICTED, PREEMPTED = "OutOfMemory", "NodeLost", "Evicted", "Preempted"
SPEC_EDIT, AUTOSCALER, CREATED, SUSPENDED = "SpecEdit", "Autoscaler", "Created", "Suspended"
UPGRADE, ROLLBACK = "Upgrade", "Rollback"
SOMEBODY_DELETED, OWNER_GONE = "SomebodyDeleted", "OwnerGone"
JOB_FAILED, JOB_ENDED, DASHBOARD, DEADLINE, EXPIRED = (
    "JobFailed",
    "JobEnded",
    "Dashboard",
    "Deadline",
    "Expired",
)
MISSED_RUN, SCHEDULE, INVALID, POD_FAILED, UNKNOWN = (
    "MissedRun",
    "Schedule",
    "Invalid",
    "PodFailed",
    "Unknown",
)


class Link(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One link of a chain: a record in people's words. `what` is as in a timeline.

    `rule` and `code` are those of a decision: which rule asked, and the version that decided.
    """

    sequence: int
    at: datetime
    resource: str
    what: str
    text: str
    because: tuple[str, ...] = ()
    rule: str = ""
    code: str = ""


class Finding(Struct, frozen=True, kw_only=True):
    """Where a chain ends: a cause of one word, a clause after "because", and the links to it."""

    cause: str
    because: str
    links: tuple[Link, ...] = ()
    hints: tuple[str, ...] = ()


class Awaited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a resource waits for now."""

    cause: str
    text: str
    since: datetime | None = None


class Why(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer: one sentence, then the links from the effect back to the cause.

    `uid` is that of an object which is no resource; `former` tells of those that had its name.
    """

    about: str
    cause: str
    sentence: str
    links: tuple[Link, ...] = ()
    waits: tuple[Awaited, ...] = ()
    hints: tuple[str, ...] = ()
    uid: str = ""
    former: tuple["Why", ...] = ()
