"""Kubernetes as a dict: one RayCluster `demo`, its pods and its service, versions and watch events.

Every change raises one counter and leaves an event per kind, in order, for a watcher to bring to
the log as late as it likes.
"""

from collections import deque
from dataclasses import dataclass, field, replace
from datetime import timedelta

from shared.events.objects import (
    Condition,
    Meta,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from tests.support.builders import KEY, NOON, Raw, owner

ENDED = "Failed"


@dataclass(frozen=True)
class Thing:
    """An object as it stands; changing one means storing another."""

    kind: str
    name: str
    uid: str = ""
    version: int = 0
    owner: str = ""
    group: str = ""
    phase: str = "Pending"
    deleting: bool = False
    generation: int = 1
    spec: Raw = field(default_factory=dict)
    status: Raw = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        return not self.deleting and self.phase != ENDED


class TinyKubernetes:
    """Objects by kind and name, and what a watcher has not brought yet."""

    def __init__(self) -> None:
        self.version = 10
        self.things: dict[tuple[str, str], Thing] = {}
        self.events: dict[str, deque[Observation]] = {
            kind: deque() for kind in (KEY.kind, "pod", "service")
        }

    @property
    def cluster(self) -> Thing | None:
        return self.things.get((KEY.kind, KEY.name))

    def owned(self, uid: str, kind: str = "pod") -> list[Thing]:
        return [one for one in self.things.values() if one.kind == kind and one.owner == uid]

    def usable(self, uid: str, group: str) -> list[Thing]:
        return [pod for pod in self.owned(uid) if pod.group == group and pod.usable]

    def create(self, thing: Thing) -> Thing:
        return self.store(thing, uid=f"uid-{self.version + 1}")

    def store(self, thing: Thing, **changes: object) -> Thing:
        self.version += 1
        stored = replace(thing, version=self.version, **changes)  # type: ignore[arg-type] # fields
        self.things[stored.kind, stored.name] = stored
        self.events[stored.kind].append(observation(stored))
        return stored

    def remove(self, thing: Thing) -> None:
        self.version += 1
        del self.things[thing.kind, thing.name]
        self.events[thing.kind].append(
            ObjectGone(
                kind=thing.kind, name=thing.name, uid=thing.uid, resource_version=self.version
            )
        )


def observation(thing: Thing) -> Observation:
    """What a watcher would say of an object."""
    meta = Meta(
        name=thing.name,
        namespace=KEY.namespace,
        uid=thing.uid,
        resource_version=thing.version,
        generation=thing.generation,
        labels=_labels(thing),
        owners=(owner(thing.owner),) if thing.owner else (),
        created_at=NOON,
        deleted_at=NOON + timedelta(hours=1) if thing.deleting else None,
    )
    match thing.kind:
        case "pod":
            ready = "True" if thing.phase == "Running" else "False"
            conditions = (Condition(type="Ready", status=ready),)
            return PodSeen(meta=meta, phase=thing.phase, conditions=conditions)
        case "service":
            return ServiceSeen(meta=meta)
        case _:
            return ResourceSeen(
                meta=meta, api_version="ray.io/v1", spec=thing.spec, status=thing.status
            )


def _labels(thing: Thing) -> dict[str, str]:
    if thing.kind == KEY.kind:
        return {}
    head = thing.kind == "service" or thing.group == "headgroup"
    return {
        "ray.io/cluster": KEY.name,
        "ray.io/node-type": "head" if head else "worker",
        "ray.io/group": thing.group,
    }
