"""What goes wrong around a RayService beside the moves of `servicemoves`: one fault at a time."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from tests.support.servicelaws import release
from tests.support.servicemoves import Move, newest
from tests.support.servicestory import ServiceStory
from tests.support.steppingstory import SteppingStory


def _ready(*, ready: bool) -> Move:
    def move(story: ServiceStory) -> bool:
        name = newest(story)
        if not name or story.heads[name].ready is ready:
            return False
        story.heads[name].ready = ready
        story.head_tells(name)
        return True

    return move


def _creations(kind: str, *, refused: bool) -> Move:
    def move(story: ServiceStory) -> bool:
        if (kind in story.refuses) is refused:
            return False
        if refused:
            story.refuses[kind] = "exceeded quota"
        else:
            del story.refuses[kind]
        return True

    return move


def _configurations(failure: str) -> Move:
    def move(story: ServiceStory) -> bool:
        name = newest(story)
        if not name or story.heads[name].failure == failure:
            return False
        story.heads[name].failure = failure
        return True

    return move


def _holds(story: ServiceStory) -> bool:
    fresh = set(story.clusters) - story.held
    story.held |= fresh
    return bool(fresh)


def _lets_go(story: ServiceStory) -> bool:
    if not story.held:
        return False
    release(story)
    return True


def _restart(story: ServiceStory) -> bool:
    story.context = replace(story.context, session=f"{story.context.session}'")
    return True


def _clock(seconds: float) -> Move:
    def move(story: ServiceStory) -> bool:
        story.passes(seconds)
        return True

    return move


def _in_time(seconds: float) -> Move:
    def move(story: ServiceStory) -> bool:
        story.time_passes(seconds)
        return True

    return move


def _gateway(*, programmed: bool) -> Move:
    def move(story: ServiceStory) -> bool:
        if not isinstance(story, SteppingStory) or story.programmed is programmed:
            return False
        story.gateway_is(programmed=programmed)
        return True

    return move


FAULTS: Mapping[str, Move] = MappingProxyType(
    {
        "an endpoint is lost": _ready(ready=False),
        "an endpoint is back": _ready(ready=True),
        "clusters are refused": _creations("raycluster", refused=True),
        "clusters are allowed": _creations("raycluster", refused=False),
        "Serve refuses": _configurations("no such application"),
        "Serve loses answers": _configurations("lost"),
        "Serve takes anything": _configurations(""),
        "somebody holds the clusters": _holds,
        "nobody holds the clusters": _lets_go,
        "the deciders are restarted": _restart,
        "timers are late": _clock(70),
        "a minute passes": _in_time(61),
        "ten seconds pass": _in_time(10),
        "the gateway stops": _gateway(programmed=False),
        "the gateway works": _gateway(programmed=True),
    }
)
