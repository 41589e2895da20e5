"""One event to tell, and the state that it leaves behind."""

from typing import Generic, TypeVar

from msgspec import Struct

from shared.events.lifecycle import PodNote, State

S = TypeVar("S", bound=State)


class Step(Struct, Generic[S], frozen=True, kw_only=True):
    """What to tell next. `pods` are those concerned, `run` a RayJob that was made."""

    what: str
    because: str
    state: S
    pods: tuple[PodNote, ...] = ()
    run: str = ""
