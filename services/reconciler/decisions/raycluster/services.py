"""Every RayCluster has one head service, under which its head is found; some have two more.

Where a replica has several hosts, these find each other by a headless service; where the user asks
for it, one more leads to Ray Serve. Created if missing, never changed afterwards, as KubeRay has
it.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster import companions
from services.reconciler.decisions.raycluster.situation import HEAD_SERVICE, Situation
from services.reconciler.manifests.companions import HEADLESS_SERVICE, SERVE_SERVICE
from services.reconciler.manifests.names import check_label, head_service_name
from services.reconciler.manifests.services import (
    headless_service_name,
    serve_ports,
    serve_service_name,
)
from shared.actions.objects import CreateObject, Notice, PostNotice
from shared.resources import labels as words

_NO_SERVE_PORT = (
    "Please specify a port named 'serve' (or with the prefix 'serve-', e.g. 'serve-grpc') in the "
    "Ray head container; otherwise, the Kubernetes service for Ray Serve will not be created."
)


def ensure(found: Situation) -> Iterator[CreateObject | PostNotice]:
    """Yield the creation of services that are neither there nor on their way."""
    yield from _head(found)
    yield from _headless(found)
    yield from _serve(found)
    yield from companions.untold(found, _warnings(found))


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: the warnings that people had."""
    return tuple(_warnings(found))


def heads(found: Situation) -> tuple[str, ...]:
    """Return the services by which the head may be found; there should be one."""
    named = check_label(f"{found.cluster.name}-{words.HEAD}")
    marked = set(_labelled(found, words.IDENTIFIER, named))
    return tuple(name for name in _labelled(found, words.NODE_TYPE, words.HEAD) if name in marked)


def _head(found: Situation) -> Iterator[CreateObject]:
    name = head_service_name(found.cluster)
    labelled = _labelled(found, words.NODE_TYPE, words.HEAD)
    if not labelled and companions.lacks(found, "service", name):
        yield CreateObject(
            kind="service",
            name=name,
            manifest=HEAD_SERVICE,
            rule="head_service",
            because="the cluster has no head service",
            notice=_notice(found, name),
        )


def _headless(found: Situation) -> Iterator[CreateObject]:
    cluster = found.cluster
    name = headless_service_name(cluster)
    wanted = any(group.num_of_hosts > 1 for group in cluster.groups)
    labelled = _labelled(found, words.HEADLESS_SERVICE, cluster.name)
    if wanted and not labelled and companions.lacks(found, "service", name):
        yield CreateObject(
            kind="service",
            name=name,
            manifest=HEADLESS_SERVICE,
            rule="headless_service",
            because="the hosts of a replica have no service by which to find each other",
            notice=_notice(found, name),
        )


def _serve(found: Situation) -> Iterator[CreateObject]:
    name = serve_service_name(found.cluster)
    possible = _wants_serve(found) and serve_ports(found.cluster)
    if possible and companions.lacks(found, "service", name):
        yield CreateObject(
            kind="service",
            name=name,
            manifest=SERVE_SERVICE,
            rule="serve_service",
            because="the cluster asks for a service for Ray Serve and has none",
        )


def _warnings(found: Situation) -> dict[str, PostNotice]:
    """Say that a service for Ray Serve is asked for and no port serves."""
    if not _wants_serve(found) or serve_ports(found.cluster):
        return {}
    warning = PostNotice(
        warning=True,
        reason="FailedToCreateService",
        action="Create",
        message=_NO_SERVE_PORT,
        rule="serve_service",
        because="the cluster asks for a service for Ray Serve, and no port of the head serves",
    )
    return {companions.mark(found, "serve-port"): warning}


def _wants_serve(found: Situation) -> bool:
    return found.cluster.annotations.get(words.ENABLE_SERVE_SERVICE) == "true"


def _labelled(found: Situation, label: str, value: str) -> tuple[str, ...]:
    services = found.state.services.items()
    return tuple(name for name, one in services if one.meta.labels.get(label) == value)


def _notice(found: Situation, name: str) -> Notice:
    return companions.creation_notice("Service", "service", companions.place(found, name))
