"""A view read as a RayCluster: its pods and services, what is coming and what is going.

Only what the resource's uid owns is here: an object of another owner occupies a name and is
otherwise nobody's business. `alive` leaves out what is being deleted or whose deletion is under
way; `held` are pods whose deletion has no known outcome: they are not alive, and free no place.
Pods are sorted into groups once, however many groups ask.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from shared.aggregates.expectations import Name
from shared.aggregates.phases import phase_of
from shared.aggregates.view import View
from shared.events.objects import ChildSeen, Meta, Observation, PodSeen, ServiceSeen
from shared.resources.labels import GROUP

ENDED = frozenset({"Failed", "Succeeded"})
"""Phases that a pod does not leave."""


class RayClusterState(Struct, frozen=True, kw_only=True, dict=True):
    """What is there of a RayCluster, and what is on its way."""

    phase: str
    pods: Mapping[str, PodSeen]
    """Every pod it owns that is not known to be gone."""
    alive: Mapping[str, PodSeen]
    held: Mapping[str, PodSeen]
    coming: Mapping[str, str]
    """Pods that were asked for and are not seen yet, with their group."""
    services: Mapping[str, ServiceSeen]
    """Every service it owns, those on their way out included: they still hold their names."""
    children: Mapping[Name, ChildSeen]
    """Everything else it owns, by kind and name, those on their way out included."""
    unsettled: frozenset[Name]
    """What was asked for, to come or to go, and is not seen yet."""
    taken: frozenset[Name]
    """Names that must not be used for something new."""

    def group(self, name: str) -> Mapping[str, PodSeen]:
        """Return the living pods of a group."""
        return self._groups.get(name, {})

    def coming_in(self, group: str) -> int:
        """Count the unseen creations of a group."""
        return self._coming_counts[group]

    def held_in(self, group: str) -> int:
        """Count the pods of a group whose deletion has no known outcome."""
        return self._held_counts[group]

    @cached_property
    def _groups(self) -> Mapping[str, dict[str, PodSeen]]:
        found: dict[str, dict[str, PodSeen]] = {}
        for pod in self.alive.values():
            found.setdefault(group_of(pod.meta), {})[pod.meta.name] = pod
        return found

    @cached_property
    def _coming_counts(self) -> Counter[str]:
        return Counter(self.coming.values())

    @cached_property
    def _held_counts(self) -> Counter[str]:
        return Counter(group_of(pod.meta) for pod in self.held.values())


def group_of(meta: Meta) -> str:
    """Return the group that a pod belongs to."""
    return meta.labels.get(GROUP, "")


def owned_by(meta: Meta, uid: str) -> bool:
    """Say whether this very resource controls the object."""
    return any(owner.uid == uid and owner.controller for owner in meta.owners)


def raycluster_state(view: View) -> RayClusterState:
    """Read a view whose resource exists as a RayCluster."""
    uid = view.own.meta.uid if view.own else ""
    flight = {(entry.kind, entry.name): entry for entry in view.expectations}
    gone = {name for name, entry in flight.items() if entry.what == "gone"}
    going = {name for name, entry in flight.items() if entry.what == "delete"}
    pods = {
        name: body
        for (kind, name), body in view.children.items()
        if isinstance(body, PodSeen) and owned_by(body.meta, uid) and (kind, name) not in gone
    }
    unsure = {name for name in going if not flight[name].resource_version}
    leaving = {name for name, pod in pods.items() if pod.meta.deleted_at or ("pod", name) in going}
    return RayClusterState(
        phase=phase_of(view.status),
        pods=pods,
        alive={name: pod for name, pod in pods.items() if name not in leaving},
        held={
            name: pod
            for name, pod in pods.items()
            if ("pod", name) in unsure and not pod.meta.deleted_at and pod.phase not in ENDED
        },
        coming={
            name: entry.group
            for (kind, name), entry in flight.items()
            if kind == "pod" and entry.what == "create" and name not in pods
        },
        services=_services(view.children, uid),
        children={
            name: body
            for name, body in view.children.items()
            if isinstance(body, ChildSeen) and owned_by(body.meta, uid) and name not in gone
        },
        unsettled=frozenset(name for name in flight if name not in gone),
        taken=frozenset(view.children) | frozenset(flight),
    )


def _services(children: Mapping[Name, Observation], uid: str) -> dict[str, ServiceSeen]:
    return {
        body.meta.name: body
        for body in children.values()
        if isinstance(body, ServiceSeen) and owned_by(body.meta, uid)
    }
