"""One raw object, every fact it makes: what was seen, under each resource it concerns.

A fact knows its subject, and enough of the object (uid, version, gone or not) to be compared with
what the log holds already (`services.watcher.gaps`).
"""

from msgspec import Struct

from services.watcher.translate.children import child_seen
from services.watcher.translate.metadata import created_at
from services.watcher.translate.metadata import version_of as version_in
from services.watcher.translate.pods import pod_seen
from services.watcher.translate.resources import resource_seen
from services.watcher.translate.routing import RESOURCES, concerned
from services.watcher.translate.services import service_seen
from shared.events import subjects
from shared.events.objects import ObjectGone, ObjectSeen, Observation, uid_of, version_of
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import Raw, name_of
from shared.kernel.manifests import uid_of as uid_in
from shared.ports.cluster import Kind


class Fact(Struct, frozen=True, kw_only=True):
    """Something seen or found gone, and the resource under which it is told."""

    subject: str
    key: ResourceKey
    body: Observation

    @property
    def version(self) -> int:
        """The resourceVersion it tells of."""
        return version_of(self.body)

    @property
    def uid(self) -> str:
        """The uid it tells of."""
        return uid_of(self.body)

    @property
    def gone(self) -> bool:
        """Whether it is a tombstone."""
        return isinstance(self.body, ObjectGone)


class Unusable(Struct, frozen=True, kw_only=True):
    """An object that no fact can be made of, and why."""

    name: str
    because: str


def facts_of(kind: Kind, raw: Raw, *, gone: bool = False) -> tuple[Fact, ...] | Unusable:
    """Return what an object tells; nothing if it concerns nobody."""
    name, uid, version = name_of(raw), uid_in(raw), version_in(raw)
    if not name or not uid or version is None:
        return Unusable(name=name, because="it has no name, no uid or no resourceVersion")
    keys = concerned(kind.name, raw)
    if not keys:
        return ()
    body: Observation = (
        ObjectGone(
            kind=kind.name,
            name=name,
            uid=uid,
            resource_version=version,
            created_at=created_at(raw),
        )
        if gone
        else seen(kind, raw)
    )
    return tuple(
        Fact(subject=subjects.observed(key, kind.name, name), key=key, body=body) for key in keys
    )


def seen(kind: Kind, raw: Raw) -> ObjectSeen:
    """Slim an object of a watched kind."""
    match kind.name:
        case "pod":
            return pod_seen(raw)
        case "service":
            return service_seen(raw)
        case _ if kind.name in RESOURCES.values():
            return resource_seen(raw, kind.api.removeprefix("/apis/"))
        case _:
            return child_seen(raw, kind.name)


def tombstone(subject: str, *, uid: str, resource_version: int) -> Fact | None:
    """Return that the object of a subject is gone; None if the subject is not an observation's."""
    place = subjects.place_of(subject)
    if place is None or len(place.rest) != 2:  # noqa: PLR2004 - kind and name of the object
        return None
    kind, name = place.rest
    body = ObjectGone(kind=kind, name=name, uid=uid, resource_version=resource_version)
    return Fact(subject=subject, key=place.key, body=body)
