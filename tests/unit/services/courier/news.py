"""Events for the courier's tests."""

from datetime import UTC, datetime, timedelta

import msgspec

from shared.events.cloudevents import Circumstances, CloudEvent, Mode, cloud_event, write
from shared.events.lifecycle import About, JobNews, JobState, LifeTold
from shared.events.subjects import life
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Appended, Entry, EventLog

NOON = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)


def key(name: str) -> ResourceKey:
    return ResourceKey(kind="rayjob", namespace="team-a", name=name)


def event(name: str = "one", number: int = 1, what: str = "failed", failed: int = 0) -> CloudEvent:
    """Return an event of a RayJob."""
    news = JobNews(
        resource=About(kind="RayJob", namespace="team-a", name=name, uid=f"uid-{name}"),
        because="a test",
        state=JobState(phase="Failed", attempts_failed=failed),
    )
    told = LifeTold(what=what, number=number, data=msgspec.to_builtins(news))
    about = Circumstances(
        key=key(name),
        uid=f"uid-{name}",
        id=f"{name}-{number}",
        at=NOON,
        recorded_at=NOON + timedelta(seconds=1),
        based_on=number,
        code="heliograph/test",
    )
    return cloud_event(told, about)


async def tell(log: EventLog, told: CloudEvent, mode: Mode = "structured") -> int:
    """Write an event as the status service does; RAYPUB gets it from there."""
    written = write(told, mode)
    what = told.type.split(".")[-2]
    answer = await log.append(
        Entry(
            subject=life(key(told.subject), what),
            id=told.id,
            data=written.body,
            headers=written.headers,
        )
    )
    assert isinstance(answer, Appended)
    return answer.sequence
