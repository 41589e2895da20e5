"""JSON patch (RFC 6902): a list of operations, all done or none.

A patch that is no list is a bad request; one that does not fit the object (a failed `test`, a
missing path, an unknown operation) cannot be processed, as on the real API
server. Read next: apply.py.
"""

from typing import Any

import jsonpatch
import jsonpointer

from sandbox.errors import ApiError
from sandbox.objects import Object, go_type

_UNFIT = "the server rejected our request due to an error in our request"


def json_patch(current: Object, patch: object) -> Object:
    """Apply the operations to a copy of `current`."""
    if not isinstance(patch, list):
        sort = go_type(patch)
        raise ApiError.bad_request(
            f"error decoding patch: json: cannot unmarshal {sort} into Go value of type "
            "[]handlers.jsonPatchOp"
        )
    patched: Any = current
    try:
        for operation in jsonpatch.JsonPatch(patch).patch:
            fitting = _as_the_server_reads_it(operation, patched)
            patched = jsonpatch.JsonPatch([fitting]).apply(patched, in_place=False)
    except (
        jsonpatch.InvalidJsonPatch,
        TypeError,
        jsonpatch.JsonPatchConflict,
        jsonpatch.JsonPatchTestFailed,
        jsonpointer.JsonPointerException,
    ) as error:
        raise ApiError(422, "Invalid", _UNFIT, {}) from error
    if not isinstance(patched, dict):
        raise ApiError.bad_request("error decoding patch: the result is not an object")
    return patched


def _as_the_server_reads_it(operation: Object, current: object) -> Object:
    """Let `replace` set a key that is missing from an object, against the RFC."""
    if operation.get("op") != "replace":
        return operation
    where = jsonpointer.JsonPointer(str(operation.get("path", "")))
    if not where.parts:
        return operation
    parent = jsonpointer.JsonPointer.from_parts(where.parts[:-1]).resolve(current, None)
    missing = isinstance(parent, dict) and where.parts[-1] not in parent
    return {**operation, "op": "add"} if missing else operation
