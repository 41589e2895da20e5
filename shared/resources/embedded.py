"""Schemas of the Kubernetes objects that stand inside ours.

Fragments of OpenAPI, structural, with what an API server must know to store such an object as
users expect: which lists merge by key, which fields a list item needs, and the defaults that its
keys have. All else passes through unpruned. `shared.resources.written` pairs each with a type.
"""

Schema = dict[str, object]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
WORDS: Schema = {"type": "array", "items": {"type": "string"}}
OBJECT: Schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
QUANTITY: Schema = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "pattern": (
        r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
        r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
    ),
    "x-kubernetes-int-or-string": True,
}


def open_object(properties: Schema, *required: str) -> Schema:
    """Describe an object of which only some fields are known."""
    schema: Schema = {**OBJECT, "properties": properties}
    return schema | {"required": list(required)} if required else schema


def keyed_list(items: Schema, *keys: str) -> Schema:
    """Describe a list that merges item by item."""
    return {
        "type": "array",
        "items": items,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": list(keys),
    }


RESOURCES: Schema = open_object(
    {
        "limits": {"type": "object", "additionalProperties": QUANTITY},
        "requests": {"type": "object", "additionalProperties": QUANTITY},
    }
)
METADATA: Schema = {
    "type": "object",
    "properties": {
        "annotations": TEXTS,
        "finalizers": WORDS,
        "labels": TEXTS,
        "name": TEXT,
        "namespace": TEXT,
    },
}
ENV_VAR: Schema = open_object({"name": TEXT, "value": TEXT, "valueFrom": OBJECT}, "name")
VOLUME_MOUNT: Schema = open_object({"mountPath": TEXT, "name": TEXT}, "mountPath", "name")
_COMMAND_LINE: Schema = WORDS | {"x-kubernetes-list-type": "atomic"}
_PORT_NUMBER: Schema = {"type": "integer", "format": "int32"}
_PROTOCOL: Schema = {"type": "string", "default": "TCP"}
_CONTAINER_PORT = open_object(
    {"containerPort": _PORT_NUMBER, "name": TEXT, "protocol": _PROTOCOL}, "containerPort"
)
_CONTAINER = open_object(
    {
        "args": _COMMAND_LINE,
        "command": _COMMAND_LINE,
        "env": keyed_list(ENV_VAR, "name"),
        "image": TEXT,
        "imagePullPolicy": TEXT,
        "name": TEXT,
        "ports": keyed_list(_CONTAINER_PORT, "containerPort", "protocol"),
        "resources": RESOURCES,
        "volumeMounts": keyed_list(VOLUME_MOUNT, "mountPath"),
    },
    "name",
)
_VOLUME = open_object({"name": TEXT}, "name")
_POD_SPEC = open_object(
    {
        "containers": keyed_list(_CONTAINER, "name"),
        "initContainers": keyed_list(_CONTAINER, "name"),
        "restartPolicy": TEXT,
        "serviceAccountName": TEXT,
        "volumes": keyed_list(_VOLUME, "name"),
    },
    "containers",
)
POD_TEMPLATE: Schema = {"type": "object", "properties": {"metadata": METADATA, "spec": _POD_SPEC}}
_SERVICE_PORT = open_object({"name": TEXT, "port": _PORT_NUMBER, "protocol": _PROTOCOL}, "port")
SERVICE: Schema = {
    "type": "object",
    "properties": {
        "apiVersion": TEXT,
        "kind": TEXT,
        "metadata": METADATA,
        "spec": open_object(
            {
                "clusterIP": TEXT,
                "ports": keyed_list(_SERVICE_PORT, "port", "protocol"),
                "publishNotReadyAddresses": {"type": "boolean"},
                "selector": TEXTS | {"x-kubernetes-map-type": "atomic"},
                "type": TEXT,
            }
        ),
        "status": OBJECT,
    },
}
