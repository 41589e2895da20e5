"""Every RayCluster has one head service, under which its head is found.

Created if it is missing, never changed afterwards, as KubeRay has it.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster.situation import HEAD_SERVICE, Situation
from services.reconciler.manifests.names import head_service_name
from shared.actions.objects import CreateObject, Notice, Words
from shared.resources.labels import NODE_TYPE


def ensure(found: Situation) -> Iterator[CreateObject]:
    """Yield the creation of the head service, unless it is there or on its way."""
    state = found.state
    name = head_service_name(found.cluster)
    there = any(service.meta.labels.get(NODE_TYPE) == "head" for service in state.services.values())
    if there or ("service", name) in state.unsettled:
        return
    place = f"{found.cluster.namespace}/{name}"
    yield CreateObject(
        kind="service",
        name=name,
        manifest=HEAD_SERVICE,
        rule="head_service",
        because="the cluster has no head service",
        notice=Notice(
            done=Words(reason="CreatedService", message=f"Created service {place}"),
            refused=Words(
                reason="FailedToCreateService", message=f"Failed creating service {place}, "
            ),
        ),
    )
