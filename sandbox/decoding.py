"""Whether a body has the types that every reader of it relies on.

Pure. The real API server decodes into typed structures and refuses what does not fit (400); here
metadata and the built-in kinds are held against forms.py. Custom fields are left to their schema.
"""

from functools import cache

import jsonschema_rs

from sandbox.errors import ApiError
from sandbox.forms import DEFINITIONS, FORMS, METADATA, Form
from sandbox.kinds import Kind
from sandbox.objects import Object


def check_types(kind: Kind, obj: Object) -> None:
    """Refuse a body whose parts are of the wrong type."""
    wrong = next(iter(_validator(kind.resource).iter_errors(obj)), None)
    if wrong is None:
        return
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in _steps(wrong))
    raise ApiError.bad_request(
        f'{kind.kind} in version "{kind.storage_version.name}" cannot be handled as a '
        f"{kind.kind}: json: cannot unmarshal {path.lstrip('.') or 'the object'}: {wrong.message}"
    )


def _steps(error: jsonschema_rs.ValidationError) -> list[str | int]:
    return list(error.instance_path)


@cache
def _validator(resource: str) -> jsonschema_rs.Draft7Validator:
    form: Form = FORMS.get(resource, {"properties": {}})
    whole = {"metadata": {**METADATA, "type": "object"}, **form["properties"]}
    return jsonschema_rs.Draft7Validator(
        {"type": "object", "properties": whole, "definitions": DEFINITIONS}
    )
