"""The custom resource definition of RayCluster, made from its models.

Group, names, versions, columns and categories are those that KubeRay's users have; the schema
comes from `shared.resources.schema`. The file in `deploy/crds` is written by
`tools/generate_crds.py`, and a test fails when it is stale.
"""

from functools import cache

from shared.kernel.manifests import Raw, mapping_at, thawed
from shared.resources.raycluster import GROUP, KIND, VERSION, RayClusterSpec
from shared.resources.schema import structural, with_defaults
from shared.resources.status import RayClusterStatus

Schema = dict[str, object]

OLD_VERSION = "v1alpha1"
OLD_VERSION_WARNING = (
    f"{GROUP}/{OLD_VERSION} {KIND} is deprecated and takes no new fields: write {GROUP}/{VERSION}"
)

_COLUMNS = (
    ("desired workers", "integer", ".status.desiredWorkerReplicas", 0),
    ("available workers", "integer", ".status.availableWorkerReplicas", 0),
    ("cpus", "string", ".status.desiredCPU", 0),
    ("memory", "string", ".status.desiredMemory", 0),
    ("gpus", "string", ".status.desiredGPU", 0),
    ("tpus", "string", ".status.desiredTPU", 1),
    ("status", "string", ".status.state", 0),
    ("age", "date", ".metadata.creationTimestamp", 0),
    ("head pod IP", "string", ".status.head.podIP", 1),
    ("head service IP", "string", ".status.head.serviceIP", 1),
)
_OLD_SPEC = (
    "autoscalerOptions",
    "enableInTreeAutoscaling",
    "headGroupSpec",
    "headServiceAnnotations",
    "rayVersion",
    "suspend",
    "workerGroupSpecs",
)
_OLD_HEAD = ("enableIngress", "headService", "rayStartParams", "serviceType", "template")
_OLD_WORKER = (
    "groupName",
    "maxReplicas",
    "minReplicas",
    "rayStartParams",
    "replicas",
    "scaleStrategy",
    "template",
)
_NEW_AUTOSCALER = frozenset({"args", "command", "version"})
_NEW_STATUS = frozenset({"conditions", "stateTransitionTimes"})


def raycluster_crd() -> dict[str, object]:
    """Return the whole definition, as the API server takes it."""
    definition: Schema = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"rayclusters.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "categories": ["all"],
                "kind": KIND,
                "listKind": f"{KIND}List",
                "plural": "rayclusters",
                "singular": "raycluster",
            },
            "scope": "Namespaced",
            "versions": [_current_version(), _old_version()],
        },
    }
    return thawed(definition)


def stored(raw: Raw) -> dict[str, object]:
    """Return the object as the API server would keep it: defaults filled in."""
    spec = with_defaults(_spec_schema(), raw.get("spec"))
    return thawed({**raw, "spec": spec})


@cache
def _spec_schema() -> Raw:
    return structural(RayClusterSpec)


def _current_version() -> Schema:
    return {
        "name": VERSION,
        "served": True,
        "storage": True,
        **_shown(),
        "schema": _root(_spec_schema(), structural(RayClusterStatus)),
    }


def _old_version() -> Schema:
    status = structural(RayClusterStatus)
    known = mapping_at(status, "properties").keys() - _NEW_STATUS
    return {
        "name": OLD_VERSION,
        "served": True,
        "storage": False,
        "deprecated": True,
        "deprecationWarning": OLD_VERSION_WARNING,
        **_shown(),
        "schema": _root(_old_spec(), _narrowed(status, tuple(sorted(known)))),
    }


def _old_spec() -> Schema:
    spec = _spec_schema()
    fields = mapping_at(spec, "properties")
    autoscaler = mapping_at(fields, "autoscalerOptions")
    known = mapping_at(autoscaler, "properties").keys() - _NEW_AUTOSCALER
    head = _narrowed(mapping_at(fields, "headGroupSpec"), _OLD_HEAD, "rayStartParams")
    workers = mapping_at(fields, "workerGroupSpecs")
    worker = _narrowed(mapping_at(workers, "items"), _OLD_WORKER, "rayStartParams")
    changed: Schema = {
        "autoscalerOptions": _narrowed(autoscaler, tuple(sorted(known))),
        "headGroupSpec": head,
        "workerGroupSpecs": {**workers, "items": worker},
    }
    return _narrowed({**spec, "properties": {**fields, **changed}}, _OLD_SPEC)


def _narrowed(schema: Raw, known: tuple[str, ...], *required: str) -> Schema:
    fields = mapping_at(schema, "properties")
    narrowed: Schema = {**schema, "properties": {key: fields[key] for key in known}}
    if required:
        before = schema.get("required")
        listed = [str(key) for key in before] if isinstance(before, list) else []
        narrowed["required"] = sorted({*listed, *required})
    return narrowed


def _shown() -> Schema:
    columns = [
        {"name": name, "type": kind, "jsonPath": path} | ({"priority": 1} if priority else {})
        for name, kind, path, priority in _COLUMNS
    ]
    return {"subresources": {"status": {}}, "additionalPrinterColumns": columns}


def _root(spec: Raw, status: Raw) -> Schema:
    properties = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "spec": spec,
        "status": status,
    }
    described = "A Ray cluster: one head, and groups of workers."
    return {
        "openAPIV3Schema": {
            "type": "object",
            "description": described,
            "properties": properties,
        }
    }
