"""The rights in Kubernetes of each service, as we deploy them.

The roles in `deploy/manifests` are what counts; a test compares them with this table, row by row,
so that whoever is asked "may they?" at runtime is asked about exactly these. Read by
`heliograph doctor`; it grants nothing.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

CORE = ""
RAY = "ray.io"
RBAC = "rbac.authorization.k8s.io"
NETWORK = "networking.k8s.io"
GATEWAY = "gateway.networking.k8s.io"
SCHEDULING = "scheduling.k8s.io"
CERTIFICATES = "cert-manager.io"
OPENSHIFT = "route.openshift.io"
POD_GROUPS = ("scheduling.volcano.sh", "scheduling.x-k8s.io")
KINDS = ("rayclusters", "rayjobs", "rayservices", "raycronjobs")

PROXY = "with --use-kubernetes-proxy"
SCHEDULERS = "with a batch scheduler"
ROUTES = "on OpenShift"
TLS = "for mutual TLS by cert-manager"
STEPS = "for RayServices that are upgraded in steps"
AUTOSCALER = "for clusters with the Ray autoscaler"
OWNERS = "where the API server checks owner references"
_LOOK = ("list", "watch")
_MAKE = ("get", "list", "create")


class Rule(Struct, frozen=True):
    """Verbs on resources of API groups; `only` says where they are needed, if not always."""

    groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    only: str = ""


class Right(Struct, frozen=True, order=True):
    """One verb on one resource."""

    verb: str
    group: str
    resource: str
    only: str = ""


WATCHER = (
    Rule((RAY,), KINDS, _LOOK),
    Rule((CORE,), ("pods", "services", "serviceaccounts", "persistentvolumeclaims"), _LOOK),
    Rule((RBAC,), ("roles", "rolebindings"), _LOOK),
    Rule((NETWORK,), ("ingresses", "networkpolicies"), _LOOK),
    Rule(("batch",), ("jobs",), _LOOK),
    Rule(("discovery.k8s.io",), ("endpointslices",), _LOOK),
    Rule((CORE,), ("secrets",), ("get",)),
    Rule((CORE,), ("services/proxy", "pods/proxy"), ("get",), PROXY),
    Rule((*POD_GROUPS, SCHEDULING), ("podgroups",), _LOOK, SCHEDULERS),
    Rule((SCHEDULING,), ("workloads",), _LOOK, SCHEDULERS),
    Rule((OPENSHIFT,), ("routes",), _LOOK, ROUTES),
    Rule((CERTIFICATES,), ("issuers", "certificates"), _LOOK, TLS),
    Rule((GATEWAY,), ("gateways", "httproutes"), _LOOK, STEPS),
)
EXECUTOR = (
    Rule((CORE,), ("pods", "services"), (*_MAKE, "patch", "delete")),
    Rule((CORE,), ("serviceaccounts",), _MAKE),
    Rule((CORE,), ("persistentvolumeclaims",), (*_MAKE, "patch")),
    Rule((CORE,), ("secrets",), ("get", "create")),
    Rule((RBAC,), ("roles", "rolebindings"), _MAKE),
    Rule((NETWORK,), ("ingresses",), (*_MAKE, "patch")),
    Rule((NETWORK,), ("networkpolicies",), (*_MAKE, "patch", "delete")),
    Rule(("batch",), ("jobs",), (*_MAKE, "delete")),
    Rule((RAY,), ("rayclusters", "rayjobs"), (*_MAKE, "patch", "delete")),
    Rule((RAY,), ("rayservices",), ("get", "list", "patch")),
    Rule((CORE,), ("services/proxy",), ("create", "update"), PROXY),
    Rule(("events.k8s.io",), ("events",), ("create",)),
    Rule(POD_GROUPS, ("podgroups",), (*_MAKE, "patch"), SCHEDULERS),
    Rule((SCHEDULING,), ("podgroups",), (*_MAKE, "patch", "delete"), SCHEDULERS),
    Rule((SCHEDULING,), ("workloads",), (*_MAKE, "delete"), SCHEDULERS),
    Rule((OPENSHIFT,), ("routes",), _MAKE, ROUTES),
    Rule((CERTIFICATES,), ("issuers",), _MAKE, TLS),
    Rule((CERTIFICATES,), ("certificates",), (*_MAKE, "patch"), TLS),
    Rule((GATEWAY,), ("gateways", "httproutes"), (*_MAKE, "patch", "delete"), STEPS),
    Rule((CORE,), ("pods",), ("watch",), AUTOSCALER),
    Rule((CORE,), ("pods/resize",), ("patch",), AUTOSCALER),
    Rule((RAY,), tuple(f"{kind}/finalizers" for kind in KINDS), ("update",), OWNERS),
)
STATUS = (Rule((RAY,), tuple(f"{kind}/status" for kind in KINDS), ("patch",)),)

RULES: Mapping[str, tuple[Rule, ...]] = MappingProxyType(
    {"watcher": WATCHER, "executor": EXECUTOR, "status": STATUS}
)
"""The rules of each service that has any."""


def rights_of(service: str) -> Iterator[Right]:
    """Yield the rights of a service one by one."""
    for rule in RULES[service]:
        for group in rule.groups:
            for resource in rule.resources:
                yield from (Right(verb, group, resource, rule.only) for verb in rule.verbs)
