"""JSON Schemas of lifecycle events, made from the structures that are sent.

The data of a kind is one structure; an event adds which type it is. What the structures say of
their fields becomes the description, so that it is written once.
"""

import ast
import inspect
from datetime import datetime
from itertools import pairwise
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from shared.events import lifecycle
from shared.events.cloudevents import JSON_TYPE, SPEC_VERSION, CloudEvent
from shared.events.lifecycle import DATA, EVENTS, type_of

Schema: TypeAlias = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ENVELOPE = "Attributes"
FIELDS = {
    "resource": "What the event is about.",
    "because": "Why, in a sentence for people.",
    "state": "What is so from now on.",
    "pods": "The pods concerned, at most 100.",
    "count": "How many pods are concerned.",
    "run": "The RayJob that was made.",
    "phase": "Where it stands.",
    "head_uid": "The uid of that pod.",
    "desired": "How many workers are wished.",
    "group": "The group it is of.",
    "node": "Where it ran.",
    "reason": "One word for programs.",
    "message": "What Kubernetes or Ray said.",
    "result": "What Ray calls its job.",
    "job_id": "The name of the job at Ray.",
    "cluster": "The RayCluster it runs on.",
    "attempts_failed": "How many attempts came to nothing.",
    "active": "The RayCluster that serves.",
    "pending": "The RayCluster that is being prepared.",
    "traffic": "The share of requests by RayCluster, in percent.",
    "endpoints": "How many replicas answer.",
    "fired": "The last moment that had its run.",
    "skipped": "The last moment that was left out.",
}
"""What a field means where its structure does not say."""
ATTRIBUTES = {
    "specversion": "The version of CloudEvents.",
    "id": "The same for the same event, however often it comes.",
    "source": "Where the resource is in the Kubernetes API.",
    "type": "Which event this is.",
    "subject": "The name of the resource.",
    "time": "When it happened.",
    "datacontenttype": "What `data` is written in.",
    "dataschema": "Which structure `data` has.",
    "sequence": "Counts the events of one resource, from 1, without a gap; sorts as text.",
    "partitionkey": "The resource, as kind/namespace/name: the events of one are in order.",
    "resourceuid": "The uid of the resource.",
    "basedon": "The record of the log up to which it was judged.",
    "codeversion": "Which code told it.",
    "recordedtime": "When it was told.",
}


def components(template: str) -> dict[str, Schema]:
    """Return every schema by name; `template` says how one is referred to."""
    _, parts = msgspec.json.schema_components(tuple(DATA.values()), ref_template=template)
    described = {name: _described(name, part) for name, part in parts.items()}
    events = {
        event_name(kind, what): _event(kind, what, template)
        for kind, events in EVENTS.items()
        for what in events
    }
    return {ENVELOPE: envelope(), **described, **events}


def event_name(kind: str, what: str) -> str:
    """Return the name of the schema of a whole event."""
    return f"{kind}-{what}"


def data_name(kind: str) -> str:
    """Return the name of the schema of the data of a kind."""
    return DATA[kind].__name__


def envelope() -> Schema:
    """Return the schema of the attributes that every event has."""
    kinds = {field.name: field.type for field in fields(CloudEvent)}
    properties = {
        name: {**_kind_of(kinds[name]), "description": sentence}
        for name, sentence in ATTRIBUTES.items()
    }
    properties["specversion"]["const"] = SPEC_VERSION
    properties["datacontenttype"]["const"] = JSON_TYPE
    properties["sequence"]["pattern"] = "^[0-9]{12,}$"
    return {
        "type": "object",
        "title": "CloudEvent",
        "properties": properties,
        "required": [*ATTRIBUTES, "data"],
    }


def whole() -> Schema:
    """Return one schema for any event, in structured mode."""
    parts = components("#/$defs/{name}")
    names = [event_name(kind, what) for kind, events in EVENTS.items() for what in events]
    return {
        "$schema": DRAFT,
        "$id": "urn:heliograph:events:v1",
        "title": "A lifecycle event of Heliograph, as a CloudEvent in structured mode",
        "$comment": "Made by tools/generate_events.py. Change the code, then run it again.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in names],
        "$defs": parts,
    }


def _event(kind: str, what: str, template: str) -> Schema:
    data = {"$ref": template.format(name=data_name(kind))}
    schema = {"const": f"urn:heliograph:{kind}:{what}:v1"}
    told = {"type": {"const": type_of(kind, what)}, "dataschema": schema, "data": data}
    return {
        "title": type_of(kind, what),
        "description": EVENTS[kind][what],
        "allOf": [
            {"$ref": template.format(name=ENVELOPE)},
            {"type": "object", "properties": told, "required": list(told)},
        ],
    }


def _kind_of(kind: object) -> Schema:
    return {"type": "string", **({"format": "date-time"} if kind is datetime else {})}


def _described(name: str, part: Schema) -> Schema:
    """Return a schema with what the structure says of its fields, and open to new ones."""
    words = {**FIELDS, **field_words(getattr(lifecycle, name))}
    properties = {
        field: {**schema, "description": words[field]} if field in words else schema
        for field, schema in part["properties"].items()
    }
    return {**part, "properties": properties}


def field_words(struct: type[Struct]) -> dict[str, str]:
    """Return what stands under the fields of a structure."""
    tree = ast.parse(inspect.getsource(struct)).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    found = {}
    for line, following in pairwise(body):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            words = following.value if isinstance(following, ast.Expr) else None
            if isinstance(words, ast.Constant):
                found[line.target.id] = " ".join(str(words.value).split())
    return found
