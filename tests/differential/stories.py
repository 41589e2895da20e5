"""A story: what a user does to one namespace, step by step, and when a step has come to rest.

A story is a value; whoever plays it may be any operator on any Kubernetes. Invariant: a story
speaks of its own namespace only, and that is named like it. Read next: `playing.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

Json: TypeAlias = Mapping[str, Any]
Objects: TypeAlias = Mapping[str, Sequence[Json]]
"""The objects of a namespace, by plural."""
Goal: TypeAlias = Callable[[Objects], bool]


class Create(Struct, frozen=True, kw_only=True):
    """The user creates an object."""

    manifest: Json


class Patch(Struct, frozen=True, kw_only=True):
    """The user changes an object: a merge patch, or with a list a JSON patch."""

    plural: str
    name: str
    change: Any


class Delete(Struct, frozen=True, kw_only=True):
    """The user deletes an object."""

    plural: str
    name: str


class Lose(Struct, frozen=True, kw_only=True):
    """Somebody deletes one pod: the first by name of those with this label."""

    label: str
    value: str


Deed: TypeAlias = Create | Patch | Delete | Lose


class Step(Struct, frozen=True, kw_only=True):
    """What is done, and what shows that it was carried out."""

    name: str
    deeds: tuple[Deed, ...]
    until: Goal
    patience: float = 100.0
    """After so many seconds the goal is given up."""


class Story(Struct, frozen=True, kw_only=True):
    """A name, which is also its namespace, and steps."""

    name: str
    steps: tuple[Step, ...]
    family: str


def live(objects: Sequence[Json]) -> list[Json]:
    """Return those that nobody has deleted."""
    return [one for one in objects if "deletionTimestamp" not in one["metadata"]]


def status(objects: Objects, plural: str, name: str) -> Json:
    """Return the status of an object; empty if it has none."""
    found = [one for one in objects.get(plural, ()) if one["metadata"]["name"] == name]
    return found[0].get("status") or {} if found else {}


def pods_up(objects: Objects, count: int) -> bool:
    """Tell whether exactly so many pods are there, and all are ready."""
    pods = objects.get("pods", ())
    return len(pods) == count and all(_ready(pod) for pod in pods)


def _ready(pod: Json) -> bool:
    conditions = pod.get("status", {}).get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def cluster_ready(name: str, pods: int) -> Goal:
    """Wait for a RayCluster that is ready, with so many pods."""

    def holds(objects: Objects) -> bool:
        told = status(objects, "rayclusters", name)
        return told.get("state") == "ready" and pods_up(objects, pods)

    return holds


def cluster_state(name: str, state: str, pods: int) -> Goal:
    """Wait for a state and a number of pods."""

    def holds(objects: Objects) -> bool:
        told = status(objects, "rayclusters", name).get("state", "")
        return told == state and len(objects.get("pods", ())) == pods

    return holds


def field(plural: str, name: str, key: str, *values: str) -> Goal:
    """Wait until a field of a status has one of these values."""
    return lambda objects: status(objects, plural, name).get(key) in values


def refused(objects: Objects) -> bool:
    """Wait for a Warning: the resource is not as it should be."""
    return any(one["type"] == "Warning" for one in objects.get("events", ()))


def nothing_left(objects: Objects) -> bool:
    """Wait until everything but Events is gone."""
    return not any(found for plural, found in objects.items() if plural != "events")
