"""What the API server fills in for built-in kinds: pods, services, namespaces and a few more.

Pure. Every function takes an object and returns it completed; what the client wrote is never
overwritten, except for a newborn pod's or namespace's status, which belongs to the cluster.
"""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from sandbox.events import BLANKS as EVENT_BLANKS
from sandbox.hooks.completing import completed_hooks
from sandbox.objects import Object, dig, metadata, rows, with_metadata

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
TOLERATIONS = tuple(
    {
        "key": f"node.kubernetes.io/{trouble}",
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": 300,
    }
    for trouble in ("not-ready", "unreachable")
)
AFFINITY_SECONDS = 10_800
CONTAINER_LISTS = ("containers", "initContainers", "ephemeralContainers")


def completed(resource: str, obj: Object) -> Object:
    """Fill in what the kind's defaults say."""
    fill = DEFAULTS.get(resource)
    return fill(obj) if fill else obj


def admitted(resource: str, obj: Object) -> Object:
    """Fill in what admission adds to a newborn object, after its writer's fields were counted."""
    admit = ADMISSION.get(resource)
    return admit(obj) if admit else obj


def first_status(resource: str, obj: Object) -> Object:
    """Return a newborn object with the status it starts with."""
    if resource == "pods":
        quality = quality_of_service(obj)
        return {**obj, "status": {"phase": "Pending", "qosClass": quality}}
    status = FIRST_STATUS.get(resource)
    return obj if status is None else {**obj, "status": status}


def quality_of_service(pod: Object) -> str:
    """Class a pod by what its containers ask for."""
    asked = [
        row.get("resources") or {}
        for field in ("containers", "initContainers")
        for row in rows(pod, f"spec.{field}")
    ]
    if not any(each.get("limits") or each.get("requests") for each in asked):
        return "BestEffort"
    if all(_guaranteed(each) for each in asked):
        return "Guaranteed"
    return "Burstable"


def _guaranteed(resources: Object) -> bool:
    limits = resources.get("limits") or {}
    requests = resources.get("requests") or limits
    named = ("cpu", "memory")
    return all(limits.get(name) and limits[name] == requests.get(name) for name in named)


def _pod(obj: Object) -> Object:
    spec = _pod_spec(obj.get("spec") or {})
    spec.setdefault("enableServiceLinks", True)
    if account := spec.get("serviceAccountName"):
        spec["serviceAccount"] = account
    filled = {**obj, "spec": spec}
    if rows_told := dig(obj, "status.conditions"):
        blank = {"lastProbeTime": None, "lastTransitionTime": None}
        told = [{**blank, **row} for row in rows_told]
        filled["status"] = {**obj["status"], "conditions": told}
    return filled


def _admitted_pod(obj: Object) -> Object:
    spec = obj["spec"]
    account = spec.get("serviceAccountName") or "default"
    given = list(spec.get("tolerations") or ())
    keys = {row.get("key") for row in given if row.get("effect") in {None, "", "NoExecute"}}
    added = [row for row in TOLERATIONS if not keys & {row["key"], None}]
    ranked = {"priority": 0, "preemptionPolicy": "PreemptLowerPriority", **spec}
    named = {"serviceAccountName": account, "serviceAccount": account}
    return {**obj, "spec": {**ranked, **named, "tolerations": [*given, *added]}}


def _admitted_namespace(obj: Object) -> Object:
    return {**obj, "spec": {"finalizers": ["kubernetes"], **(obj.get("spec") or {})}}


def _pod_spec(spec: Object) -> Object:
    usual: Object = {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
    }
    lists = {
        field: [_container(row) if isinstance(row, dict) else row for row in spec[field]]
        for field in CONTAINER_LISTS
        if isinstance(spec.get(field), list)
    }
    return {**usual, **spec, **lists}


def _container(row: Object) -> Object:
    usual = {
        "imagePullPolicy": _pull_policy(str(row.get("image", ""))),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "resources": {},
    }
    filled = {**usual, **row}
    if isinstance(row.get("ports"), list):
        filled["ports"] = [{"protocol": "TCP", **port} for port in row["ports"]]
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if isinstance(row.get(probe), dict):
            filled[probe] = _probe(row[probe])
    if isinstance(row.get("resources"), dict):
        filled["resources"] = _resources(row["resources"])
    return filled


def _resources(given: Object) -> Object:
    limits = given.get("limits") or {}
    if not limits:
        return given
    return {**given, "requests": {**limits, **(given.get("requests") or {})}}


def _probe(given: Object) -> Object:
    usual = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
    filled = {**usual, **given}
    if isinstance(given.get("httpGet"), dict):
        filled["httpGet"] = {"path": "/", "scheme": "HTTP", **given["httpGet"]}
    return filled


def _pull_policy(image: str) -> str:
    name = image.rsplit("/", 1)[-1]
    if "@" in name:
        return "IfNotPresent"
    _, colon, tag = name.partition(":")
    return "IfNotPresent" if colon and tag != "latest" else "Always"


def _with_affinity(spec: Object) -> Object:
    """Say for how long a client keeps its pod, where it keeps one at all."""
    if spec["sessionAffinity"] != "ClientIP":
        return {field: value for field, value in spec.items() if field != "sessionAffinityConfig"}
    if dig(spec, "sessionAffinityConfig.clientIP.timeoutSeconds") is not None:
        return spec
    return {**spec, "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": AFFINITY_SECONDS}}}


def _service(obj: Object) -> Object:
    spec = obj.get("spec") or {}
    kind = spec.get("type", "ClusterIP")
    usual: Object = {"type": kind, "sessionAffinity": "None"}
    if kind != "ExternalName":
        usual["internalTrafficPolicy"] = "Cluster"
    if kind in {"NodePort", "LoadBalancer"}:
        usual["externalTrafficPolicy"] = "Cluster"
    if kind == "LoadBalancer":
        usual["allocateLoadBalancerNodePorts"] = True
    filled = _with_affinity({**usual, **spec})
    if isinstance(spec.get("ports"), list):
        filled["ports"] = [_port(row) for row in spec["ports"]]
    return {**obj, "spec": filled}


def _admitted_service(obj: Object) -> Object:
    spec = obj["spec"]
    if spec.get("type") == "ExternalName":
        return obj
    families: Object = {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}
    if spec.get("clusterIP") == "None" and not spec.get("selector"):
        families = {"ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack"}
    return {**obj, "spec": {**families, **spec}}


def _port(row: Object) -> Object:
    filled: Object = {"protocol": "TCP", **row}
    if not row.get("targetPort"):
        filled["targetPort"] = row.get("port")
    return filled


def _namespace(obj: Object) -> Object:
    labels = {**(metadata(obj).get("labels") or {}), NAMESPACE_LABEL: metadata(obj).get("name")}
    return with_metadata(obj, labels=labels)


def _job(obj: Object) -> Object:
    spec: Object = dict(obj.get("spec") or {})
    usual: Object = {
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "suspend": False,
        "podReplacementPolicy": "TerminatingOrFailed",
        "manualSelector": False,
    }
    if spec.get("completions") is None and spec.get("parallelism") is None:
        usual["completions"] = 1
    usual["parallelism"] = 1
    filled = {**usual, **spec}
    template: Any = spec.get("template")
    if isinstance(template, dict) and isinstance(template.get("spec"), dict):
        filled["template"] = {**template, "spec": _pod_spec(template["spec"])}
    return {**obj, "spec": filled}


def _secret(obj: Object) -> Object:
    filled = {"type": "Opaque", **obj}
    given = filled.pop("stringData", None)
    if isinstance(given, dict):
        encoded = {key: b64encode(str(text).encode()).decode() for key, text in given.items()}
        filled["data"] = {**(filled.get("data") or {}), **encoded}
    return _without_empty(filled)


def _without_empty(obj: Object) -> Object:
    """Drop data that is empty: to the API server it is not there."""
    return {
        field: value for field, value in obj.items() if value or field not in {"data", "binaryData"}
    }


def _claim(obj: Object) -> Object:
    return {**obj, "spec": {"volumeMode": "Filesystem", **(dig(obj, "spec") or {})}}


def _policy(obj: Object) -> Object:
    spec = dict(obj.get("spec") or {})
    types = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    return {**obj, "spec": {"policyTypes": types, **spec}}


def _slice(obj: Object) -> Object:
    ports = [{"name": "", "protocol": "TCP", **row} for row in rows(obj, "ports")]
    return {**obj, "ports": ports} if ports else obj


def _event(obj: Object) -> Object:
    return {**EVENT_BLANKS, **obj}


FIRST_STATUS: dict[str, Object] = {
    "namespaces": {"phase": "Active"},
    "persistentvolumeclaims": {"phase": "Pending"},
    "services": {"loadBalancer": {}},
    "ingresses.networking.k8s.io": {"loadBalancer": {}},
    "jobs.batch": {},
}
ADMISSION: dict[str, Callable[[Object], Object]] = {
    "pods": _admitted_pod,
    "services": _admitted_service,
    "namespaces": _admitted_namespace,
}
DEFAULTS: dict[str, Callable[[Object], Object]] = {
    "pods": _pod,
    "services": _service,
    "namespaces": _namespace,
    "jobs.batch": _job,
    "secrets": _secret,
    "configmaps": _without_empty,
    "persistentvolumeclaims": _claim,
    "networkpolicies.networking.k8s.io": _policy,
    "endpointslices.discovery.k8s.io": _slice,
    "events": _event,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": completed_hooks,
}
