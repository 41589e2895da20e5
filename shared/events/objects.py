"""What the watcher saw of objects in Kubernetes, slimmed to what decisions and people need.

Facts, no behaviour. No Secret value and no environment value of an observed pod ever enters. The
full spec of a resource does: it is what the user asked for. Raw objects become these in
`services.watcher.translate`; folding is told in `shared.aggregates`.
"""

from datetime import datetime

from msgspec import Struct, field


class Owner(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An owner reference."""

    kind: str
    name: str
    uid: str
    controller: bool = False


class Meta(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every object has. `changed_by` is the field manager that touched it last."""

    name: str
    namespace: str
    uid: str
    resource_version: int
    generation: int = 0
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    owners: tuple[Owner, ...] = ()
    finalizers: tuple[str, ...] = ()
    created_at: datetime | None = None
    deleted_at: datetime | None = None
    changed_by: str = ""


class Condition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One condition of an object's status."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


class Container(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one container is. `state` is waiting, running, terminated or empty.

    `crashed_before` says that it was started again after an end, `former_reason` in which word the
    kubelet told that end.
    """

    name: str
    ready: bool = False
    restarts: int = 0
    state: str = ""
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    finished_at: datetime | None = None
    crashed_before: bool = False
    former_reason: str = ""


class ServicePort(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One port of a service; the target is a number or a name."""

    name: str = ""
    port: int = 0
    target: int | str = 0
    node_port: int = 0


RECORD_BYTES_MAX = 900_000
"""What a record may have, well below the payload limit of the bus with its headers."""


class ResourceSeen(Struct, frozen=True, kw_only=True, tag="resource_seen", omit_defaults=True):
    """A custom resource as it stands: its whole spec and status.

    One that is too large for the log is told without its spec, and `bytes_left_out` says how large
    its record would have been: so that people learn of it from the resource itself.
    """

    meta: Meta
    api_version: str
    spec: dict[str, object]
    status: dict[str, object] = field(default_factory=dict)
    bytes_left_out: int = 0


class PodSeen(Struct, frozen=True, kw_only=True, tag="pod_seen", omit_defaults=True):
    """A pod as it stands. `ray_container` is the name of its first container."""

    meta: Meta
    phase: str = ""
    reason: str = ""
    message: str = ""
    node: str = ""
    ip: str = ""
    restart_policy: str = ""
    ray_container: str = ""
    conditions: tuple[Condition, ...] = ()
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()


class ServiceSeen(Struct, frozen=True, kw_only=True, tag="service_seen", omit_defaults=True):
    """A service as it stands."""

    meta: Meta
    service_type: str = ""
    cluster_ip: str = ""
    selector: dict[str, str] = field(default_factory=dict)
    ports: tuple[ServicePort, ...] = ()


class ChildSeen(Struct, frozen=True, kw_only=True, tag="child_seen", omit_defaults=True):
    """Any other object that a resource owns, as it stands: what was wished and what is.

    `content` is whatever else the kind keeps beside spec and status, such as the rules of a role.
    Of a Secret there are only the names of its `keys`, never a value.
    """

    meta: Meta
    kind: str
    spec: dict[str, object] = field(default_factory=dict)
    status: dict[str, object] = field(default_factory=dict)
    content: dict[str, object] = field(default_factory=dict)
    keys: tuple[str, ...] = ()


class ObjectGone(Struct, frozen=True, kw_only=True, tag="object_gone", omit_defaults=True):
    """A tombstone: the object of this uid is no longer there.

    `created_at` is known where its end was watched.
    """

    kind: str
    name: str
    uid: str
    resource_version: int
    created_at: datetime | None = None


ObjectSeen = ResourceSeen | PodSeen | ServiceSeen | ChildSeen
Observation = ObjectSeen | ObjectGone


def version_of(observation: Observation) -> int:
    """Return the resourceVersion that an observation tells of."""
    if isinstance(observation, ObjectGone):
        return observation.resource_version
    return observation.meta.resource_version


def uid_of(observation: Observation) -> str:
    """Return the uid of the object that an observation tells of."""
    return observation.uid if isinstance(observation, ObjectGone) else observation.meta.uid
