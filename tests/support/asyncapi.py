"""What AsyncAPI 3.0.0 asks of a document, for the parts that ours has: a JSON Schema and rules.

Written from the specification. It is narrower than that on purpose: a field that is not listed here
is a mistake, so a part that we begin to use must be added. What a schema cannot say, that names and
references fit together, is in `mistakes`.
"""

import re
from typing import Any, TypeAlias

import jsonschema_rs

Part: TypeAlias = dict[str, Any]

TEXT: Part = {"type": "string", "minLength": 1}
TEXTS: Part = {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True}
NAME = "^[A-Za-z0-9_-]+$"
MEDIA_TYPE: Part = {"type": "string", "pattern": "^[a-z]+/[a-z0-9.+-]+$"}
SCHEMA: Part = {"anyOf": [{"type": "boolean"}, {"$ref": "http://json-schema.org/draft-07/schema#"}]}


def of(required: tuple[str, ...], **fields: Part) -> Part:
    """Return an object with these fields, extensions, and nothing else."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "patternProperties": {"^x-[\\w-]+$": True},
        "additionalProperties": False,
    }


def named(one: Part) -> Part:
    """Return a map from names to such parts."""
    return {"type": "object", "propertyNames": {"pattern": NAME}, "additionalProperties": one}


def reference(root: str) -> Part:
    """Return a reference to a part of the document."""
    return {
        "type": "object",
        "properties": {"$ref": {"type": "string", "pattern": f"^#/{root}/"}},
        "required": ["$ref"],
        "additionalProperties": False,
    }


def listed(one: Part) -> Part:
    """Return a list of such parts, none of them twice."""
    return {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}


VARIABLE = of((), default=TEXT, description=TEXT, enum=TEXTS, examples=TEXTS)
SERVER = of(
    ("host", "protocol"),
    host={"type": "string", "pattern": "^[^/\\s]+$"},
    protocol=TEXT,
    description=TEXT,
    variables=named(VARIABLE),
)
CHANNEL = of(
    ("address", "messages"),
    address=TEXT,
    title=TEXT,
    description=TEXT,
    parameters=named(VARIABLE),
    servers=listed(reference("servers")),
    messages=named(reference("components/messages")),
)
OPERATION = of(
    ("action", "channel"),
    action={"enum": ["send", "receive"]},
    channel=reference("channels"),
    title=TEXT,
    summary=TEXT,
    description=TEXT,
)
EXAMPLE: Part = {
    **of((), headers={"type": "object"}, payload={}, name=TEXT, summary=TEXT),
    "minProperties": 1,
}
MESSAGE = of(
    ("payload",),
    name=TEXT,
    title=TEXT,
    summary=TEXT,
    description=TEXT,
    contentType=MEDIA_TYPE,
    headers=SCHEMA,
    payload=SCHEMA,
    examples=listed(EXAMPLE),
)
INFO = of(
    ("title", "version"),
    title=TEXT,
    version=TEXT,
    description=TEXT,
    license=of(("name",), name=TEXT, url=TEXT),
)
DOCUMENT: Part = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **of(
        ("asyncapi", "info"),
        asyncapi={"const": "3.0.0"},
        info=INFO,
        defaultContentType=MEDIA_TYPE,
        servers=named(SERVER),
        channels=named(CHANNEL),
        operations=named(OPERATION),
        components=of((), messages=named(MESSAGE), schemas=named(SCHEMA)),
    ),
}
_VALIDATOR = jsonschema_rs.validator_for(DOCUMENT)


def complaints(document: Any) -> list[str]:
    """Return what is wrong with a document."""
    wrong = [
        f"{'/'.join(map(str, error.instance_path))}: {error.message}"
        for error in _VALIDATOR.iter_errors(document)
    ]
    return wrong or mistakes(document)


def mistakes(document: Any) -> list[str]:
    """Return what does not fit together."""
    return [
        *(wrong for name in document["servers"] for wrong in _server(document, name)),
        *(wrong for name in document["channels"] for wrong in _channel(document, name)),
        *(wrong for name in document["operations"] for wrong in _operation(document, name)),
    ]


def _server(document: Any, name: str) -> list[str]:
    server = document["servers"][name]
    wanted = set(re.findall(r"{([^}]+)}", server["host"]))
    same = wanted == set(server["variables"])
    return [] if same else [f"servers/{name}: host and variables differ"]


def _channel(document: Any, name: str) -> list[str]:
    channel = document["channels"][name]
    wanted = set(re.findall(r"{([^}]+)}", channel["address"]))
    lost = [
        one["$ref"]
        for one in (*channel["servers"], *channel["messages"].values())
        if not _leads_somewhere(document, one["$ref"])
    ]
    if wanted != set(channel["parameters"]):
        lost.append(f"channels/{name}: address and parameters differ")
    return lost


def _operation(document: Any, name: str) -> list[str]:
    channel = document["operations"][name]["channel"]["$ref"]
    return [] if _leads_somewhere(document, channel) else [f"operations/{name}: {channel}"]


def _leads_somewhere(document: Any, reference_: str) -> bool:
    for token in reference_.removeprefix("#/").split("/"):
        if not isinstance(document, dict) or token not in document:
            return False
        document = document[token]
    return True
