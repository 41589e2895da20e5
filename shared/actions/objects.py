"""What the executor may be asked to do to one object.

Every action is safe to repeat: creations have names fixed by the decision, deletions name the uid
they mean. Each says which rule made it and, for people, `because`. A manifest stands once in its
act; actions name it and say what differs. Actions of one `unit` stand in one act or in none.
"""

from msgspec import Struct, field


class Words(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Reason and message of a Kubernetes Event."""

    reason: str
    message: str


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What to tell people as Kubernetes Events: when it was done, and when it was refused.

    The API server's own words are appended to `refused.message`.
    """

    done: Words
    refused: Words


class CreateObject(Struct, frozen=True, kw_only=True, tag="create", omit_defaults=True):
    """Create an object of this kind and name from one of the act's manifests."""

    kind: str
    name: str
    manifest: str
    rule: str
    because: str
    group: str = ""
    unit: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    secret_keys: tuple[str, ...] = ()
    """Keys of a Secret whose values the executor draws; no value is ever in an act."""
    notice: Notice | None = None


class DeleteObject(Struct, frozen=True, kw_only=True, tag="delete", omit_defaults=True):
    """Delete the object of this uid; with a resourceVersion, only as it was seen."""

    kind: str
    name: str
    uid: str
    rule: str
    because: str
    unit: str = ""
    resource_version: int | None = None
    notice: Notice | None = None


class PatchObject(Struct, frozen=True, kw_only=True, tag="patch", omit_defaults=True):
    """Merge a change into the object of this uid; with a resourceVersion, only as it was seen."""

    kind: str
    name: str
    uid: str
    patch: dict[str, object]
    rule: str
    because: str
    resource_version: int | None = None
    notice: Notice | None = None


class ConfirmObject(Struct, frozen=True, kw_only=True, tag="confirm", omit_defaults=True):
    """Read an object that stayed unseen for too long; presence or absence is the outcome."""

    kind: str
    name: str
    rule: str
    because: str


class PostNotice(Struct, frozen=True, kw_only=True, tag="notice", omit_defaults=True):
    """Tell people something about the resource, as a Kubernetes Event."""

    warning: bool
    reason: str
    action: str
    message: str
    rule: str
    because: str


Action = CreateObject | DeleteObject | PatchObject | ConfirmObject | PostNotice
