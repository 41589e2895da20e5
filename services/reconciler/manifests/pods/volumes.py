"""Volumes that every Ray node needs: shared memory, and logs that a sidecar reads too."""

from services.reconciler.manifests.pods.draft import Part, PodDraft, mount
from shared.kernel.manifests import Raw, mapping_at
from shared.kernel.quantities import Quantity, parse_quantity

SHARED_MEMORY_PATH = "/dev/shm"  # noqa: S108 - Ray's object store lives there
LOGS_PATH = "/tmp/ray"  # noqa: S108 - where Ray writes its logs

_LOGS: Raw = {"name": "ray-logs", "emptyDir": {}}
_LOGS_AT: Raw = {"mountPath": LOGS_PATH}


def add_shared_memory(draft: PodDraft) -> None:
    """Give Ray as much shared memory as it has memory, unless it keeps objects elsewhere."""
    if "plasma-directory" in draft.start:
        return
    directory: Part = {"medium": "Memory"}
    limit = _memory(draft.ray)
    if limit:
        directory["sizeLimit"] = str(limit)
    volume = {"name": "shared-mem", "emptyDir": directory}
    mount(draft, draft.ray, volume, {"mountPath": SHARED_MEMORY_PATH})


def share_logs(draft: PodDraft, sidecar: Part) -> None:
    """Let the sidecar read what Ray writes to its log folder."""
    mount(draft, draft.ray, _LOGS, _LOGS_AT)
    mount(draft, sidecar, _LOGS, _LOGS_AT)


def _memory(container: Raw) -> Quantity | None:
    limits = mapping_at(container, "resources", "limits")
    requests = mapping_at(container, "resources", "requests")
    return parse_quantity(limits.get("memory")) or parse_quantity(requests.get("memory"))
