"""Any other owned object: its spec, its status, and whatever else its kind keeps."""

from services.watcher.translate.metadata import meta_of
from shared.events.objects import ChildSeen
from shared.kernel.manifests import Raw, entries_at, flag_at, mapping_at, text_at

WITH_SPEC = frozenset(
    {
        "persistentvolumeclaim",
        "ingress",
        "networkpolicy",
        "certificate",
        "volcanopodgroup",
        "pluginpodgroup",
        "workload",
        "podgroup",
        "gateway",
        "httproute",
    }
)
"""Kinds whose spec decisions compare. A job's holds a whole pod, environment and all: not told."""
CONTENT = ("rules", "roleRef", "subjects")
"""Parts beside spec and status that some kinds keep at the top. Data of any kind is not one."""


def child_seen(raw: Raw, kind: str) -> ChildSeen:
    """Slim an object that a resource owns."""
    return ChildSeen(
        meta=meta_of(raw),
        kind=kind,
        spec=dict(mapping_at(raw, "spec")) if kind in WITH_SPEC else {},
        status=dict(mapping_at(raw, "status")),
        content=_endpoints(raw)
        if kind == "endpointslice"
        else {part: raw[part] for part in CONTENT if raw.get(part)},
    )


def _endpoints(raw: Raw) -> dict[str, object]:
    """Keep of a slice whose endpoints it holds, and which of them are ready."""
    endpoints = [
        {
            "uid": text_at(endpoint, "targetRef", "uid"),
            "ready": flag_at(endpoint, "conditions", "ready") is True,
        }
        for endpoint in entries_at(raw, "endpoints")
    ]
    return {"endpoints": endpoints} if endpoints else {}
