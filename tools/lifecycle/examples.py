"""One example of every lifecycle event, made by the code that makes the real ones.

The story is one of each kind: a RayCluster `first` that comes, suffers and goes, a RayJob `train`,
a RayService `chat` and a RayCronJob `nightly`. An event without its example stops the generation.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from shared.events.approvals import HELD
from shared.events.cloudevents import Circumstances, CloudEvent, cloud_event
from shared.events.lifecycle import (
    DATA,
    DELETED,
    EVENTS,
    HELD_BACK,
    RELEASED,
    SNAPSHOT,
    About,
    ClusterState,
    CronState,
    JobState,
    LifeTold,
    PodNote,
    ServiceState,
    State,
)
from shared.kernel.ids import content_id
from shared.kernel.keys import ResourceKey

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
CODE = "heliograph/0.1.0"
NAMES: Mapping[str, str] = MappingProxyType(
    {"raycluster": "first", "rayjob": "train", "rayservice": "chat", "raycronjob": "nightly"}
)
Sample = tuple[str, State, dict[str, object]]

_GONE, _UNTOLD = "it is gone", "nothing was told of it before"
_BEYOND = (
    f"{HELD}100 deletions in namespace default within 10 minutes are the limit; if more are "
    "meant: heliograph approve namespace/default --for 1h"
)
_HEAD, _ONE, _TWO = "first-head-4mpsz", "first-small-worker-5nk6n", "first-small-worker-tkwz2"
_NEW = ClusterState(phase="provisioning")
_READY = ClusterState(
    phase="ready",
    head=_HEAD,
    head_uid="11df33f4-93f7-4d4c-a04c-0f1c4e6b6a10",
    workers={"small": (_ONE, _TWO)},
    desired=2,
    size=2,
)
_SHORT = replace(_READY, workers={"small": (_TWO,)})
_LOST = replace(_SHORT, phase="degraded", head="", head_uid="")
_ASLEEP = ClusterState(phase="suspended")
_FAILED = PodNote(name=_ONE, group="small", node="node-3", reason="OOMKilled")
_HEAD_POD = PodNote(name=_HEAD, group="headgroup", node="node-1")
_WORKER = PodNote(name=_ONE, group="small", node="node-3")


def _held(state: State) -> dict[str, Sample]:
    """Return the two events of deletions beyond the budget."""
    return {
        HELD_BACK: (_BEYOND, state, {"held": _BEYOND}),
        RELEASED: ("nothing is held back any more", state, {}),
    }


def _about(*notes: PodNote) -> dict[str, object]:
    return {"pods": notes, "count": len(notes)}


_CLUSTERS: dict[str, Sample] = {
    "provisioning": ("it was written by kubectl", _NEW, {}),
    "ready": ("head and 2 workers are ready", _READY, {}),
    "degraded": ("1 of 2 workers are ready", replace(_SHORT, phase="degraded"), {}),
    "head-lost": (f"head pod {_HEAD} is gone", _LOST, _about(_HEAD_POD)),
    "head-replaced": (f"head pod {_HEAD} is ready", _READY, _about(_HEAD_POD)),
    "workers-added": ("1 worker became ready", _READY, _about(_WORKER)),
    "workers-removed": ("1 worker is gone", replace(_SHORT, desired=1, size=1), _about(_WORKER)),
    "workers-failed": ("1 worker failed: OOMKilled", _SHORT, _about(_FAILED)),
    "upgraded": (
        f"head pod {_HEAD} is of the new template",
        replace(_READY, template="0f3c"),
        _about(_HEAD_POD),
    ),
    "suspending": ("it is to be suspended", replace(_READY, phase="suspending"), {}),
    "suspended": ("nothing of it is left", _ASLEEP, {}),
    "resumed": ("it is no longer to be suspended", _NEW, {}),
    **_held(_READY),
    DELETED: (_GONE, _READY, {}),
    SNAPSHOT: (_UNTOLD, _READY, {}),
}

_CREATED = JobState()
_WAITING = JobState(phase="Waiting", job_id="train-x7k2p", cluster="train-j8dwl")
_RUNNING = replace(_WAITING, phase="Running", result="RUNNING", started_at="2026-11-16T12:00:09Z")
_ENDED = replace(_RUNNING, phase="Complete", ended_at="2026-11-16T12:31:40Z")
_BROKEN = replace(
    _ENDED, phase="Failed", result="FAILED", reason="AppFailed", message="exit code 1"
)
_JOBS: dict[str, Sample] = {
    "created": ("it was written by kubectl", _CREATED, {}),
    "initializing": ("its cluster is being made", replace(_WAITING, phase="Initializing"), {}),
    "waiting": ("it waits for somebody to submit", _WAITING, {}),
    "running": ("its Ray job was submitted", _RUNNING, {}),
    "suspending": ("what it made is being removed", replace(_RUNNING, phase="Suspending"), {}),
    "suspended": ("nothing of it runs", JobState(phase="Suspended"), {}),
    "retrying": ("another attempt follows", replace(_BROKEN, phase="Retrying"), {}),
    "succeeded": ("Ray says SUCCEEDED", replace(_ENDED, result="SUCCEEDED"), {}),
    "stopped": ("Ray says STOPPED", replace(_ENDED, result="STOPPED"), {}),
    "failed": ("Ray says FAILED: exit code 1", replace(_BROKEN, attempts_failed=1), {}),
    "invalid": ("its spec makes no sense", JobState(phase="ValidationFailed"), {}),
    **_held(_RUNNING),
    DELETED: (_GONE, replace(_ENDED, result="SUCCEEDED"), {}),
    SNAPSHOT: (_UNTOLD, _RUNNING, {}),
}

_OLD, _NEXT = "chat-7fj2m", "chat-pw4s9"
_SERVING = ServiceState(phase="ready", active=_OLD, endpoints=2)
_UPGRADING = replace(_SERVING, pending=_NEXT)
_SERVICES: dict[str, Sample] = {
    "created": ("it was written by kubectl", ServiceState(phase="preparing"), {}),
    "ready": ("it has 2 ready endpoints", _SERVING, {}),
    "unready": ("it has no ready endpoint", replace(_SERVING, phase="unready", endpoints=0), {}),
    "timed-out": ("it was not ready in time", ServiceState(phase="timed-out", pending=_OLD), {}),
    "upgrade-started": (
        f"RayCluster {_NEXT} is prepared to take over from {_OLD}",
        _UPGRADING,
        {},
    ),
    "traffic-shifted": (
        f"{_OLD} gets 80 %, {_NEXT} 20 %",
        replace(_UPGRADING, traffic={_OLD: 80, _NEXT: 20}),
        {},
    ),
    "promoted": (
        f"RayCluster {_NEXT} serves, {_OLD} no longer does",
        replace(_SERVING, active=_NEXT),
        {},
    ),
    "rolled-back": (f"RayCluster {_NEXT} is given up, {_OLD} goes on", _SERVING, {}),
    "suspended": ("nothing of it runs", ServiceState(phase="suspended"), {}),
    "resumed": ("it is no longer to be suspended", ServiceState(phase="preparing"), {}),
    **_held(_SERVING),
    DELETED: (_GONE, _SERVING, {}),
    SNAPSHOT: (_UNTOLD, _SERVING, {}),
}

_TICK = "2026-11-16T12:00:00Z"
_FIRED = CronState(fired=_TICK)
_CRONS: dict[str, Sample] = {
    "created": ("it was written by kubectl", CronState(), {}),
    "fired": (f"the run of {_TICK} was due", _FIRED, {"run": "nightly-29384"}),
    "skipped": (f"the runs of {_TICK} were skipped", CronState(skipped=_TICK), {}),
    "suspended": ("it is suspended: no runs are made", replace(_FIRED, phase="suspended"), {}),
    "resumed": ("it is no longer suspended", _FIRED, {}),
    **_held(_FIRED),
    DELETED: (_GONE, _FIRED, {}),
    SNAPSHOT: (_UNTOLD, _FIRED, {}),
}
SAMPLES: Mapping[str, Mapping[str, Sample]] = MappingProxyType(
    {
        "raycluster": _CLUSTERS,
        "rayjob": _JOBS,
        "rayservice": _SERVICES,
        "raycronjob": _CRONS,
    }
)


def example(kind: str, what: str) -> CloudEvent:
    """Return an event as it would be told."""
    because, state, more = SAMPLES[kind][what]
    number = tuple(EVENTS[kind]).index(what) + 1
    key = ResourceKey(kind=kind, namespace="default", name=NAMES[kind])
    uid = "f29a733f-6a55-4c5e-9df9-0a3f3e3a2f1b"
    about = About(kind=kind, namespace=key.namespace, name=key.name, uid=uid, generation=1)
    data = DATA[kind](resource=about, because=because, state=state, **more)  # type: ignore[arg-type] # each sample has the state of its kind
    at = NOON + timedelta(seconds=number)
    told = LifeTold(what=what, number=number, data=msgspec.json.decode(msgspec.json.encode(data)))
    circumstances = Circumstances(
        key=key,
        uid=uid,
        id=content_id(uid, number, what),
        at=at,
        recorded_at=at + timedelta(milliseconds=4),
        based_on=40 + number,
        code=CODE,
    )
    return cloud_event(told, circumstances)
