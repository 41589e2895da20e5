"""What is told to everybody: the lifecycle events of resources, and what each of them carries.

An event carries the state that it leaves behind, so that a subscriber needs no other source, and so
that what comes next can be told from the last event and the log alone: nobody remembers anything.
No spec, no environment and no Secret is ever in it. `shared.events.cloudevents` puts an event on
the wire; `docs/reference/lifecycle-events.md` and the AsyncAPI document are made from `EVENTS`.
"""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

VERSION = "v1"
PREFIX = "io.heliograph"
DELETED, SNAPSHOT = "deleted", "snapshot"
HELD_BACK, RELEASED = "held", "released"
PODS_MAX = 100
"""How many pods an event names; `count` tells of all."""


class LifeTold(Struct, frozen=True, kw_only=True, tag="life_told", omit_defaults=True):
    """One lifecycle event: the `number`-th of its resource, whatever the resource's uid.

    `data` is one of the structures below, as plain values: which one, `EVENTS` says.
    """

    what: str
    number: int
    data: dict[str, object]


class About(Struct, frozen=True, kw_only=True):
    """The resource that an event is about."""

    kind: str
    namespace: str
    name: str
    uid: str
    generation: int = 0


class PodNote(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pod that an event is about, and what befell it."""

    name: str
    group: str = ""
    node: str = ""
    reason: str = ""
    message: str = ""


class ClusterState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A RayCluster: `phase` is provisioning, ready, degraded, suspending or suspended."""

    phase: str
    head: str = ""
    """The head pod, while there is one that was ready."""
    head_uid: str = ""
    template: str = ""
    """What the head was made from, where an upgrade can be told by it."""
    workers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The ready workers by group."""
    desired: int = 0
    size: int = 0
    """How many workers were ready when nothing was amiss."""


class JobState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A RayJob: `phase` is its `jobDeploymentStatus`, `result` what Ray calls its job."""

    phase: str = ""
    result: str = ""
    job_id: str = ""
    cluster: str = ""
    attempts_failed: int = 0
    reason: str = ""
    message: str = ""
    started_at: str = ""
    ended_at: str = ""


class ServiceState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A RayService: `phase` is preparing, ready, unready, suspended or timed-out.

    `traffic` is the share of requests by cluster, in percent.
    """

    phase: str
    active: str = ""
    pending: str = ""
    traffic: dict[str, int] = field(default_factory=dict)
    endpoints: int = 0


class CronState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A RayCronJob: the last moment that had its run, and the last that was skipped."""

    phase: str = "active"
    fired: str = ""
    skipped: str = ""


class ClusterNews(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something happened to a RayCluster; `pods` are those concerned, `count` how many."""

    resource: About
    because: str
    held: str = ""
    """What is held back until people approve; empty if nothing is."""
    state: ClusterState
    pods: tuple[PodNote, ...] = ()
    count: int = 0


class JobNews(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something happened to a RayJob."""

    resource: About
    because: str
    held: str = ""
    """What is held back until people approve; empty if nothing is."""
    state: JobState


class ServiceNews(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something happened to a RayService; `application` failures and such are in `because`."""

    resource: About
    because: str
    held: str = ""
    """What is held back until people approve; empty if nothing is."""
    state: ServiceState


class CronNews(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A RayCronJob did something; `run` is the RayJob that it made."""

    resource: About
    because: str
    held: str = ""
    """What is held back until people approve; empty if nothing is."""
    state: CronState
    run: str = ""


News = ClusterNews | JobNews | ServiceNews | CronNews
State = ClusterState | JobState | ServiceState | CronState

DATA: Mapping[str, type[News]] = MappingProxyType(
    {
        "raycluster": ClusterNews,
        "rayjob": JobNews,
        "rayservice": ServiceNews,
        "raycronjob": CronNews,
    }
)
STATES: Mapping[str, type[State]] = MappingProxyType(
    {
        "raycluster": ClusterState,
        "rayjob": JobState,
        "rayservice": ServiceState,
        "raycronjob": CronState,
    }
)

_HELD = {
    HELD_BACK: "Deletions beyond the budget are held back until people approve.",
    RELEASED: "Nothing is held back any more.",
}
_SNAPSHOT = "Its state, where the log does not hold what was told before."
EVENTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "raycluster": {
            "provisioning": "The RayCluster appeared; its pods are being made.",
            "ready": "Head and workers are ready, for the first time or again.",
            "degraded": "The head or workers that were ready are not; `because` names the cause.",
            "head-lost": "The head pod is gone, going, or has ended.",
            "head-replaced": "Another head pod is ready.",
            "workers-added": "Workers became ready.",
            "workers-removed": "Workers that were ready were taken away.",
            "workers-failed": "Workers that were ready failed; each with its reason.",
            "upgraded": "The cluster runs on pods of a new template.",
            "suspending": "Its pods are being removed because it is to be suspended.",
            "suspended": "Nothing of it runs.",
            "resumed": "It is wanted again.",
            **_HELD,
            DELETED: "It is gone; `state` is the last that was known.",
            SNAPSHOT: _SNAPSHOT,
        },
        "rayjob": {
            "created": "The RayJob appeared.",
            "initializing": "Its cluster is being made or looked for.",
            "waiting": "It waits for somebody to submit.",
            "running": "Its Ray job was submitted.",
            "suspending": "What it made is being removed.",
            "suspended": "Nothing of it runs.",
            "retrying": "An attempt failed and another one will be made.",
            "succeeded": "Its Ray job succeeded.",
            "stopped": "Its Ray job was stopped.",
            "failed": "It failed for good; `state.reason` and `state.message` tell why.",
            "invalid": "Its spec makes no sense.",
            **_HELD,
            DELETED: "It is gone; `state` is the last that was known.",
            SNAPSHOT: _SNAPSHOT,
        },
        "rayservice": {
            "created": "The RayService appeared.",
            "ready": "It answers requests, for the first time or again.",
            "unready": "It has no ready endpoint any more.",
            "timed-out": "It did not get ready in the time that it was given.",
            "upgrade-started": "Another cluster is being prepared to take over.",
            "traffic-shifted": "Other shares of the requests go to its clusters.",
            "promoted": "The cluster that was prepared has taken over.",
            "rolled-back": "The cluster that was prepared is given up; the former one goes on.",
            "suspended": "Nothing of it runs.",
            "resumed": "It is wanted again.",
            **_HELD,
            DELETED: "It is gone; `state` is the last that was known.",
            SNAPSHOT: _SNAPSHOT,
        },
        "raycronjob": {
            "created": "The RayCronJob appeared.",
            "fired": "A run was made: `run` is its RayJob.",
            "skipped": "Runs were skipped; `because` tells which and why.",
            "suspended": "No runs are made.",
            "resumed": "Runs are made again.",
            **_HELD,
            DELETED: "It is gone.",
            SNAPSHOT: _SNAPSHOT,
        },
    }
)
"""Every event by kind of resource, in a sentence."""


def type_of(kind: str, what: str) -> str:
    """Return the CloudEvents type of an event."""
    return f"{PREFIX}.{kind}.{what}.{VERSION}"
