"""The columns of built-in kinds, and how each cell is read from an object.

Pure. One `Layout` per kind: the columns after the name, and a function for their cells. The last
word on a pod's status is podstatus.py. Kinds that are not here show their age.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from sandbox.api import durations
from sandbox.api.podstatus import pod_cells
from sandbox.kinds import Column
from sandbox.objects import Object, dig, metadata, rows

Cells = Callable[[Object, datetime], list[Any]]


class Layout(Struct, frozen=True):
    """The table of one kind."""

    columns: tuple[Column, ...]
    cells: Cells


def columns(names: str) -> tuple[Column, ...]:
    """Make columns from names separated by commas; a `+` marks those of the wide output."""
    return tuple(
        Column(name=name.removeprefix("+"), path="", priority=int(name.startswith("+")))
        for name in names.split(",")
    )


def age_of(obj: Object, now: datetime) -> str:
    """Return the age cell of an object."""
    return durations.age(str(metadata(obj).get("creationTimestamp", "")), now)


def _age_only(obj: Object, now: datetime) -> list[Any]:
    return [age_of(obj, now)]


def _namespace(obj: Object, now: datetime) -> list[Any]:
    return [dig(obj, "status.phase") or "", age_of(obj, now)]


def _service(obj: Object, now: datetime) -> list[Any]:
    spec = obj.get("spec") or {}
    ports = ",".join(
        f"{row.get('port')}{':' + str(row['nodePort']) if row.get('nodePort') else ''}"
        f"/{row.get('protocol', 'TCP')}"
        for row in rows(obj, "spec.ports")
    )
    external = ",".join(spec.get("externalIPs") or ()) or spec.get("externalName") or "<none>"
    if spec.get("type") == "LoadBalancer":
        ingress = [row.get("ip", "") for row in rows(obj, "status.loadBalancer.ingress")]
        external = ",".join(ingress) or "<pending>"
    return [
        spec.get("type", ""),
        spec.get("clusterIP") or "<none>",
        external,
        ports or "<none>",
        age_of(obj, now),
        pairs(spec.get("selector")),
    ]


def pairs(labels: Mapping[str, str] | None) -> str:
    """Print labels as `a=1,b=2`."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or "<none>"


def _secret(obj: Object, now: datetime) -> list[Any]:
    return [obj.get("type", ""), len(obj.get("data") or {}), age_of(obj, now)]


def _configmap(obj: Object, now: datetime) -> list[Any]:
    count = len(obj.get("data") or {}) + len(obj.get("binaryData") or {})
    return [count, age_of(obj, now)]


def _account(obj: Object, now: datetime) -> list[Any]:
    return [len(obj.get("secrets") or ()), age_of(obj, now)]


def _event(obj: Object, now: datetime) -> list[Any]:
    regarding = obj.get("involvedObject") or obj.get("regarding") or {}
    first = obj.get("firstTimestamp") or obj.get("deprecatedFirstTimestamp") or obj.get("eventTime")
    last = obj.get("lastTimestamp") or obj.get("deprecatedLastTimestamp")
    last = dig(obj, "series.lastObservedTime") or last or first
    source = dig(obj, "source.component") or obj.get("reportingComponent")
    return [
        durations.age(str(last), now),
        obj.get("type", ""),
        obj.get("reason", ""),
        f"{str(regarding.get('kind', '')).lower()}/{regarding.get('name', '')}",
        regarding.get("fieldPath", ""),
        source or obj.get("reportingController") or "",
        str(obj.get("message") or obj.get("note") or "").strip(),
        durations.age(str(first), now),
        dig(obj, "series.count") or obj.get("count") or obj.get("deprecatedCount") or 1,
        metadata(obj).get("name"),
    ]


def _endpoints(obj: Object, now: datetime) -> list[Any]:
    listed = [
        f"{address.get('ip')}:{port.get('port')}"
        for subset in rows(obj, "subsets")
        for port in subset.get("ports") or [{}]
        for address in subset.get("addresses") or ()
    ]
    return [",".join(listed) or "<none>", age_of(obj, now)]


def _slice(obj: Object, now: datetime) -> list[Any]:
    ports = ",".join(str(row.get("port", "*")) for row in rows(obj, "ports"))
    addresses = [ip for row in rows(obj, "endpoints") for ip in row.get("addresses") or ()]
    shown = ",".join(addresses) or "<unset>"
    return [obj.get("addressType", ""), ports or "<unset>", shown, age_of(obj, now)]


def _claim(obj: Object, now: datetime) -> list[Any]:
    modes = ",".join(dig(obj, "spec.accessModes") or ())
    return [
        dig(obj, "status.phase") or "",
        dig(obj, "spec.volumeName") or "",
        dig(obj, "status.capacity.storage") or "",
        modes,
        dig(obj, "spec.storageClassName") or "",
        "<unset>",
        age_of(obj, now),
        dig(obj, "spec.volumeMode") or "",
    ]


def _node(obj: Object, now: datetime) -> list[Any]:
    ready = [row for row in rows(obj, "status.conditions") if row.get("type") == "Ready"]
    status = "Ready" if ready and ready[0].get("status") == "True" else "NotReady"
    if dig(obj, "spec.unschedulable"):
        status += ",SchedulingDisabled"
    version = dig(obj, "status.nodeInfo.kubeletVersion") or ""
    return [status, "<none>", age_of(obj, now), version]


def _job(obj: Object, now: datetime) -> list[Any]:
    done = [
        row.get("type") for row in rows(obj, "status.conditions") if row.get("status") == "True"
    ]
    known = ("Complete", "Failed", "Suspended", "FailureTarget")
    status = next((name for name in known if name in done), "Running")
    wanted = dig(obj, "spec.completions") or 1
    started, ended = dig(obj, "status.startTime"), dig(obj, "status.completionTime")
    until = datetime.fromisoformat(ended) if ended else now
    took = durations.age(started, until) if started else ""
    succeeded = dig(obj, "status.succeeded") or 0
    containers = list(rows(obj, "spec.template.spec.containers"))
    return [
        status,
        f"{succeeded}/{wanted}",
        took,
        age_of(obj, now),
        ",".join(str(row.get("name", "")) for row in containers),
        ",".join(str(row.get("image", "")) for row in containers),
        pairs(dig(obj, "spec.selector.matchLabels")),
    ]


def _lease(obj: Object, now: datetime) -> list[Any]:
    return [dig(obj, "spec.holderIdentity") or "", age_of(obj, now)]


def _ingress(obj: Object, now: datetime) -> list[Any]:
    hosts = [str(row.get("host", "*")) for row in rows(obj, "spec.rules")]
    ingress = [row.get("ip", "") for row in rows(obj, "status.loadBalancer.ingress")]
    ports = "80, 443" if dig(obj, "spec.tls") else "80"
    name = dig(obj, "spec.ingressClassName") or "<none>"
    return [name, ",".join(hosts) or "*", ",".join(ingress), ports, age_of(obj, now)]


def _policy(obj: Object, now: datetime) -> list[Any]:
    return [pairs(dig(obj, "spec.podSelector.matchLabels")), age_of(obj, now)]


def _created(obj: Object, _: datetime) -> list[Any]:
    return [str(metadata(obj).get("creationTimestamp", ""))]


def _binding(obj: Object, now: datetime) -> list[Any]:
    return [f"{dig(obj, 'roleRef.kind')}/{dig(obj, 'roleRef.name')}", age_of(obj, now)]


POD_COLUMNS = "Ready,Status,Restarts,Age,+IP,+Node,+Nominated Node,+Readiness Gates"
EVENT_COLUMNS = "Last Seen,Type,Reason,Object,+Subobject,+Source,Message,+First Seen,+Count,+Name"
CLAIM_COLUMNS = (
    "Status,Volume,Capacity,Access Modes,StorageClass,VolumeAttributesClass,Age,+VolumeMode"
)
JOB_COLUMNS = "Status,Completions,Duration,Age,+Containers,+Images,+Selector"
AGE_ONLY = Layout(columns("Age"), _age_only)
BUILTIN_TABLES = {
    "namespaces": Layout(columns("Status,Age"), _namespace),
    "pods": Layout(columns(POD_COLUMNS), pod_cells),
    "services": Layout(columns("Type,Cluster-IP,External-IP,Port(s),Age,+Selector"), _service),
    "secrets": Layout(columns("Type,Data,Age"), _secret),
    "configmaps": Layout(columns("Data,Age"), _configmap),
    "serviceaccounts": Layout(columns("Secrets,Age"), _account),
    "events": Layout(columns(EVENT_COLUMNS), _event),
    "endpoints": Layout(columns("Endpoints,Age"), _endpoints),
    "endpointslices.discovery.k8s.io": Layout(columns("AddressType,Ports,Endpoints,Age"), _slice),
    "persistentvolumeclaims": Layout(columns(CLAIM_COLUMNS), _claim),
    "nodes": Layout(columns("Status,Roles,Age,Version"), _node),
    "jobs.batch": Layout(columns(JOB_COLUMNS), _job),
    "leases.coordination.k8s.io": Layout(columns("Holder,Age"), _lease),
    "ingresses.networking.k8s.io": Layout(columns("Class,Hosts,Address,Ports,Age"), _ingress),
    "networkpolicies.networking.k8s.io": Layout(columns("Pod-Selector,Age"), _policy),
    "roles.rbac.authorization.k8s.io": Layout(columns("Created At"), _created),
    "rolebindings.rbac.authorization.k8s.io": Layout(columns("Role,Age"), _binding),
    "customresourcedefinitions.apiextensions.k8s.io": Layout(columns("Created At"), _created),
}
