"""The one door to all patches: a content type, the object as it is, and the patch.

Keeps its hands off its arguments: the answer shares nothing with `current`. Read next: merge.py,
then strategic.py and serverside.py for the harder two.
"""

from sandbox.errors import ApiError, Cause
from sandbox.objects import Object
from sandbox.patches.merge import merge_patch
from sandbox.patches.operations import json_patch
from sandbox.patches.ownership import FieldOwner
from sandbox.patches.serverside import server_side_apply
from sandbox.patches.shapes import Shapes
from sandbox.patches.strategic import strategic_merge_patch
from sandbox.schemas.builtin import builtin_node
from sandbox.schemas.structural import Schema

MERGE = "application/merge-patch+json"
JSON = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
NO_MANAGER = Cause(
    field="fieldManager",
    reason="FieldValueRequired",
    message="Required value: is required for apply patch",
)


def apply_patch(
    content_type: str,
    current: Object,
    patch: object,
    *,
    schema: Schema | None = None,
    owner: FieldOwner | None = None,
) -> Object:
    """Patch `current` ({} where apply creates); `schema` is that of a custom resource.

    `owner` says who applies, when and how firmly; only server-side apply needs it.
    """
    shapes = Shapes(schema)
    media = content_type.partition(";")[0].strip()
    if media == MERGE:
        return merge_patch(current, patch)
    if media == JSON:
        return json_patch(current, patch)
    if media == STRATEGIC and schema is None:
        return strategic_merge_patch(current, patch, shapes)
    if media == STRATEGIC:
        raise ApiError.unsupported_media_type((JSON, MERGE, APPLY))
    if media != APPLY:
        message = "415: Unsupported Media Type"
        raise ApiError(415, "UnsupportedMediaType", message, {})
    if owner is None:
        raise ApiError.bad_options("PatchOptions", NO_MANAGER)
    if schema is None and isinstance(patch, dict):
        shapes = Shapes(builtin=builtin_node(patch))
    return server_side_apply(current, patch, owner, shapes)
