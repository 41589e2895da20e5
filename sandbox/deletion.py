"""How objects go: at once, after a grace period, or when their last finalizer is gone.

Pure. `marked` says what a delete request makes of an object: None when nothing holds it any longer
and it can be removed, else the object as it stays for now (the same one if nothing changes). Only
pods are graceful; the kubelet ends their grace with a delete of zero seconds.
"""

from datetime import datetime, timedelta

from sandbox.errors import ApiError
from sandbox.kinds import Kind
from sandbox.lifecycle import generation_of
from sandbox.objects import Object, dig, metadata, moment, name_of, timestamp, with_metadata
from sandbox.requests import Deletion, Propagation

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"
GRACE_DEFAULT = 30
TERMINATING = {"phase": "Terminating"}


def check_preconditions(kind: Kind, obj: Object, deletion: Deletion) -> None:
    """Refuse to delete an object that is not the one the client meant."""
    meta = metadata(obj)
    if deletion.uid is not None and deletion.uid != meta["uid"]:
        raise ApiError.conflict(
            kind.kind,
            name_of(obj),
            f"the UID in the precondition ({deletion.uid}) does not match the UID in record "
            f"({meta['uid']}). The object might have been deleted and then recreated",
            group=kind.group,
        )
    if deletion.revision is not None and deletion.revision != meta["resourceVersion"]:
        raise ApiError.conflict(
            kind.kind,
            name_of(obj),
            f"the ResourceVersion in the precondition ({deletion.revision}) does not match the "
            f"ResourceVersion in record ({meta['resourceVersion']}). "
            "The object might have been modified",
            group=kind.group,
        )


def marked(kind: Kind, obj: Object, deletion: Deletion, now: datetime) -> Object | None:
    """Return the object as it waits for its end, or None if it can go now."""
    finalizers = _finalizers(kind, obj, deletion.propagation)
    grace = _grace(kind, obj, deletion.grace_seconds)
    meta = metadata(obj)
    if not finalizers and not kept_by_content(kind, obj) and (grace == 0 or _overdue(meta)):
        return None
    if "deletionTimestamp" not in meta:
        generation = generation_of(obj) + 1 if kind.counts_generations else None
        dying = {**obj, "status": TERMINATING} if kind.resource == "namespaces" else obj
        return with_metadata(
            dying,
            deletionTimestamp=timestamp(now + timedelta(seconds=grace)),
            deletionGracePeriodSeconds=grace,
            finalizers=finalizers or None,
            generation=generation,
        )
    shortened = _shortened(meta, grace)
    waiting = with_metadata(obj, finalizers=finalizers or None, **shortened)
    return obj if waiting == obj else waiting


def ended(kind: Kind, obj: Object, now: datetime) -> Object:
    """Return an object that goes at once, as its deletion answers with it."""
    if kind.resource != "pods" or "deletionTimestamp" in metadata(obj):
        return obj
    return with_metadata(
        obj,
        deletionTimestamp=timestamp(now),
        deletionGracePeriodSeconds=0,
        generation=generation_of(obj) + 1,
    )


def released(kind: Kind, obj: Object) -> bool:
    """Say whether nothing holds a dying object any longer."""
    meta = metadata(obj)
    return not meta.get("finalizers") and not kept_by_content(kind, obj) and _overdue(meta)


def kept_by_content(kind: Kind, obj: Object) -> bool:
    """Say whether this is a namespace that must be emptied before it can go."""
    return kind.resource == "namespaces" and bool(dig(obj, "spec.finalizers"))


def _overdue(meta: Object) -> bool:
    return "deletionTimestamp" in meta and not meta.get("deletionGracePeriodSeconds")


def _shortened(meta: Object, grace: int) -> Object:
    held = int(meta.get("deletionGracePeriodSeconds") or 0)
    if grace >= held:
        return {}
    ends_at = moment(meta["deletionTimestamp"]) - timedelta(seconds=held - grace)
    return {"deletionTimestamp": timestamp(ends_at), "deletionGracePeriodSeconds": grace}


def _grace(kind: Kind, obj: Object, asked: int | None) -> int:
    """Pods that never started, or are over, need no grace; other kinds have none."""
    if kind.resource != "pods":
        return 0
    unstarted = not dig(obj, "spec.nodeName")
    if unstarted or dig(obj, "status.phase") in {"Succeeded", "Failed"}:
        return 0
    if asked is not None:
        return max(asked, 0)
    held = metadata(obj).get("deletionGracePeriodSeconds")
    if held is not None:
        return int(held)
    given = dig(obj, "spec.terminationGracePeriodSeconds")
    return GRACE_DEFAULT if given is None else int(given)


def _finalizers(kind: Kind, obj: Object, asked: Propagation) -> list[str]:
    held = list(metadata(obj).get("finalizers") or [])
    policy = asked or _usual(kind, held)
    others = [name for name in held if name not in {FOREGROUND, ORPHAN}]
    if policy == "Foreground":
        return [*others, FOREGROUND]
    return [*others, ORPHAN] if policy == "Orphan" else others


def _usual(kind: Kind, held: list[str]) -> Propagation:
    if ORPHAN in held:
        return "Orphan"
    if FOREGROUND in held:
        return "Foreground"
    return "Orphan" if kind.orphans_by_default else "Background"
