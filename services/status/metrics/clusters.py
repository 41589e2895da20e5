"""A RayCluster as KubeRay's metrics tell of it. Pure.

Everything is read off the resource and its status, so whoever owns it next shows the same figures.
How long provisioning took is the span from creation to the moment the condition became true.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from services.status.conditions.suspension import PROVISIONED
from services.status.conditions.transitions import conditions_of, holds
from shared.aggregates.view import View
from shared.kernel.instants import parse_instant
from shared.resources.labels import ORIGINATED_FROM_CRD

NO_OWNER = "None"


class ClusterShown(Struct, frozen=True, kw_only=True):
    """What is shown of one RayCluster."""

    name: str
    namespace: str
    uid: str
    owner_kind: str
    provisioned: bool
    provisioned_after: timedelta | None
    """How long it took to be provisioned; None while it is not."""


def shown(view: View) -> ClusterShown | None:
    """Read what is shown off a view; None if there is no RayCluster."""
    if view.own is None or view.key.kind != "raycluster":
        return None
    meta, conditions = view.own.meta, conditions_of(view.status)
    provisioned = holds(conditions, PROVISIONED)
    return ClusterShown(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        owner_kind=meta.labels.get(ORIGINATED_FROM_CRD) or NO_OWNER,
        provisioned=provisioned,
        provisioned_after=_span(meta.created_at, conditions[PROVISIONED]) if provisioned else None,
    )


def _span(created_at: datetime | None, condition: Mapping[str, object]) -> timedelta | None:
    since = str(condition.get("lastTransitionTime", ""))
    return parse_instant(since) - created_at if since and created_at else None
