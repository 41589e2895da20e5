"""The kinds of object that Heliograph reads and writes, and how each is reached.

The selectors are the server's: a watcher never sees pods and services that are not of Ray.
"""

from collections.abc import Mapping
from types import MappingProxyType

from shared.ports.cluster import Kind

RAYCLUSTER = Kind(name="raycluster", api="/apis/ray.io/v1", plural="rayclusters")
RAYJOB = Kind(name="rayjob", api="/apis/ray.io/v1", plural="rayjobs")
RAYSERVICE = Kind(name="rayservice", api="/apis/ray.io/v1", plural="rayservices")
RAYCRONJOB = Kind(name="raycronjob", api="/apis/ray.io/v1", plural="raycronjobs")
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
JOB = Kind(
    name="job",
    api="/apis/batch/v1",
    plural="jobs",
    selector="app.kubernetes.io/created-by=kuberay-operator",
)
SECRET = Kind(name="secret", api="/api/v1", plural="secrets")
"""Made, and never listed or watched."""
EVENT = Kind(name="event", api="/apis/events.k8s.io/v1", plural="events")

VOLCANO_POD_GROUP = Kind(
    name="volcanopodgroup", api="/apis/scheduling.volcano.sh/v1beta1", plural="podgroups"
)
"""All of them, and those of scheduler-plugins: other operators for Ray put no label on theirs."""
PLUGIN_POD_GROUP = Kind(
    name="pluginpodgroup", api="/apis/scheduling.x-k8s.io/v1alpha1", plural="podgroups"
)
WORKLOAD = Kind(
    name="workload",
    api="/apis/scheduling.k8s.io/v1alpha2",
    plural="workloads",
    selector=OF_A_CLUSTER,
)
POD_GROUP = Kind(
    name="podgroup",
    api="/apis/scheduling.k8s.io/v1alpha2",
    plural="podgroups",
    selector=OF_A_CLUSTER,
)
ROUTE = Kind(
    name="route", api="/apis/route.openshift.io/v1", plural="routes", selector=OF_A_CLUSTER
)
ISSUER = Kind(
    name="issuer", api="/apis/cert-manager.io/v1", plural="issuers", selector=OF_A_CLUSTER
)
CERTIFICATE = Kind(
    name="certificate",
    api="/apis/cert-manager.io/v1",
    plural="certificates",
    selector=OF_A_CLUSTER,
)

ENDPOINT_SLICE = Kind(
    name="endpointslice",
    api="/apis/discovery.k8s.io/v1",
    plural="endpointslices",
    selector="ray.io/originated-from-crd=RayService",
)
"""Slices carry the labels of their service: those of the services that RayServices own."""

GATEWAY = Kind(name="gateway", api="/apis/gateway.networking.k8s.io/v1", plural="gateways")
"""All of them, and all routes: other operators for Ray put no label on theirs."""
HTTP_ROUTE = Kind(name="httproute", api="/apis/gateway.networking.k8s.io/v1", plural="httproutes")

CHILDREN = (
    SERVICE_ACCOUNT,
    CLAIM,
    ROLE,
    ROLE_BINDING,
    INGRESS,
    NETWORK_POLICY,
    JOB,
    ENDPOINT_SLICE,
)
"""Kinds that are told of as children, without a shape of their own."""
OPTIONAL_CHILDREN = (
    VOLCANO_POD_GROUP,
    PLUGIN_POD_GROUP,
    WORKLOAD,
    POD_GROUP,
    ROUTE,
    ISSUER,
    CERTIFICATE,
    GATEWAY,
    HTTP_ROUTE,
)
"""Children of kinds that not every cluster serves; looked at where the settings ask for them."""

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            RAYCLUSTER,
            RAYJOB,
            RAYCRONJOB,
            RAYSERVICE,
            POD,
            SERVICE,
            *CHILDREN,
            *OPTIONAL_CHILDREN,
            SECRET,
            EVENT,
        )
    }
)
"""Every kind by our word for it."""
