"""How much of an object is read at all when a kind is listed or watched.

Objects arrive as plain mappings that hold only the fields named here; the decoder skips the rest
without building it, which makes a pod of 7 KB cost as little as a small one. Managed fields come
without the fields they manage. A kind that is not named here comes whole, and so does an object
that is oddly typed: one odd object must not end a watch. Reading one object (`writing.py`) always
gives it whole.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Generic, TypedDict, TypeVar

import msgspec

from shared.ports.cluster import Kind

T = TypeVar("T")
Text = str | None


class ManagedFields(TypedDict, total=False):
    """Who touched the object, and when."""

    manager: Text
    time: Text
    subresource: Text


class OwnerReference(TypedDict, total=False):
    """Whose child the object is."""

    apiVersion: Text
    kind: Text
    name: Text
    uid: Text
    controller: bool | None


class Metadata(TypedDict, total=False):
    """What every object has."""

    name: Text
    namespace: Text
    uid: Text
    resourceVersion: Text
    generation: int | None
    labels: dict[str, str] | None
    annotations: dict[str, str] | None
    ownerReferences: list[OwnerReference] | None
    finalizers: list[str] | None
    creationTimestamp: Text
    deletionTimestamp: Text
    managedFields: list[ManagedFields] | None


class CustomResource(TypedDict, total=False):
    """What a user wrote, whole."""

    apiVersion: Text
    kind: Text
    metadata: Metadata
    spec: dict[str, Any] | None
    status: dict[str, Any] | None


class ContainerName(TypedDict, total=False):
    """A container, by name only: neither its image nor its environment is read."""

    name: Text


class PodSpec(TypedDict, total=False):
    """What is read of how a pod was meant."""

    nodeName: Text
    restartPolicy: Text
    containers: list[ContainerName] | None


class Condition(TypedDict, total=False):
    """One condition of a status."""

    type: Text
    status: Text
    reason: Text
    message: Text


class ContainerStay(TypedDict, total=False):
    """Why a container is in its state."""

    reason: Text
    message: Text
    exitCode: int | None
    finishedAt: Text


class ContainerState(TypedDict, total=False):
    """In which state a container is: one of the three."""

    waiting: ContainerStay | None
    running: ContainerStay | None
    terminated: ContainerStay | None


class ContainerStatus(TypedDict, total=False):
    """How a container is."""

    name: Text
    ready: bool | None
    restartCount: int | None
    state: ContainerState | None
    lastState: ContainerState | None


class PodStatus(TypedDict, total=False):
    """How a pod is."""

    phase: Text
    reason: Text
    message: Text
    podIP: Text
    conditions: list[Condition] | None
    containerStatuses: list[ContainerStatus] | None
    initContainerStatuses: list[ContainerStatus] | None


class Pod(TypedDict, total=False):
    """A pod."""

    metadata: Metadata
    spec: PodSpec | None
    status: PodStatus | None


class ServicePort(TypedDict, total=False):
    """One port of a service."""

    name: Text
    port: int | None
    targetPort: int | str | None
    nodePort: int | None


class ServiceSpec(TypedDict, total=False):
    """How a service was meant."""

    type: Text
    clusterIP: Text
    selector: dict[str, str] | None
    ports: list[ServicePort] | None


class Service(TypedDict, total=False):
    """A service."""

    metadata: Metadata
    spec: ServiceSpec | None


class PageMetadata(
    msgspec.Struct, frozen=True, rename={"version": "resourceVersion", "next": "continue"}
):
    """Where a page of a list stands: at which version, and what asks for the next one."""

    version: str = ""
    next: Text = None


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list."""

    kind: str
    metadata: PageMetadata
    items: list[T] | None = None


class Line(msgspec.Struct, Generic[T], frozen=True):
    """One line of a watch."""

    type: str
    object: T


class Projection(msgspec.Struct, frozen=True):
    """How pages and lines of one kind are decoded."""

    page: msgspec.json.Decoder[Any]
    line: msgspec.json.Decoder[Any]


WHOLE = Projection(
    page=msgspec.json.Decoder(Page[dict[str, Any]]), line=msgspec.json.Decoder(Line[dict[str, Any]])
)
_BY_KIND: Mapping[str, Projection] = MappingProxyType(
    {
        **dict.fromkeys(
            ("raycluster", "rayjob", "rayservice", "raycronjob"),
            Projection(
                page=msgspec.json.Decoder(Page[CustomResource]),
                line=msgspec.json.Decoder(Line[CustomResource]),
            ),
        ),
        "pod": Projection(
            page=msgspec.json.Decoder(Page[Pod]), line=msgspec.json.Decoder(Line[Pod])
        ),
        "service": Projection(
            page=msgspec.json.Decoder(Page[Service]), line=msgspec.json.Decoder(Line[Service])
        ),
    }
)


def projection_of(kind: Kind) -> Projection:
    """Return how a kind is decoded."""
    return _BY_KIND.get(kind.name, WHOLE)
