"""What every object has, slimmed.

Managed fields stay outside but for the name of whoever changed the object last; so does the copy of
the whole object that `kubectl apply` keeps in an annotation.
"""

from datetime import datetime

from shared.events.objects import Meta, Owner
from shared.kernel.instants import parse_instant
from shared.kernel.manifests import (
    Raw,
    annotations_of,
    entries_at,
    flag_at,
    integer_at,
    labels_of,
    mapping_at,
    name_of,
    namespace_of,
    text_at,
    uid_of,
    words_at,
)

OR = " or "
"""Between those of whom nobody can tell who it was."""
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def meta_of(raw: Raw) -> Meta:
    """Slim an object's metadata."""
    annotations = annotations_of(raw)
    annotations.pop(_LAST_APPLIED, None)
    return Meta(
        name=name_of(raw),
        namespace=namespace_of(raw),
        uid=uid_of(raw),
        resource_version=version_of(raw) or 0,
        generation=integer_at(raw, "metadata", "generation") or 0,
        labels=labels_of(raw),
        annotations=annotations,
        owners=_owners(raw),
        finalizers=words_at(raw, "metadata", "finalizers"),
        created_at=created_at(raw),
        deleted_at=_moment(raw, "deletionTimestamp"),
        changed_by=changed_by(raw),
    )


def created_at(raw: Raw) -> datetime | None:
    """Return when an object was made, as the API server says."""
    return _moment(raw, "creationTimestamp")


def version_of(raw: Raw) -> int | None:
    """Return an object's resourceVersion as a number; None if it has none."""
    text = text_at(raw, "metadata", "resourceVersion")
    return int(text) if text.isascii() and text.isdigit() else None


def changed_by(raw: Raw) -> str:
    """Name the field manager that touched the object last; writers of subresources do not count.

    Their times are whole seconds. Of several in the last one, whoever owns nothing of the spec has
    not changed it; if that leaves more than one, nobody can tell, and all are named.
    """
    entries = [
        entry
        for entry in entries_at(raw, "metadata", "managedFields")
        if not text_at(entry, "subresource")
    ]
    last = max((text_at(entry, "time") for entry in entries), default="")
    newest = [entry for entry in entries if text_at(entry, "time") == last]
    wrote = [entry for entry in newest if "f:spec" in mapping_at(entry, "fieldsV1")]
    names = dict.fromkeys(text_at(entry, "manager") for entry in wrote or newest)
    return OR.join(filter(None, names))


def _owners(raw: Raw) -> tuple[Owner, ...]:
    return tuple(
        Owner(
            kind=text_at(owner, "kind"),
            name=text_at(owner, "name"),
            uid=text_at(owner, "uid"),
            controller=flag_at(owner, "controller") or False,
        )
        for owner in entries_at(raw, "metadata", "ownerReferences")
    )


def _moment(raw: Raw, field: str) -> datetime | None:
    text = text_at(raw, "metadata", field)
    try:
        return parse_instant(text) if text else None
    except ValueError:
        return None
