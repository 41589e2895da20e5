"""An event to try a sink with: a RayJob that never was, told as any other."""

from datetime import datetime

import msgspec

from shared.events.cloudevents import Circumstances, CloudEvent, cloud_event
from shared.events.lifecycle import About, JobNews, JobState, LifeTold
from shared.kernel.ids import content_id
from shared.kernel.instants import print_precisely
from shared.kernel.keys import ResourceKey

KEY = ResourceKey(kind="rayjob", namespace="example", name="example")
UID = "00000000-0000-0000-0000-000000000000"


def example(now: datetime, code: str) -> CloudEvent:
    """Return an event of this moment, with an id of its own."""
    news = JobNews(
        resource=About(kind="RayJob", namespace=KEY.namespace, name=KEY.name, uid=UID),
        because="somebody tries a subscription; there is no such RayJob",
        state=JobState(phase="Complete", result="SUCCEEDED"),
    )
    told = LifeTold(what="succeeded", number=1, data=msgspec.to_builtins(news))
    about = Circumstances(
        key=KEY,
        uid=UID,
        id=content_id("example", print_precisely(now)),
        at=now,
        recorded_at=now,
        based_on=0,
        code=code,
    )
    return cloud_event(told, about)
