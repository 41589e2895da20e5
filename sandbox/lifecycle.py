"""What the API server does to an object between the client's words and the store.

Pure. Create: the server's own metadata replace the client's. Update: identity, birth and death are
kept from the old object; the main resource and the status subresource each ignore the other's part;
a change of meaning (anything but metadata and status) counts one generation more. An update that
changes nothing returns the old object itself, so that no revision is spent.
"""

from datetime import datetime
from typing import Literal, TypeAlias

from sandbox.errors import ApiError, Cause
from sandbox.kinds import Kind
from sandbox.objects import Object, metadata, name_of, timestamp, with_metadata

Part: TypeAlias = Literal["main", "status", "whole"]

METADATA_FIELDS = (
    "name",
    "generateName",
    "namespace",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
KEPT_FROM_OLD = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)


def newborn(kind: Kind, obj: Object, *, uid: str, now: datetime) -> Object:
    """Return the object as it is stored first."""
    given = metadata(obj)
    kept = {field: given[field] for field in METADATA_FIELDS if given.get(field)}
    kept["uid"] = uid
    kept["creationTimestamp"] = timestamp(now)
    if kind.counts_generations:
        kept["generation"] = 1
    elif given.get("generation"):
        kept["generation"] = given["generation"]
    born = {**obj, "metadata": kept}
    if kind.storage_version.status and kind.custom:
        born.pop("status", None)
    return born


def changed(kind: Kind, old: Object, new: Object, part: Part) -> Object:
    """Return what an update makes of the old object; the old one itself if nothing changes.

    Owners of fields are taken as they come in the new object.
    """
    check_revision(kind, old, new)
    split = kind.storage_version.status
    if part == "status":
        merged = _status_taken(kind, old, new)
    elif part == "main" and split:
        merged = _status_kept(old, new)
    else:
        merged = new
    merged = {**merged, "metadata": _metadata(old, merged)}
    if merged == old:
        return old
    if kind.counts_generations and part != "status" and meaning(kind, merged) != meaning(kind, old):
        merged = with_metadata(merged, generation=generation_of(old) + 1)
    _check_finalizers(kind, old, merged)
    return merged


def check_revision(kind: Kind, old: Object, new: Object) -> None:
    """Refuse an update of an object that has moved on, or that is another one by now."""
    held, given = metadata(old), metadata(new)
    name = str(held["name"])
    if given.get("uid") and given["uid"] != held["uid"]:
        raise kind.conflict(name, _another(kind, held, str(given["uid"])))
    if given.get("resourceVersion") and given["resourceVersion"] != held["resourceVersion"]:
        raise kind.conflict(name)


def require_revision(kind: Kind, new: Object) -> None:
    """Refuse a blind update where the kind does not allow one."""
    if kind.needs_version_to_update and not metadata(new).get("resourceVersion"):
        cause = Cause(
            field="metadata.resourceVersion",
            reason="FieldValueInvalid",
            message="Invalid value: 0: must be specified for an update",
        )
        raise ApiError.invalid(kind.plural, name_of(new), [cause], group=kind.group)


def _another(kind: Kind, held: Object, uid: str) -> str:
    """Say that the uid is not the one that is stored, as the store says it."""
    group = f"{kind.group}/" if kind.custom else ""
    place = "/".join(
        part for part in (kind.plural, str(held.get("namespace", "")), str(held["name"])) if part
    )
    return (
        f"StorageError: invalid object, Code: 4, Key: /registry/{group}{place}, "
        "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: "
        f"{uid}, UID in object meta: {held['uid']}"
    )


def generation_of(obj: Object) -> int:
    """Return how often the object's meaning was written."""
    return int(metadata(obj).get("generation", 0))


def meaning(kind: Kind, obj: Object) -> Object:
    """Return the part of an object whose change counts a generation."""
    unmeant = {"metadata", "apiVersion", "kind"}
    if kind.storage_version.status:
        unmeant.add("status")
    return {field: value for field, value in obj.items() if field not in unmeant}


def _status_taken(kind: Kind, old: Object, new: Object) -> Object:
    taken = {field: value for field, value in old.items() if field != "status"}
    if "status" in new:
        taken["status"] = new["status"]
    owners = metadata(new).get("managedFields")
    taken = with_metadata(taken, managedFields=owners)
    if not kind.custom:
        kept = metadata(old).get("ownerReferences")
        taken["metadata"] = with_metadata(new, ownerReferences=kept)["metadata"]
    return taken


def _status_kept(old: Object, new: Object) -> Object:
    kept = {field: value for field, value in new.items() if field != "status"}
    return {**kept, "status": old["status"]} if "status" in old else kept


def _metadata(old: Object, new: Object) -> Object:
    held, given = metadata(old), metadata(new)
    taken = {field: given[field] for field in METADATA_FIELDS if given.get(field)}
    kept = {field: held[field] for field in (*KEPT_FROM_OLD, "generation") if field in held}
    fixed: Object = {field: held[field] for field in ("name", "namespace") if field in held}
    return {**taken, **kept, **fixed, "resourceVersion": held["resourceVersion"]}


def _check_finalizers(kind: Kind, old: Object, new: Object) -> None:
    if "deletionTimestamp" not in metadata(old):
        return
    held = metadata(old).get("finalizers") or []
    added = [name for name in metadata(new).get("finalizers") or [] if name not in held]
    if added:
        named = ", ".join(f'"{name}"' for name in added)
        cause = Cause(
            field="metadata.finalizers",
            reason="FieldValueForbidden",
            message="Forbidden: no new finalizers can be added if the object is being deleted, "
            f"found new finalizers []string{{{named}}}",
        )
        told = 2 if kind.custom else 1  # by the rules for all objects, and by those for custom ones
        raise ApiError.invalid(kind.kind, name_of(old), [cause] * told, group=kind.group)
