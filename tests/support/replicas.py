"""Replicas of a multi-host group for tests: hosts as seen, and as they look once they are made."""

from collections.abc import Iterable

from msgspec.structs import replace

from shared.actions.objects import Action, CreateObject, DeleteObject
from shared.events.objects import ObjectSeen, PodSeen
from tests.support.builders import cluster_spec, group, head, resource, service, worker
from tests.support.plot import Plot

INDEX = "ray.io/worker-group-replica-index"
NAME = "ray.io/worker-group-replica-name"
HOST = "ray.io/replica-host-index"


def host(replica: str, number: int, *, ready: bool = True, age: float = 0) -> PodSeen:
    """A host of a replica; the replica's name ends in its index."""
    place = {NAME: replica, INDEX: replica[-1], HOST: str(number)}
    return labelled(worker(f"{replica}-{number}", ready=ready, age=age), place)


def replica(name: str, hosts: int = 2, *, ready: bool = True, age: float = 0) -> list[PodSeen]:
    return [host(name, number, ready=ready, age=age) for number in range(hosts)]


def as_made(action: CreateObject, version: int = 5000) -> PodSeen:
    """The worker that was asked for, as it is seen."""
    return labelled(worker(action.name, version=version), action.labels)


def labelled(seen: PodSeen, labels: dict[str, str]) -> PodSeen:
    return replace(seen, meta=replace(seen.meta, labels=seen.meta.labels | labels))


def surroundings() -> tuple[ObjectSeen, ...]:
    """Everything that a cluster has beside its workers."""
    return service(), service("demo-headless"), head()


def sized(replicas: int, *pods: PodSeen, hosts: int = 2, **more: object) -> Plot:
    """A cluster with one multi-host group and these pods."""
    plot = Plot()
    spec = cluster_spec(group("small", replicas, numOfHosts=hosts, **more))
    plot.sees(resource(spec), *surroundings(), *pods)
    return plot


def removed(actions: Iterable[Action]) -> list[str]:
    return [action.name for action in actions if isinstance(action, DeleteObject)]


def creations(actions: Iterable[Action]) -> list[CreateObject]:
    return [action for action in actions if isinstance(action, CreateObject)]
