"""Places in pod templates and services that are worth changing, and values that may hurt there.

Kubernetes takes some of them and refuses others; the operator itself writes to many of these
places. `UNSET` leaves a field out.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import UNSET

from tests.fuzzing.markers import ENV_MARKER, SECRET_NAME

Point: TypeAlias = tuple[tuple[str | int, ...], tuple[object, ...]]

LONG = "x" * 300
CONTAINER: dict[str, Any] = {"name": "ray-head", "image": "rayproject/ray:2.52.0"}
RAY = ("spec", "containers", 0)
_OWN_LABELS = {
    "ray.io/cluster": "other",
    "ray.io/group": "other",
    "ray.io/node-type": "head",
    "ray.io/is-ray-node": "no",
}
_PROBE = {"exec": {"command": ["true"]}, "periodSeconds": 7}


def _env(name: str, value: str) -> dict[str, str]:
    return {"name": name, "value": value}


_POD: tuple[Point, ...] = (
    (("metadata",), (UNSET, {}, {"labels": {}})),
    (("metadata", "name"), ("a-name", "UPPER", LONG)),
    (("metadata", "namespace"), ("elsewhere", "default")),
    (
        ("metadata", "labels"),
        (_OWN_LABELS, {"": "x"}, {"team": "ü"}, {"a": "x" * 64}, {"team": ""}, {"a/b/c": "d"}),
    ),
    (("metadata", "annotations"), ({"a": LONG}, {"": "x"}, {"ray.io/note": "ü"}, {})),
    (("metadata", "finalizers"), (["example.com/hold"], ["no domain"])),
    (
        ("spec", "containers"),
        (
            [],
            [CONTAINER, CONTAINER],
            [CONTAINER, {"name": "beside", "image": "busybox"}],
            [{"name": "beside", "image": "busybox"}, CONTAINER],
            [{"name": "no-image"}],
            [CONTAINER, {"name": "autoscaler", "image": "mine"}],
            [CONTAINER, {"name": "wait-gcs-ready", "image": "mine"}],
        ),
    ),
    ((*RAY, "name"), ("", "UPPER", "a b", LONG, "wait-gcs-ready", "autoscaler")),
    ((*RAY, "image"), (UNSET, "", " ", "rayproject/ray:2.53.0", "no/such@image@x")),
    ((*RAY, "imagePullPolicy"), ("Always", "Sometimes")),
    ((*RAY, "command"), ([], ["sh"], ["sh", "-c", "echo 'a' \"b\" $C"], [""])),
    ((*RAY, "args"), ([], ["a"], ["; exit 1"], ["ünïcode"])),
    (
        (*RAY, "resources"),
        (
            {"limits": {"cpu": "500m", "memory": "1Gi"}},
            {"limits": {"cpu": "0"}},
            {"limits": {"cpu": "-1"}},
            {"requests": {"cpu": "4"}, "limits": {"cpu": "1"}},
            {"limits": {"nvidia.com/gpu": "1"}},
            {"limits": {"nvidia.com/gpu": "1500m"}},
            {"limits": {"google.com/tpu": 4}},
            {"limits": {"memory": "1"}},
            {"limits": {"memory": "999999999999999999"}},
            {"limits": {"no such": "1"}},
            {"limits": {"cpu": 1.5}},
            {"limits": {"cpu": "1e3"}},
        ),
    ),
    (
        (*RAY, "env"),
        (
            [_env("A", "1"), _env("A", "2")],
            [_env("RAY_ADDRESS", "elsewhere:1")],
            [_env("RAY_CLUSTER_NAME", "other")],
            [_env("RAY_REDIS_ADDRESS", "redis:6379")],
            [_env("", "x")],
            [_env("A B", "x")],
            [_env("FQ_RAY_IP", "$(NOBODY)")],
            [_env("TOKEN", ENV_MARKER)],
            [{"name": "T", "valueFrom": {"secretKeyRef": {"name": SECRET_NAME, "key": "token"}}}],
            [{"name": "T", "valueFrom": {"secretKeyRef": {"name": "nobody", "key": "token"}}}],
            [_env("A", "x"), {"name": "A", "valueFrom": {}}],
        ),
    ),
    ((*RAY, "envFrom"), ([{"secretRef": {"name": SECRET_NAME}}], [{}])),
    (
        (*RAY, "ports"),
        (
            [],
            [{"containerPort": 6379, "name": "mine"}],
            [{"containerPort": 1}, {"containerPort": 1}],
            [{"containerPort": 0}],
            [{"containerPort": 70000}],
            [{"containerPort": 8000, "name": "UPPER"}],
            [{"containerPort": 9999, "name": "dashboard"}],
            [{"containerPort": 8265, "name": "dashboard", "protocol": "UDP"}],
            [{"containerPort": 7777, "name": "x" * 20}],
        ),
    ),
    ((*RAY, "livenessProbe"), (_PROBE, {}, {"exec": {"command": []}}, {"periodSeconds": -1})),
    ((*RAY, "readinessProbe"), (_PROBE, {}, {"httpGet": {"port": "nobody"}})),
    (
        (*RAY, "volumeMounts"),
        (
            [{"name": "nobody", "mountPath": "/x"}],
            [{"name": "shared-mem", "mountPath": "/dev/shm"}],  # noqa: S108 - a mount, not a file
            [{"name": "ray-logs", "mountPath": "/tmp/ray"}],  # noqa: S108 - a mount, not a file
        ),
    ),
    (
        (*RAY, "lifecycle"),
        ({}, {"preStop": {"exec": {"command": ["ray", "stop"]}}}, {"preStop": {}}),
    ),
    ((*RAY, "securityContext"), ({"privileged": True}, {"runAsUser": -1}, {})),
    ((*RAY, "workingDir"), ("/x", "")),
    (
        ("spec", "initContainers"),
        (
            [],
            [{"name": "before", "image": "busybox"}],
            [{"name": "wait-gcs-ready", "image": "busybox"}],
            [{"name": "ray-head", "image": "busybox"}],
            [{"name": "before"}],
            [{"name": "beside", "image": "busybox", "restartPolicy": "Always"}],
        ),
    ),
    (
        ("spec", "volumes"),
        (
            [{"name": "scratch", "emptyDir": {}}],
            [{"name": "scratch", "emptyDir": {}}, {"name": "scratch", "emptyDir": {}}],
            [{"name": "shared-mem", "emptyDir": {}}],
            [{"name": "UPPER"}],
            [{"name": "s", "secret": {"secretName": SECRET_NAME}}],
        ),
    ),
    (("spec", "restartPolicy"), ("Never", "OnFailure", "Always", "Sometimes")),
    (("spec", "serviceAccountName"), ("default", "nobody", "UPPER")),
    (("spec", "nodeSelector"), ({"no": "such"}, {}, {"": ""})),
    (("spec", "nodeName"), ("nowhere", "sandbox", "UPPER")),
    (("spec", "hostname"), ("mine", "UPPER")),
    (("spec", "subdomain"), ("mine", "UPPER")),
    (("spec", "hostNetwork"), (True, False)),
    (("spec", "tolerations"), ([], [{"operator": "Exists"}], [{"operator": "Never"}])),
    (("spec", "affinity"), ({}, {"nodeAffinity": {}}, {"podAntiAffinity": {}})),
    (("spec", "priorityClassName"), ("nobody", "")),
    (("spec", "schedulerName"), ("nobody", "")),
    (("spec", "terminationGracePeriodSeconds"), (0, 1, -1, 3600)),
    (("spec", "activeDeadlineSeconds"), (0, 1, 60, -1)),
    (("spec", "dnsPolicy"), ("None", "Whatever", "ClusterFirst")),
    (("spec", "imagePullSecrets"), ([{"name": SECRET_NAME}], [{}])),
    (("spec", "runtimeClassName"), ("nobody", "")),
    (("spec", "schedulingGates"), ([{"name": "example.com/wait"}],)),
    (("spec", "automountServiceAccountToken"), (False, True)),
    (("spec", "overhead"), ({"cpu": "1"}, {"cpu": "-1"})),
    (("spec", "securityContext"), ({"runAsNonRoot": True}, {"fsGroup": -1}, {})),
    (("spec", "topologySpreadConstraints"), ([], [{"maxSkew": 0}])),
)
_SERVICE: tuple[Point, ...] = (
    (("metadata",), (UNSET, {})),
    (("metadata", "name"), ("own-name", "", "UPPER", LONG, "kubernetes", "1starts-with-a-digit")),
    (("metadata", "namespace"), ("elsewhere", "default", "")),
    (("metadata", "labels"), ({"team": "red"}, {"ray.io/cluster": "other"}, {"": "x"}, {"a": "ü"})),
    (("metadata", "annotations"), ({"a": "b"}, {"": "x"}, {"ray.io/note": LONG})),
    (("spec",), (UNSET, {})),
    (
        ("spec", "type"),
        ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "Sideways", ""),
    ),
    (
        ("spec", "ports"),
        (
            [],
            [{"port": 9999, "name": "extra"}],
            [{"port": 9999}],
            [{"port": 9999, "name": "a"}, {"port": 9999, "name": "b"}],
            [{"port": 0, "name": "zero"}],
            [{"port": 70000, "name": "high"}],
            [{"port": 8265, "name": "dashboard"}],
            [{"port": 1234, "name": "dashboard"}],
            [{"port": 6379, "name": "mine", "targetPort": "UPPER_"}],
            [{"port": 80, "name": "x", "nodePort": 1}],
        ),
    ),
    (("spec", "selector"), ({}, {"app": "other"}, {"ray.io/cluster": "other"})),
    (("spec", "clusterIP"), ("None", "1.2.3.4", "", "nonsense")),
    (("spec", "externalName"), ("example.com", "")),
    (("spec", "sessionAffinity"), ("ClientIP", "Sideways")),
    (("spec", "publishNotReadyAddresses"), (True, False)),
    (("spec", "ipFamilyPolicy"), ("SingleStack", "Sideways")),
)
POINTS: Mapping[str, tuple[Point, ...]] = {"template": _POD, "service": _SERVICE}
