"""What v1alpha1 knows: the fields of v1 that it was frozen with, and no rule.

Told as trees of the fields that stay. A field that stays whole has no tree of its own. An object is
stored as v1; read as v1alpha1 it hides what is newer, and a full update through v1alpha1 drops it.
"""

from collections.abc import Mapping

from msgspec import Struct

from shared.kernel.manifests import Raw, mapping_at, words_at

Schema = dict[str, object]
_MOMENT: Schema = {"type": "string", "format": "date-time"}


class Kept(Struct, frozen=True):
    """Which fields of an object stay, whole or in part, and what else is said of it."""

    whole: tuple[str, ...] = ()
    part: Mapping[str, "Kept"] = {}
    required: tuple[str, ...] | None = None
    also: Mapping[str, Schema] = {}


class Old(Struct, frozen=True):
    """What v1alpha1 knows of a kind."""

    spec: Kept
    status: Kept


_CLUSTER_SPEC = Kept(
    ("enableInTreeAutoscaling", "headServiceAnnotations", "rayVersion", "suspend"),
    {
        "autoscalerOptions": Kept(
            (
                *("env", "envFrom", "idleTimeoutSeconds", "image", "imagePullPolicy"),
                *("resources", "securityContext", "upscalingMode", "volumeMounts"),
            )
        ),
        "headGroupSpec": Kept(
            ("enableIngress", "headService", "rayStartParams", "serviceType", "template"),
            required=("rayStartParams", "template"),
        ),
        "workerGroupSpecs": Kept(
            (
                *("groupName", "maxReplicas", "minReplicas", "rayStartParams", "replicas"),
                *("scaleStrategy", "template"),
            ),
            required=("groupName", "maxReplicas", "minReplicas", "rayStartParams", "template"),
        ),
    },
)
_CLUSTER_STATUS = Kept(
    (
        *("availableWorkerReplicas", "desiredWorkerReplicas", "maxWorkerReplicas"),
        *("minWorkerReplicas", "readyWorkerReplicas", "endpoints", "lastUpdateTime"),
        *("desiredCPU", "desiredGPU", "desiredMemory", "desiredTPU"),
        *("observedGeneration", "reason", "state"),
    ),
    {"head": Kept(("podIP", "serviceIP"))},
)
_HEALTH: dict[str, Schema] = {"healthLastUpdateTime": _MOMENT}
_SERVING = Kept(
    ("rayClusterName",),
    {
        "rayClusterStatus": _CLUSTER_STATUS,
        "applicationStatuses": Kept(
            ("message", "status"),
            {"serveDeploymentStatuses": Kept(("message", "status"), also=_HEALTH)},
            also=_HEALTH,
        ),
    },
)

RAYCLUSTER = Old(_CLUSTER_SPEC, _CLUSTER_STATUS)
RAYJOB = Old(
    Kept(
        (
            *("clusterSelector", "entrypoint", "entrypointNumCpus", "entrypointNumGpus"),
            *("entrypointResources", "jobId", "metadata", "runtimeEnvYAML"),
            *("shutdownAfterJobFinishes", "submitterPodTemplate", "suspend"),
            "ttlSecondsAfterFinished",
        ),
        {"rayClusterSpec": _CLUSTER_SPEC},
        required=("entrypoint",),
    ),
    Kept(
        (
            *("dashboardURL", "endTime", "jobDeploymentStatus", "jobId", "jobStatus", "message"),
            *("observedGeneration", "rayClusterName", "startTime"),
        ),
        {"rayClusterStatus": _CLUSTER_STATUS},
    ),
)
RAYSERVICE = Old(
    Kept(
        (
            *("deploymentUnhealthySecondThreshold", "serveConfigV2", "serveService"),
            "serviceUnhealthySecondThreshold",
        ),
        {"rayClusterConfig": _CLUSTER_SPEC},
        required=(),
    ),
    Kept(
        ("lastUpdateTime", "observedGeneration", "serviceStatus"),
        {"activeServiceStatus": _SERVING, "pendingServiceStatus": _SERVING},
    ),
)


def narrowed(schema: Raw, kept: Kept) -> Schema:
    """Return the schema with only those fields; lists and maps are narrowed in their items."""
    for inner in ("items", "additionalProperties"):
        if inner in schema:
            return {**schema, inner: narrowed(mapping_at(schema, inner), kept)}
    fields = mapping_at(schema, "properties")
    part = {name: narrowed(mapping_at(fields, name), each) for name, each in kept.part.items()}
    whole = {name: fields[name] for name in kept.whole}
    known: Schema = {**whole, **part, **kept.also}
    told: Schema = {**schema, "properties": dict(sorted(known.items()))}
    required = words_at(schema, "required") if kept.required is None else kept.required
    told.pop("required", None)
    return {**told, "required": [*required]} if required else told
