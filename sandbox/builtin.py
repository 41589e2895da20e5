"""The kinds that every cluster has: a table, one row per kind.

Only kinds that operators of Ray meet are here; the next one is one more row. Columns that need more
than a path are computed in api/rows.py; defaults of services and pods are in defaults.py.
"""

from msgspec.structs import replace

from sandbox.kinds import Kind, Version, field_paths

WITH_STATUS = (Version(name="v1", status=True),)
PLAIN = (Version(name="v1"),)

EVENT_FIELDS = {
    f"{field}.{part}": f"involvedObject.{part}"
    for field in ("involvedObject", "regarding")
    for part in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
} | {
    "reason": "reason",
    "type": "type",
    "reportingComponent": "reportingComponent",
    "reportingController": "reportingComponent",
    "source": "source.component",
}
POD_FIELDS = (
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
)

CORE = (
    Kind(
        kind="Namespace",
        plural="namespaces",
        short_names=("ns",),
        namespaced=False,
        versions=WITH_STATUS,
        fields=field_paths("status.phase"),
    ),
    Kind(
        kind="Pod",
        plural="pods",
        short_names=("po",),
        categories=("all",),
        versions=WITH_STATUS,
        fields=field_paths(*POD_FIELDS),
        counts_generations=True,
        returns_what_it_deleted=True,
    ),
    Kind(
        kind="Service",
        plural="services",
        short_names=("svc",),
        categories=("all",),
        versions=WITH_STATUS,
        fields=field_paths("spec.clusterIP", "spec.type"),
        returns_what_it_deleted=True,
    ),
    Kind(kind="Secret", plural="secrets", versions=PLAIN, fields=field_paths("type")),
    Kind(kind="ConfigMap", plural="configmaps", short_names=("cm",), versions=PLAIN),
    Kind(
        kind="ServiceAccount",
        plural="serviceaccounts",
        short_names=("sa",),
        versions=PLAIN,
        returns_what_it_deleted=True,
    ),
    Kind(
        kind="Event",
        plural="events",
        short_names=("ev",),
        versions=PLAIN,
        fields=field_paths(**EVENT_FIELDS),
    ),
    Kind(kind="Endpoints", plural="endpoints", short_names=("ep",), versions=PLAIN),
    Kind(
        kind="PersistentVolumeClaim",
        plural="persistentvolumeclaims",
        short_names=("pvc",),
        versions=WITH_STATUS,
        returns_what_it_deleted=True,
    ),
    Kind(
        kind="Node",
        plural="nodes",
        short_names=("no",),
        namespaced=False,
        versions=WITH_STATUS,
        fields=field_paths("spec.unschedulable"),
    ),
)

NAMED_GROUPS = (
    Kind(
        kind="Event",
        plural="events",
        group="events.k8s.io",
        short_names=("ev",),
        versions=PLAIN,
        stored_as="events",
        fields=field_paths(**EVENT_FIELDS),
    ),
    Kind(
        kind="Job",
        plural="jobs",
        group="batch",
        categories=("all",),
        versions=WITH_STATUS,
        fields=field_paths("status.successful"),
        counts_generations=True,
        orphans_by_default=True,
    ),
    Kind(
        kind="EndpointSlice",
        plural="endpointslices",
        group="discovery.k8s.io",
        versions=PLAIN,
        counts_generations=True,
    ),
    Kind(
        kind="Lease",
        plural="leases",
        group="coordination.k8s.io",
        versions=PLAIN,
        needs_version_to_update=True,
    ),
    Kind(
        kind="Ingress",
        plural="ingresses",
        group="networking.k8s.io",
        short_names=("ing",),
        versions=WITH_STATUS,
        counts_generations=True,
    ),
    Kind(
        kind="NetworkPolicy",
        plural="networkpolicies",
        group="networking.k8s.io",
        short_names=("netpol",),
        versions=PLAIN,
        counts_generations=True,
    ),
    Kind(kind="Role", plural="roles", group="rbac.authorization.k8s.io", versions=PLAIN),
    Kind(
        kind="RoleBinding", plural="rolebindings", group="rbac.authorization.k8s.io", versions=PLAIN
    ),
    Kind(
        kind="ClusterRole",
        plural="clusterroles",
        group="rbac.authorization.k8s.io",
        namespaced=False,
        versions=PLAIN,
    ),
    Kind(
        kind="ClusterRoleBinding",
        plural="clusterrolebindings",
        group="rbac.authorization.k8s.io",
        namespaced=False,
        versions=PLAIN,
    ),
    Kind(
        kind="CustomResourceDefinition",
        plural="customresourcedefinitions",
        group="apiextensions.k8s.io",
        short_names=("crd", "crds"),
        categories=("api-extensions",),
        namespaced=False,
        versions=WITH_STATUS,
        counts_generations=True,
        needs_version_to_update=True,
    ),
    Kind(
        kind="ValidatingWebhookConfiguration",
        plural="validatingwebhookconfigurations",
        group="admissionregistration.k8s.io",
        categories=("api-extensions",),
        namespaced=False,
        versions=PLAIN,
        counts_generations=True,
        needs_version_to_update=True,
    ),
)

BORN_BY_UPDATE = frozenset(
    (
        "Service",
        "Event",
        "Endpoints",
        "Lease",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
    )
)
BUILTIN_KINDS = tuple(
    replace(kind, born_by_update=kind.kind in BORN_BY_UPDATE) for kind in (*CORE, *NAMED_GROUPS)
)
