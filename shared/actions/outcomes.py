"""What came of an action. An outcome that saw the object is an observation, too.

Outcome
|- Done        it was done now: uid and resourceVersion after it, and whether it is going
|- AlreadySo   nothing had to be done: it is ours and as wanted
|- Gone        it is not there, as of this resourceVersion
|- Refused     the API said no, in its own words
|- Occupied    the name belongs to somebody else
|- Overtaken   not done: there is newer news than the act saw
`- Unknown     no answer; to be resolved by reading, never by guessing
"""

from msgspec import Struct

UNAVAILABLE = "unavailable"
"""The reason of a refusal that nobody spoke: the API server was not there to do it."""


class Done(Struct, frozen=True, kw_only=True, tag="done", omit_defaults=True):
    """The call succeeded; for notices there is no uid."""

    uid: str = ""
    resource_version: int = 0
    deleting: bool = False


class AlreadySo(Struct, frozen=True, kw_only=True, tag="already_so", omit_defaults=True):
    """The object was found as the action wanted it."""

    uid: str
    resource_version: int
    deleting: bool = False


class Gone(Struct, frozen=True, kw_only=True, tag="gone", omit_defaults=True):
    """The object of this uid (or name) is not there, as of this resourceVersion."""

    resource_version: int


NOBODY_READY = "NobodyReady"
"""The reason of a refusal by the executor itself: who was to take requests is not ready."""
UNREADY = "not now: "
"""How its message begins."""


class Refused(Struct, frozen=True, kw_only=True, tag="refused", omit_defaults=True):
    """The API server said no."""

    code: int
    reason: str
    message: str

    @property
    def outage(self) -> bool:
        """Whether it was not there at all: it will be back."""
        return self.reason == UNAVAILABLE


class Occupied(Struct, frozen=True, kw_only=True, tag="occupied", omit_defaults=True):
    """An object of this name exists and is not ours."""

    uid: str
    resource_version: int
    message: str


class Overtaken(Struct, frozen=True, kw_only=True, tag="overtaken", omit_defaults=True):
    """Not done, because something newer than the act saw is in the log."""

    because: str


class Unknown(Struct, frozen=True, kw_only=True, tag="unknown", omit_defaults=True):
    """Nobody can tell whether it was done."""

    error: str


Outcome = Done | AlreadySo | Gone | Refused | Occupied | Overtaken | Unknown
