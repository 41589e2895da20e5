"""The page about lifecycle events: every event, when it is told, its data, an example."""

import json
from collections.abc import Iterator

import msgspec

from shared.events.cloudevents import write
from shared.events.lifecycle import DATA, EVENTS, type_of
from tools.lifecycle.examples import example
from tools.lifecycle.schemas import ATTRIBUTES, Schema, components, data_name

NOTE = "<!-- Made by tools/generate_events.py. Change the code, then run it again. -->"
TITLES = {
    "raycluster": "RayCluster",
    "rayjob": "RayJob",
    "rayservice": "RayService",
    "raycronjob": "RayCronJob",
}
SHOWN = {
    "raycluster": "workers-failed",
    "rayjob": "failed",
    "rayservice": "promoted",
    "raycronjob": "fired",
}
_INTRODUCTION = """\
What happens to resources, told to everybody as [CloudEvents](https://cloudevents.io) 1.0 on
NATS. How to hear them is in [Subscribing](../guides/subscribing.md). For programs: [JSON
Schema](events.schema.json), [AsyncAPI](asyncapi.yaml).

The subject is `pub.<namespace>.<kind>.<name>.<event>`, the stream `RAYPUB`. An event comes at
least once, with the same `id` each time. The events of one resource come in order, and their
`sequence` has no gap. An event carries the state that it leaves behind, so nobody needs the
events before it. No spec, no environment and no Secret is ever in it. Fields that have their
default are left out; new fields may come, and a change that breaks readers gets a new type
(`.v2`)."""
_MODES = """\
In structured mode, the default, the whole event is the body, as in the examples below, and the
header `Content-Type` is `application/cloudevents+json`. In binary mode (`--lifecycle-events
binary`) the attributes are headers, percent-encoded as the NATS binding of CloudEvents says, and
the body is `data` alone:"""


def page() -> str:
    """Return the whole page."""
    return "\n".join(
        (
            *("# Lifecycle events", "", NOTE, "", _INTRODUCTION, ""),
            *("## Attributes", "", "| Attribute | Says |", "| --- | --- |"),
            *(f"| `{name}` | {words} |" for name, words in ATTRIBUTES.items()),
            *("", "## Modes", "", _MODES, "", *_binary(), ""),
            *(line for kind in EVENTS for line in _section(kind)),
        )
    )


def _binary() -> Iterator[str]:
    written = write(example("rayjob", "succeeded"), "binary")
    yield "```text"
    yield from (f"{name}: {value}" for name, value in written.headers.items())
    yield ""
    yield written.body.decode()
    yield "```"


def _section(kind: str) -> Iterator[str]:
    yield from (f"## {TITLES[kind]}", "", "| Event | Type | When |", "| --- | --- | --- |")
    for what, sentence in EVENTS[kind].items():
        yield f"| `{what}` | `{type_of(kind, what)}` | {sentence} |"
    parts = components("{name}")
    yield from ("", *_fields("data", parts[data_name(kind)]))
    state = DATA[kind].__annotations__["state"]
    yield from ("", *_fields("data.state", parts[state.__name__]))
    if kind == "raycluster":
        yield from ("", *_fields("data.pods[]", parts["PodNote"]))
    yield from ("", f"`{SHOWN[kind]}`, for example:", "", "```json")
    plain = json.loads(msgspec.json.encode(example(kind, SHOWN[kind])))
    yield from (json.dumps(plain, indent=2, ensure_ascii=False), "```", "")


def _fields(place: str, schema: Schema) -> Iterator[str]:
    yield from (f"{schema['description'].splitlines()[0]}", "")
    yield from (f"| `{place}` | Is | Says |", "| --- | --- | --- |")
    for name, field in schema["properties"].items():
        needed = "" if name in schema.get("required", ()) else ", may be left out"
        yield f"| `{name}` | {_kind(field)}{needed} | {field.get('description', '')} |"


def _kind(field: Schema) -> str:
    if "$ref" in field:
        return f"`{field['$ref']}`"
    if field["type"] == "array":
        return f"list of {_kind(field['items'])}"
    if field["type"] == "object":
        return f"map to {_kind(field['additionalProperties'])}"
    return {"string": "text", "integer": "whole number"}[field["type"]]
