"""The AsyncAPI document of lifecycle events: one channel for each kind, both modes of each event.

The NATS binding of AsyncAPI knows nothing of streams, so what JetStream adds stands in `x-` fields,
read from the same declarations that make the stream.
"""

from datetime import timedelta
from typing import Any, TypeAlias

import msgspec
import yaml

from shared.bus.declarations import NEWS, UNDELIVERED, Config, Installation, streams
from shared.events.cloudevents import CONTENT_TYPE, JSON_TYPE, STRUCTURED_TYPE, Mode, write
from shared.events.lifecycle import EVENTS, type_of
from tools.lifecycle.examples import example
from tools.lifecycle.schemas import ATTRIBUTES, components, data_name, event_name

Document: TypeAlias = dict[str, Any]

NOTE = "# Made by tools/generate_events.py. Change the code, then run it again.\n"
VERSION = "3.0.0"
HEADERS = "BinaryHeaders"
MODES: tuple[Mode, ...] = ("structured", "binary")
_DESCRIPTION = """\
What happens to RayClusters, RayJobs, RayServices and RayCronJobs, as CloudEvents 1.0 on NATS.
At least once; the events of one resource in order, `sequence` without a gap. A whole installation
writes in one mode (`--lifecycle-events`); the header Content-Type says which.
"""


class _Plain(yaml.CSafeDumper):
    """Writes equal parts out, instead of referring to the first."""

    def ignore_aliases(self, _: Any) -> bool:
        """Write every part."""
        return True


def text() -> str:
    """Return the document as YAML."""
    return NOTE + yaml.dump(document(), Dumper=_Plain, sort_keys=False, allow_unicode=True)


def document() -> Document:
    """Return the document."""
    return {
        "asyncapi": VERSION,
        "info": {
            "title": "Heliograph lifecycle events",
            "version": "1.0.0",
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": STRUCTURED_TYPE,
        "servers": {"bus": _server()},
        "channels": {kind: _channel(kind) for kind in EVENTS},
        "operations": {f"tell-{kind}": _operation(kind) for kind in EVENTS},
        "components": {
            "messages": {
                message_name(kind, what, mode): _message(kind, what, mode)
                for kind, events in EVENTS.items()
                for what in events
                for mode in MODES
            },
            "schemas": {**components("#/components/schemas/{name}"), HEADERS: _headers()},
        },
    }


def message_name(kind: str, what: str, mode: Mode) -> str:
    """Return the name of a message."""
    return event_name(kind, what) + ("-binary" if mode == "binary" else "")


def _server() -> Document:
    return {
        "host": "{host}",
        "protocol": "nats",
        "description": "The NATS server of the installation.",
        "variables": {
            "host": {"default": "heliograph-nats.heliograph:4222", "description": "Host and port."}
        },
        "x-jetstream": _jetstream(),
    }


def _jetstream() -> Document:
    stream: Config = next(one for one in streams(Installation()) if one["name"] == NEWS)
    kept = timedelta(microseconds=int(str(stream["max_age"])) // 1000)
    return {
        "stream": NEWS,
        "subjects": "pub.<namespace>.<kind>.<name>.<event>",
        "max-age": f"{kept.days}d, unless --events-retention says otherwise",
        "discard": stream["discard"],
        "deny-delete": stream["deny_delete"],
        "delivery": "at least once; `Nats-Msg-Id` and the attribute `id` tell duplicates",
        "live": "the same subjects without the stream, at most once",
        "not-taken": f"{UNDELIVERED}.<subscription>: events that a webhook did not take",
    }


def _channel(kind: str) -> Document:
    return {
        "address": f"pub.{{namespace}}.{kind}.{{name}}.{{event}}",
        "title": f"Events of one {kind}",
        "parameters": {
            "namespace": {"description": "Its namespace; `*` for all."},
            "name": {"description": "Its name, a dot written as `_`; `*` for all."},
            "event": {"description": "Which event; `*` for all.", "enum": list(EVENTS[kind])},
        },
        "servers": [{"$ref": "#/servers/bus"}],
        "messages": {
            message_name(kind, what, mode): {
                "$ref": f"#/components/messages/{message_name(kind, what, mode)}"
            }
            for what in EVENTS[kind]
            for mode in MODES
        },
    }


def _operation(kind: str) -> Document:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{kind}"},
        "summary": f"Tells what happens to a {kind}.",
    }


def _message(kind: str, what: str, mode: Mode) -> Document:
    binary = mode == "binary"
    payload = data_name(kind) if binary else event_name(kind, what)
    written = write(example(kind, what), mode)
    return {
        "name": type_of(kind, what),
        "title": f"{what}, {mode}",
        "summary": EVENTS[kind][what],
        "contentType": JSON_TYPE if binary else STRUCTURED_TYPE,
        "headers": _refer(HEADERS) if binary else _content_type(STRUCTURED_TYPE),
        "payload": _refer(payload),
        "examples": [
            {"headers": dict(written.headers), "payload": msgspec.json.decode(written.body)}
        ],
    }


def _content_type(kind: str) -> Document:
    return {
        "type": "object",
        "properties": {CONTENT_TYPE: {"type": "string", "const": kind}},
        "required": [CONTENT_TYPE],
    }


def _refer(schema: str) -> Document:
    return {"$ref": f"#/components/schemas/{schema}"}


def _headers() -> Document:
    plain = _content_type(JSON_TYPE)
    own = {f"ce-{name}": {"type": "string", "description": ATTRIBUTES[name]} for name in ATTRIBUTES}
    plain["properties"] |= own
    plain["required"] += list(own)
    return plain
