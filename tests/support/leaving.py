"""A RayCluster with its state in Redis, as it comes and as it leaves."""

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.actions.objects import Action, PatchObject
from shared.actions.outcomes import Refused
from shared.events.decisions import Decided
from shared.events.objects import ChildSeen, ResourceSeen
from tests.support.builders import (
    CONTEXT,
    KEY,
    SETTINGS,
    UID,
    being_deleted,
    cluster_spec,
    group,
    resource,
)
from tests.support.plot import Plot

Raw = dict[str, object]
OURS = "ray.io/gcs-ft-redis-cleanup-finalizer"
REDIS: Raw = {"redisAddress": "redis:6379"}
UNUSED = Context(settings=replace(SETTINGS, redis_cleanup=False), session="session-1")
CONFLICT = Refused(code=409, reason="Conflict", message="the object has been modified")


def tolerant(*finalizers: str, options: Raw | None = None, **spec: object) -> ResourceSeen:
    options = REDIS if options is None else options
    spec = {"gcsFaultToleranceOptions": options, **spec}
    seen = resource(cluster_spec(group("small", 0), **spec))
    return replace(seen, meta=replace(seen.meta, finalizers=finalizers))


def leaving(*finalizers: str, options: Raw | None = None, **spec: object) -> ResourceSeen:
    return being_deleted(tolerant(*finalizers, options=options, **spec))


def plot_of(*seen: ResourceSeen | ChildSeen, context: Context = CONTEXT) -> Plot:
    plot = Plot(context)
    plot.sees(*seen)
    return plot


def asked(actions: tuple[Action, ...]) -> list[tuple[str, str, str]]:
    return [
        (type(action).__name__, getattr(action, "kind", ""), getattr(action, "name", ""))
        for action in actions
    ]


def finalizers(act: Decided) -> object:
    """The list that the one change of the act sets."""
    (patch,) = (action for action in act.actions if isinstance(action, PatchObject))
    assert (patch.kind, patch.name, patch.uid) == ("raycluster", KEY.name, UID)
    return patch.patch


def listed(*names: str) -> Raw:
    return {"metadata": {"finalizers": list(names)}}
