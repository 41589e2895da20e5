"""A service, slimmed."""

from services.watcher.translate.metadata import meta_of
from shared.events.objects import ServicePort, ServiceSeen
from shared.kernel.manifests import Raw, entries_at, integer_at, text_at, texts_at


def service_seen(raw: Raw) -> ServiceSeen:
    """Slim a service."""
    return ServiceSeen(
        meta=meta_of(raw),
        service_type=text_at(raw, "spec", "type"),
        cluster_ip=text_at(raw, "spec", "clusterIP"),
        selector=texts_at(raw, "spec", "selector"),
        ports=tuple(_port(port) for port in entries_at(raw, "spec", "ports")),
    )


def _port(port: Raw) -> ServicePort:
    return ServicePort(
        name=text_at(port, "name"),
        port=integer_at(port, "port") or 0,
        target=text_at(port, "targetPort") or integer_at(port, "targetPort") or 0,
        node_port=integer_at(port, "nodePort") or 0,
    )
