"""Our finalizer on a cluster whose state is in Redis: set before any pod exists, removed last.

While it is missing nothing else is done, or a cluster could leave keys in Redis that nobody knows
of. What happens between deletion and removal is told in `deletion.py`.
"""

from collections.abc import Iterator

from services.reconciler.decisions.decision import Draft
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import PatchObject
from shared.aggregates.view import View
from shared.events.objects import Meta
from shared.resources.labels import REDIS_CLEANUP_FINALIZER
from shared.resources.predicates import embedded_storage, fault_tolerant


def cleans_up(found: Situation) -> bool:
    """Whether Redis is to be cleaned up after this cluster."""
    in_redis = fault_tolerant(found.cluster) and not embedded_storage(found.cluster)
    return in_redis and found.settings.redis_cleanup


def protected(meta: Meta) -> bool:
    """Whether our finalizer is there."""
    return REDIS_CLEANUP_FINALIZER in meta.finalizers


def protect(found: Situation) -> Draft | None:
    """Set the finalizer, and do nothing else until it is seen; None where there is no need to."""
    own = found.view.own
    if own is None or protected(own.meta) or not cleans_up(found):
        return None
    wanted = (*own.meta.finalizers, REDIS_CLEANUP_FINALIZER)
    because = "the cluster's data in Redis is to be removed with it"
    changes = _finalizers(found.view, own.meta, wanted, because)
    return Draft(phase=found.state.phase, actions=tuple(changes))


def release(view: View, meta: Meta, because: str) -> Iterator[PatchObject]:
    """Remove our finalizer and no other, unless that is under way."""
    rest = tuple(name for name in meta.finalizers if name != REDIS_CLEANUP_FINALIZER)
    return _finalizers(view, meta, rest, because)


def _finalizers(
    view: View, meta: Meta, wanted: tuple[str, ...], because: str
) -> Iterator[PatchObject]:
    """Set the whole list under the version that it rests on.

    A written status rests on the version that was seen: nobody else changed anything in between.
    """
    if any((entry.kind, entry.name) == ("raycluster", meta.name) for entry in view.expectations):
        return
    yield PatchObject(
        kind="raycluster",
        name=meta.name,
        uid=meta.uid,
        patch={"metadata": {"finalizers": list(wanted)}},
        resource_version=view.status_version,
        rule="deletion",
        because=because,
    )
