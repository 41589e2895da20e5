"""The story of a run: records, requests, faults and wishes in their order.

Kept as values and told only when somebody wants to read it.
"""

from collections.abc import Iterator
from hashlib import sha256

from msgspec import Struct

from sandbox.requests import Request
from shared.events.decisions import Answered, Decided
from shared.events.envelope import Record
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.events.records import StatusWritten


class Asked(Struct, frozen=True):
    """A request that arrived, and whether it was carried out."""

    who: str
    request: Request
    done: bool


class Said(Struct, frozen=True):
    """Something the world did: a fault, a wish, an end."""

    text: str


Moment = Record | Asked | Said


class Story:
    """Everything that happened, with its time."""

    def __init__(self) -> None:
        self._moments: list[tuple[float, Moment]] = []

    def add(self, at: float, moment: Moment) -> None:
        self._moments.append((at, moment))

    def lines(self) -> Iterator[str]:
        """Tell it, one line for each moment."""
        for at, moment in self._moments:
            yield f"{at:9.3f}  {_line(moment)}"

    def fingerprint(self) -> str:
        """Return what two equal stories have in common."""
        return sha256("\n".join(self.lines()).encode()).hexdigest()


def _line(moment: Moment) -> str:
    match moment:
        case Said():
            return f"=== {moment.text}"
        case Asked():
            return _request(moment)
        case _:
            return f"{moment.sequence:5} {moment.subject}  {_body(moment.envelope.body)}"


def _request(asked: Asked) -> str:
    request = asked.request
    name = request.name or (request.body or {}).get("metadata", {}).get("name", "")
    sub = f"/{request.subresource}" if request.subresource else ""
    fate = "is done" if asked.done else "arrives"
    return f"  api {asked.who}: {request.verb} {request.resource}{sub} {name} {fate}"


def _body(body: object) -> str:
    match body:
        case Decided():
            return _act(body)
        case Answered():
            return ", ".join(repr(outcome) for outcome in body.outcomes)
        case StatusWritten():
            return f"v{body.resource_version} at {body.based_on}: {'; '.join(body.because)}"
        case ResourceSeen() | PodSeen() | ServiceSeen() | ChildSeen() | ObjectGone():
            return _observation(body)
        case _:
            return repr(body)


def _act(act: Decided) -> str:
    does = ", ".join(
        f"{type(action).__name__} {getattr(action, 'name', '')}" for action in act.actions
    )
    waits = ", ".join(f"{one.what} {one.name} v{one.resource_version}" for one in act.expectations)
    return (
        f"{'; '.join(act.because)} | {does} | expects {waits} | saw "
        f"{act.seen.generation} {act.seen.phase} | at {act.based_on}"
    )


def _observation(body: Observation) -> str:
    if isinstance(body, ObjectGone):
        return f"v{body.resource_version} gone {body.uid[:5]}"
    meta = body.meta
    told = f"v{meta.resource_version} g{meta.generation} {meta.uid[:5]}"
    if isinstance(body, PodSeen):
        ready = any(one.type == "Ready" and one.status == "True" for one in body.conditions)
        told += f" {body.phase}{' ready' if ready else ''}"
    return told + (" going" if meta.deleted_at else "")
