"""The kinds of object that Heliograph reads and writes, and how each is reached.

The selectors are the server's: a watcher never sees pods and services that are not of Ray.
"""

from collections.abc import Mapping
from types import MappingProxyType

from shared.ports.cluster import Kind

RAYCLUSTER = Kind(name="raycluster", api="/apis/ray.io/v1", plural="rayclusters")
POD = Kind(
    name="pod",
    api="/api/v1",
    plural="pods",
    selector="ray.io/node-type in (head,worker,redis-cleanup)",
)
SERVICE = Kind(
    name="service",
    api="/api/v1",
    plural="services",
    selector="app.kubernetes.io/created-by=kuberay-operator",
)
EVENT = Kind(name="event", api="/apis/events.k8s.io/v1", plural="events")

KINDS: Mapping[str, Kind] = MappingProxyType(
    {kind.name: kind for kind in (RAYCLUSTER, POD, SERVICE, EVENT)}
)
"""Every kind by our word for it."""
