"""A custom resource: its whole spec and status, because they are what the user asked for."""

from services.watcher.translate.metadata import meta_of
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import Raw, mapping_at, text_at


def resource_seen(raw: Raw, api_version: str) -> ResourceSeen:
    """Slim a custom resource; `api_version` stands in where the object does not name its own."""
    return ResourceSeen(
        meta=meta_of(raw),
        api_version=text_at(raw, "apiVersion") or api_version,
        spec=dict(mapping_at(raw, "spec")),
        status=dict(mapping_at(raw, "status")),
    )
