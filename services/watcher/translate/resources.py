"""A custom resource: its whole spec and status, because they are what the user asked for.

One that is too large for the log is told without them, but for whose it is: nobody decides about
the parts of a wish.
"""

from msgspec.structs import replace

from services.watcher.translate.metadata import meta_of
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import Raw, mapping_at, text_at

_WORD_MAX = 256


def resource_seen(raw: Raw, api_version: str) -> ResourceSeen:
    """Slim a custom resource; `api_version` stands in where the object does not name its own."""
    return ResourceSeen(
        meta=meta_of(raw),
        api_version=text_at(raw, "apiVersion") or api_version,
        spec=dict(mapping_at(raw, "spec")),
        status=dict(mapping_at(raw, "status")),
    )


def without_spec(seen: ResourceSeen, size: int) -> ResourceSeen:
    """Leave out what makes the record of a resource too large; `size` is what it would have had."""
    whose = {key: value for key, value in seen.spec.items() if key == "managedBy"}
    small = isinstance(whose.get("managedBy"), str) and len(str(whose["managedBy"])) <= _WORD_MAX
    return replace(seen, spec=whose if small else {}, bytes_left_out=size)
