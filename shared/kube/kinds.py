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
SERVICE = Kind(name="service", api="/api/v1", plural="services")
"""All of them: headless and serve services have no label in common with the head's."""
OF_A_CLUSTER = "ray.io/cluster"
SERVICE_ACCOUNT = Kind(
    name="serviceaccount", api="/api/v1", plural="serviceaccounts", selector=OF_A_CLUSTER
)
CLAIM = Kind(
    name="persistentvolumeclaim",
    api="/api/v1",
    plural="persistentvolumeclaims",
    selector=OF_A_CLUSTER,
)
ROLE = Kind(
    name="role",
    api="/apis/rbac.authorization.k8s.io/v1",
    plural="roles",
    selector=OF_A_CLUSTER,
)
ROLE_BINDING = Kind(
    name="rolebinding",
    api="/apis/rbac.authorization.k8s.io/v1",
    plural="rolebindings",
    selector=OF_A_CLUSTER,
)
INGRESS = Kind(
    name="ingress", api="/apis/networking.k8s.io/v1", plural="ingresses", selector=OF_A_CLUSTER
)
NETWORK_POLICY = Kind(
    name="networkpolicy",
    api="/apis/networking.k8s.io/v1",
    plural="networkpolicies",
    selector=OF_A_CLUSTER,
)
JOB = Kind(name="job", api="/apis/batch/v1", plural="jobs", selector=OF_A_CLUSTER)
SECRET = Kind(name="secret", api="/api/v1", plural="secrets")
"""Made, and never listed or watched."""
EVENT = Kind(name="event", api="/apis/events.k8s.io/v1", plural="events")

CHILDREN = (SERVICE_ACCOUNT, CLAIM, ROLE, ROLE_BINDING, INGRESS, NETWORK_POLICY, JOB)
"""Kinds that are told of as children, without a shape of their own."""

KINDS: Mapping[str, Kind] = MappingProxyType(
    {kind.name: kind for kind in (RAYCLUSTER, POD, SERVICE, *CHILDREN, SECRET, EVENT)}
)
"""Every kind by our word for it."""
