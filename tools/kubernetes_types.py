"""Write `shared/resources/kubernetes.py`: the Kubernetes types that stand inside our resources.

Fields, their types and which are required come from the models of the Kubernetes client. What those
models leave out is told in the tables here, by type and field: widths of numbers, quantities, how
lists and maps merge in a server-side apply, and the few defaults that a stored template shows. Run
it after an upgrade of the client, then `tools/generate_crds.py`; a test fails until then.
"""

import json
import re
from pathlib import Path

from kubernetes.client import models

from shared.kernel.manifests import Raw, is_raw
from shared.resources.embedded import METADATA, QUANTITY
from shared.resources.schema import structural
from shared.resources.status import Condition

FILE = Path(__file__).resolve().parent.parent / "shared" / "resources" / "kubernetes.py"

Schema = dict[str, object]

ROOTS = (
    *("V1PodTemplateSpec", "V1Service", "V1EnvVar", "V1EnvVarSource", "V1EnvFromSource"),
    *("V1VolumeMount", "V1ResourceRequirements", "V1SecurityContext", "V1IngressTLS"),
    *("V1NetworkPolicyIngressRule", "V1NetworkPolicyEgressRule"),
)

INT_OR_TEXT: Schema = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}
_PLAIN: dict[str, Schema] = {
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer", "format": "int32"},
    "datetime": {"type": "string", "format": "date-time"},
    "object": INT_OR_TEXT,
}
_INT64 = frozenset(
    {
        *("V1PodSpec.activeDeadlineSeconds", "V1PodSpec.terminationGracePeriodSeconds"),
        *("V1Probe.terminationGracePeriodSeconds", "V1SleepAction.seconds"),
        *("V1PodSecurityContext.fsGroup", "V1PodSecurityContext.supplementalGroups"),
        *("V1PodSecurityContext.runAsGroup", "V1PodSecurityContext.runAsUser"),
        *("V1SecurityContext.runAsGroup", "V1SecurityContext.runAsUser"),
        *("V1ServiceAccountTokenProjection.expirationSeconds", "V1Toleration.tolerationSeconds"),
        *("V1ConfigMapVolumeSource.defaultUser", "V1DownwardAPIVolumeSource.defaultUser"),
        *("V1ProjectedVolumeSource.defaultUser", "V1SecretVolumeSource.defaultUser"),
        *("V1ClusterTrustBundleProjection.user", "V1DownwardAPIVolumeFile.user"),
        *("V1KeyToPath.user", "V1PodCertificateProjection.user"),
        "V1ServiceAccountTokenProjection.user",
    }
)
_QUANTITIES = frozenset(
    {
        *("V1ResourceRequirements.limits", "V1ResourceRequirements.requests"),
        *("V1VolumeResourceRequirements.limits", "V1VolumeResourceRequirements.requests"),
        *("V1PodSpec.overhead", "V1ResourceFieldSelector.divisor"),
        "V1EmptyDirVolumeSource.sizeLimit",
    }
)
_KEYS = {
    "V1Container.env": ("name",),
    "V1Container.ports": ("containerPort", "protocol"),
    "V1Container.volumeDevices": ("devicePath",),
    "V1Container.volumeMounts": ("mountPath",),
    "V1PodSpec.containers": ("name",),
    "V1PodSpec.ephemeralContainers": ("name",),
    "V1PodSpec.evictionResponders": ("name",),
    "V1PodSpec.hostAliases": ("ip",),
    "V1PodSpec.imagePullSecrets": ("name",),
    "V1PodSpec.initContainers": ("name",),
    "V1PodSpec.resourceClaims": ("name",),
    "V1PodSpec.schedulingGates": ("name",),
    "V1PodSpec.topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "V1PodSpec.volumes": ("name",),
    "V1ResourceRequirements.claims": ("name",),
    "V1ServiceSpec.ports": ("port", "protocol"),
    "V1ServiceStatus.conditions": ("type",),
}
_SETS = frozenset({"V1ContainerRestartRuleOnExitCodes.values", "V1VolumeMount.bindMountOptions"})
_ATOMIC_MAPS = frozenset({"V1PodSpec.nodeSelector", "V1ServiceSpec.selector"})
_ATOMIC_OBJECTS = frozenset(
    {
        *("V1ConfigMapEnvSource", "V1ConfigMapKeySelector", "V1ConfigMapProjection"),
        *("V1ConfigMapVolumeSource", "V1EvictionResponder", "V1FileKeySelector", "V1LabelSelector"),
        *("V1LocalObjectReference", "V1NodeSelector", "V1NodeSelectorTerm"),
        *("V1ObjectFieldSelector", "V1ResourceFieldSelector", "V1SecretEnvSource"),
        *("V1SecretKeySelector", "V1SecretProjection", "V1TypedLocalObjectReference"),
    }
)
_DEFAULTS: Schema = {
    "V1AzureDiskVolumeSource.fsType": "ext4",
    "V1AzureDiskVolumeSource.readOnly": False,
    "V1ConfigMapEnvSource.name": "",
    "V1ConfigMapKeySelector.name": "",
    "V1ConfigMapProjection.name": "",
    "V1ConfigMapVolumeSource.name": "",
    "V1ContainerPort.protocol": "TCP",
    "V1FileKeySelector.optional": False,
    "V1GRPCAction.service": "",
    "V1ISCSIVolumeSource.iscsiInterface": "default",
    "V1LocalObjectReference.name": "",
    "V1RBDVolumeSource.keyring": "/etc/ceph/keyring",
    "V1RBDVolumeSource.pool": "rbd",
    "V1RBDVolumeSource.user": "admin",
    "V1ScaleIOVolumeSource.fsType": "xfs",
    "V1ScaleIOVolumeSource.storageMode": "ThinProvisioned",
    "V1SecretEnvSource.name": "",
    "V1SecretKeySelector.name": "",
    "V1SecretProjection.name": "",
    "V1ServicePort.protocol": "TCP",
}

_HEAD = '''"""The Kubernetes types that stand inside our resources, by name, one to a line.

Written by `tools/kubernetes_types.py`: not to be changed by hand. `$type` names another type of
this table. Text, and not values, so that nobody pays for it who needs no definition: read it
through `shared.resources.embedded`.
"""

TYPES = r"""
'''
_FOOT = '"""\n'


def module() -> str:
    """Return what the file shall hold."""
    found = types()
    lines = [
        f'"{name}":{json.dumps(found[name], separators=(",", ":"), sort_keys=True)}'
        for name in sorted(found)
    ]
    return _HEAD + "{" + ",\n".join(lines) + "}\n" + _FOOT


def types() -> dict[str, Raw]:
    """Return the schema of every type that the roots lead to; `$type` refers to another one."""
    found: dict[str, Raw] = {"V1ObjectMeta": METADATA, "V1Condition": _bare(structural(Condition))}
    left = [*ROOTS]
    while left:
        name = left.pop()
        if name not in found:
            found[name] = _object(name)
            left += re.findall(r'"\$type": "(\w+)"', json.dumps(found[name]))
    return found


def _object(name: str) -> Schema:
    model = getattr(models, name)
    properties = {
        key: _field(f"{name}.{key}", model.openapi_types[field])
        for field, key in model.attribute_map.items()
    }
    fields = model.model_fields.items()
    required = [said.serialization_alias or field for field, said in fields if said.is_required()]
    schema: Schema = {"type": "object", "properties": dict(sorted(properties.items()))}
    if required:
        schema["required"] = sorted(required)
    if name in _ATOMIC_OBJECTS:
        schema["x-kubernetes-map-type"] = "atomic"
    return schema


def _field(path: str, kind: str) -> Schema:
    schema = _shape(path, kind)
    if path in _DEFAULTS:
        schema["default"] = _DEFAULTS[path]
    if path in _ATOMIC_MAPS:
        schema["x-kubernetes-map-type"] = "atomic"
    return schema


def _shape(path: str, kind: str) -> Schema:
    if kind.startswith("List["):
        return {"type": "array", "items": _shape(path, kind[5:-1]), **_merging(path)}
    if kind.startswith("Dict[str, "):
        return {"type": "object", "additionalProperties": _shape(path, kind[10:-1])}
    if path in _QUANTITIES:
        return {**QUANTITY}
    if kind not in _PLAIN:
        return {"$type": kind}
    return _PLAIN[kind] | ({"format": "int64"} if path in _INT64 else {})


def _merging(path: str) -> Schema:
    keys = _KEYS.get(path.replace("V1EphemeralContainer.", "V1Container."))
    if keys:
        return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [*keys]}
    return {"x-kubernetes-list-type": "set" if path in _SETS else "atomic"}


def _bare(schema: Raw) -> Schema:
    """Leave out the descriptions: they are ours, and this is a type of Kubernetes."""
    return {
        key: _bare(value) if is_raw(value) else value
        for key, value in schema.items()
        if key != "description"
    }


def main() -> None:
    """Write the file."""
    FILE.write_text(module(), encoding="utf-8")
    print(f"wrote {FILE.name}")


if __name__ == "__main__":
    main()
