"""What `kubectl get` shows of each kind: the columns that KubeRay's users have, in their order."""

Schema = dict[str, object]
Column = tuple[str, str, str]

_AGE: Column = ("age", "date", ".metadata.creationTimestamp")

RAYCLUSTER: tuple[Column, ...] = (
    ("desired workers", "integer", ".status.desiredWorkerReplicas"),
    ("available workers", "integer", ".status.availableWorkerReplicas"),
    ("cpus", "string", ".status.desiredCPU"),
    ("memory", "string", ".status.desiredMemory"),
    ("gpus", "string", ".status.desiredGPU"),
    ("tpus", "string", ".status.desiredTPU"),
    ("status", "string", ".status.state"),
    _AGE,
    ("head pod IP", "string", ".status.head.podIP"),
    ("head service IP", "string", ".status.head.serviceIP"),
)
RAYJOB: tuple[Column, ...] = (
    ("job status", "string", ".status.jobStatus"),
    ("deployment status", "string", ".status.jobDeploymentStatus"),
    ("ray cluster name", "string", ".status.rayClusterName"),
    ("start time", "string", ".status.startTime"),
    ("end time", "string", ".status.endTime"),
    _AGE,
)
RAYSERVICE: tuple[Column, ...] = (
    ("service status", "string", ".status.serviceStatus"),
    ("num serve endpoints", "string", ".status.numServeEndpoints"),
)
RAYCRONJOB: tuple[Column, ...] = (
    ("schedule", "string", ".spec.schedule"),
    ("timezone", "string", ".spec.timeZone"),
    ("last schedule", "date", ".status.lastScheduleTime"),
    _AGE,
    ("suspend", "boolean", ".spec.suspend"),
)
_WIDE = frozenset({"tpus", "head pod IP", "head service IP"})
"""Shown with `-o wide` only."""


def shown(columns: tuple[Column, ...]) -> Schema:
    """Return the columns as a version of a definition has them; nothing if there are none."""
    if not columns:
        return {}
    told = [
        {"name": name, "type": kind, "jsonPath": path} | ({"priority": 1} if name in _WIDE else {})
        for name, kind, path in columns
    ]
    return {"additionalPrinterColumns": told}
