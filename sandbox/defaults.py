"""What the API server fills in for built-in kinds: pods, services, namespaces and a few more.

Pure. Every function takes an object and returns it completed; what the client wrote is never
overwritten, except for a newborn pod's or namespace's status, which belongs to the cluster.
"""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from sandbox.objects import Object, dig, metadata, rows, with_metadata

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
CONTAINER_LISTS = ("containers", "initContainers", "ephemeralContainers")


def completed(resource: str, obj: Object) -> Object:
    """Fill in what the kind's defaults say."""
    fill = DEFAULTS.get(resource)
    return fill(obj) if fill else obj


def first_status(resource: str, obj: Object) -> Object:
    """Return a newborn object with the status it starts with."""
    if resource == "pods":
        quality = quality_of_service(obj)
        return {**obj, "status": {"phase": "Pending", "qosClass": quality}}
    if resource == "namespaces":
        return {**obj, "status": {"phase": "Active"}}
    if resource == "persistentvolumeclaims":
        return {**obj, "status": {"phase": "Pending"}}
    if resource == "services":
        return {**obj, "status": {"loadBalancer": {}}}
    if resource in {"jobs.batch", "ingresses.networking.k8s.io"}:
        return {**obj, "status": {}}
    return obj


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
    account = spec.get("serviceAccountName") or "default"
    return {**obj, "spec": {**spec, "serviceAccountName": account, "serviceAccount": account}}


def _pod_spec(spec: Object) -> Object:
    usual: Object = {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "enableServiceLinks": True,
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


def _service(obj: Object) -> Object:
    spec = obj.get("spec") or {}
    kind = spec.get("type", "ClusterIP")
    usual: Object = {"type": kind, "sessionAffinity": "None"}
    if kind != "ExternalName":
        usual |= {
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
        }
    if kind in {"NodePort", "LoadBalancer"}:
        usual["externalTrafficPolicy"] = "Cluster"
    if kind == "LoadBalancer":
        usual["allocateLoadBalancerNodePorts"] = True
    filled = {**usual, **spec}
    if isinstance(spec.get("ports"), list):
        filled["ports"] = [_port(row) for row in spec["ports"]]
    return {**obj, "spec": filled}


def _port(row: Object) -> Object:
    filled: Object = {"protocol": "TCP", **row}
    if not row.get("targetPort"):
        filled["targetPort"] = row.get("port")
    return filled


def _namespace(obj: Object) -> Object:
    labels = {**(metadata(obj).get("labels") or {}), NAMESPACE_LABEL: metadata(obj).get("name")}
    spec = {"finalizers": ["kubernetes"], **(obj.get("spec") or {})}
    return {**with_metadata(obj, labels=labels), "spec": spec}


def _job(obj: Object) -> Object:
    spec: Object = dict(obj.get("spec") or {})
    usual: Object = {
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "suspend": False,
        "podReplacementPolicy": "TerminatingOrFailed",
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
    return filled


def _claim(obj: Object) -> Object:
    return {**obj, "spec": {"volumeMode": "Filesystem", **(dig(obj, "spec") or {})}}


DEFAULTS: dict[str, Callable[[Object], Object]] = {
    "pods": _pod,
    "services": _service,
    "namespaces": _namespace,
    "jobs.batch": _job,
    "secrets": _secret,
    "persistentvolumeclaims": _claim,
}
