"""Bodies of requests: media type, bytes to values, and what is no object at all.

The complaints are those of the real decoder, as far as they do not depend on how it is written.
"""

from typing import Any

import msgspec
import yaml

from sandbox.api.protobuf import read_object
from sandbox.errors import ApiError
from sandbox.kinds import Kind
from sandbox.objects import go_type

ACCEPTED = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
PLAIN = frozenset((*ACCEPTED, "application/octet-stream", "*/*"))
SHOWN_MAX = 30
TYPE_META = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)


def check_media(content_type: str) -> None:
    """Refuse a body that nobody here can read."""
    if content_type not in PLAIN:
        raise ApiError.unsupported_media_type(ACCEPTED)


def decoded(data: bytes, content_type: str) -> Any:
    """Read a body of JSON or YAML, or one of the few in protobuf."""
    if not data:
        return None
    if "protobuf" in content_type:
        return read_object(data)
    try:
        return _parsed(data, content_type)
    except (msgspec.DecodeError, yaml.YAMLError) as error:
        raise ApiError.bad_request(f"the body cannot be read: {error}") from error


def check_body(kind: Kind, data: bytes, body: Any) -> None:
    """Refuse a body that is no object, or one of a custom kind that does not say its kind."""
    unknown = f"the object provided is unrecognized (must be of type {kind.kind}): "
    if not data:
        trouble = "unexpected end of JSON input"
    elif isinstance(body, dict):
        if kind.custom and not body.get("kind"):
            text = data.decode(errors="replace")
            raise ApiError.bad_request(
                f"{unknown}Object 'Kind' is missing in '{text}' ({_summary(data)})"
            )
        return
    else:
        trouble = f"json: cannot unmarshal {go_type(body)} into Go value of type {TYPE_META}"
    said = f"couldn't get version/kind; json parse error: {trouble}"
    raise ApiError.bad_request(f"{unknown}{said} ({_summary(data)})")


def _parsed(data: bytes, content_type: str) -> Any:
    if "yaml" in content_type and not data.lstrip().startswith(b"{"):
        return yaml.load(data, Loader=yaml.CSafeLoader)
    return msgspec.json.decode(data)


def _summary(data: bytes) -> str:
    if not data:
        return "<empty>"
    more = " ..." if len(data) > SHOWN_MAX else ""
    head = data[:SHOWN_MAX]
    return (head.decode(errors="replace") if data[:1] == b"{" else head.hex()) + more
