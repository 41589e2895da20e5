"""Exactly one head.

Its name is a function of the cluster's uid alone, so that the API server itself refuses a second
one, whatever any worker believes. While a former head is still there, ending or unseen, no new one
is asked for.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster.certificates import awaited
from services.reconciler.decisions.raycluster.situation import HEAD, Situation
from services.reconciler.manifests.pods.head import head_name
from shared.actions.objects import CreateObject, Notice, Words
from shared.aggregates.raycluster import group_of
from shared.kernel.manifests import entries_at
from shared.resources.labels import DISABLE_HEAD_RESTART, HEAD_GROUP


def ensure(found: Situation) -> Iterator[CreateObject]:
    """Yield the creation of the head, unless there is one in any state, or it cannot start yet."""
    if not missing(found) or awaited(found):
        return
    name = head_name(found.cluster, found.settings.manifests)
    place = f"{found.cluster.namespace}/{name}"
    yield CreateObject(
        kind="pod",
        name=name,
        manifest=HEAD,
        group=HEAD_GROUP,
        rule="head",
        because="the cluster has no head pod",
        notice=Notice(
            done=Words(reason="CreatedHeadPod", message=f"Created head Pod {place}"),
            refused=Words(
                reason="FailedToCreateHeadPod", message=f"Failed to create head Pod {place}, "
            ),
        ),
    )


def missing(found: Situation) -> bool:
    """Whether there is no head in any state, and none on its way."""
    return not (heads(found) or found.state.coming_in(HEAD_GROUP) or _going(found))


def heads(found: Situation) -> tuple[str, ...]:
    """Return the heads that are there, in any state; there should be one."""
    pods = found.state.pods.items()
    return tuple(name for name, pod in pods if group_of(pod.meta) == HEAD_GROUP)


def _going(found: Situation) -> bool:
    """Whether a head that is no longer shown may still be ending."""
    name = head_name(found.cluster, found.settings.manifests)
    return any(
        entry.kind == "pod" and entry.name == name and entry.what == "delete"
        for entry in found.view.expectations
    )


def stays_away(found: Situation) -> bool:
    """Whether the head is gone and the cluster asks that, once provisioned, it stays so."""
    provisioned = any(
        entry.get("type") == "RayClusterProvisioned" and entry.get("status") == "True"
        for entry in entries_at(found.view.status, "conditions")
    )
    asked = found.cluster.annotations.get(DISABLE_HEAD_RESTART) == "true"
    return provisioned and asked and not heads(found)
